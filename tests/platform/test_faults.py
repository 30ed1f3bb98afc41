"""How faults of a value are worded."""

from typing import Annotated, Any

import pytest
from msgspec import Meta

from sightline.platform.faults import faults_in

Words = Annotated[list[str], Meta(min_length=1)]


def bounded(kind: Any, **bounds: Any) -> Any:
    return Annotated[kind, Meta(**bounds)]


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (bounded(list[str], min_length=1), [], "Needs at least 1 item"),
        (bounded(list[str], min_length=1) | None, [], "Needs at least 1 item"),
        (bounded(list[str], min_length=2), [], "Needs at least 2 items"),
        (bounded(list[str], min_length=2), ["a"], "Needs at least 2 items"),
        (bounded(list[str], max_length=1), ["a", "b"], "At most 1 item"),
        (bounded(list[str], max_length=2), ["a", "b", "c"], "At most 2 items"),
        (bounded(tuple[str, ...], max_length=1), ["a", "b"], "At most 1 item"),
        (bounded(str, min_length=1), "", "Must not be empty"),
        (bounded(str, min_length=8), "Why?", "Needs at least 8 characters"),
        (bounded(str, max_length=2) | None, "abc", "At most 2 characters"),
        (bounded(dict[str, int], min_length=1), {}, "Needs at least 1 field"),
        (bounded(dict[str, int], max_length=2), {"a": 1, "b": 2, "c": 3}, "At most 2 fields"),
    ],
)
def test_a_wrong_length_is_told_in_a_plain_sentence(kind: Any, value: Any, message: str) -> None:
    assert [fault.message for fault in faults_in(kind, value)] == [message]


def test_a_wrong_length_inside_has_its_path() -> None:
    [fault] = faults_in(list[Words], [["a"], []])
    assert (fault.path, fault.message) == ("[1]", "Needs at least 1 item")
