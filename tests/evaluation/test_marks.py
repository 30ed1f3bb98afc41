"""Outputs for readers, and what they would keep."""

from pathlib import Path

import msgspec
import pytest

from sightline.evaluation.marks import Kept, Mark, Output, count_kept, read_marks, write_outputs
from sightline.platform.errors import BadRequest

OUTPUTS = [Output(f"I{at:02}", "A text.", f"Output {at}") for at in range(20)]


def marks(*given: Mark) -> list[bytes]:
    return [msgspec.json.encode(mark) + b"\n" for mark in given]


def test_outputs_are_shuffled_always_in_the_same_way(tmp_path: Path) -> None:
    for name, outputs in (("one", OUTPUTS), ("two", OUTPUTS[::-1])):
        write_outputs(tmp_path / name, outputs)
    written = [msgspec.json.decode(line, type=Output) for line in (tmp_path / "one").read_bytes().splitlines()]
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert written != OUTPUTS
    assert sorted(written, key=lambda one: one.id) == OUTPUTS


def test_an_output_is_kept_if_all_its_readers_keep_it() -> None:
    given = marks(
        Mark("I01", "Output 1", "ana", True),
        Mark("I01", "Output 1", "ben", True),
        Mark("I02", "Output 2", "ana", True),
        Mark("I02", "Output 2", "ben", False),
        Mark("I03", "Output 3", "ana", True),
        Mark("I04", "Another output of an earlier engine", "ana", True),
    )
    assert count_kept(OUTPUTS, read_marks("marks.jsonl", given)) == Kept(marked=3, kept=2, share=0.6667)


def test_without_marks_there_is_no_share() -> None:
    assert count_kept(OUTPUTS, read_marks("marks.jsonl", [])) == Kept(marked=0, kept=0, share=None)


def test_a_mark_that_is_not_right_is_refused_with_its_place() -> None:
    with pytest.raises(BadRequest, match=r"marks\.jsonl"):
        read_marks("marks.jsonl", [b'{"id": "I01"}\n'])


def test_one_reader_is_enough_to_call_an_output_repeated() -> None:
    given = marks(Mark("I01", "Output 1", "ana", True), Mark("I01", "Output 1", "ben", True, repeated=True))
    assert count_kept(OUTPUTS, read_marks("marks.jsonl", given)).repeated == 1
