"""References to records. Decisions: Everywhere, References in paths."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.platform.errors import InvalidReference
from sightline.platform.refs import IdeaRef, InitiativeRef, Ref, SignalRef, StudyRef, parse_uuid

REFS = pytest.mark.parametrize("kind", [IdeaRef, InitiativeRef, SignalRef, StudyRef])


def some_case(text: str, upper: list[bool]) -> str:
    return "".join(
        letter.upper() if up else letter.lower() for letter, up in zip(text, upper * len(text), strict=False)
    )


CASES = st.lists(st.booleans(), min_size=1, max_size=36)


@given(id=st.uuids(), upper=CASES)
def test_a_uuid_is_read_in_any_letter_case(id: UUID, upper: list[bool]) -> None:
    assert IdeaRef.parse(some_case(str(id), upper)) == IdeaRef(id=id)


@given(number=st.integers(1, 2**63 - 1), upper=CASES)
def test_a_public_id_is_read_in_any_letter_case(number: int, upper: list[bool]) -> None:
    assert InitiativeRef.parse(some_case(f"INITIATIVE-{number}", upper)) == InitiativeRef(number=number)


@REFS
def test_another_prefix_is_well_formed_but_not_here(kind: type[Ref]) -> None:
    for prefix in {"IDEA", "INITIATIVE", "SIGNAL", "STUDY", "NOTHING"} - {kind.prefix}:
        assert kind.parse(f"{prefix}-1") == kind(number=0)


@pytest.mark.parametrize("number", ["0", "00", "01", "007", str(2**63), "9" * 30])
def test_a_number_that_is_never_given_is_not_here(number: str) -> None:
    assert IdeaRef.parse(f"IDEA-{number}") == IdeaRef(number=0)


SHAPELESS = [
    *("", " ", "7", "-7", "IDEA", "IDEA-", "IDEA7", "IDEA_7", "IDEA--7", "IDEA-7-8", "IDEA-7 ", " IDEA-7", "IDEA-7\n"),
    *(
        "IDEA-+7",
        "IDEA- 7",
        "IDEA-7.0",
        "IDEA-1e3",
        "IDEA-0x1",
        "ID3A-7",
        "IDEA-\N{ARABIC-INDIC DIGIT SEVEN}",
        "IDEA-७",
    ),
    *("\N{KELVIN SIGN}DEA-7", "\N{LATIN SMALL LETTER LONG S}IGNAL-7", "\N{LATIN SMALL LETTER DOTLESS I}DEA-7"),
    *(
        "6f1c0f7e8a0c4c539a351f7f4f2d7c11",
        "{6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11}",
        "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c1",
    ),
    *("urn:uuid:6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11", "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c1g"),
    *(
        "6f1c0f7-e8a0c-4c53-9a35-1f7f4f2d7c11",
        "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11\n",
        "null",
        "undefined",
        "IDEA-" + "9" * 31,
    ),
]


@pytest.mark.parametrize("text", SHAPELESS)
def test_malformed_references_are_refused(text: str) -> None:
    with pytest.raises(InvalidReference):
        IdeaRef.parse(text)


@given(text=st.text(max_size=40) | st.from_regex(r"[a-zA-Z]{1,6}-[0-9]{1,25}"))
def test_every_text_is_read_or_refused(text: str) -> None:
    try:
        found = IdeaRef.parse(text)
    except InvalidReference:
        return
    assert (found.id is None) is not (found.number is None)


@given(text=st.text(alphabet="0123456789abcdefABCDEF-IDEA", max_size=40))
def test_the_described_pattern_is_what_is_read(text: str) -> None:
    try:
        is_read = IdeaRef.parse(text).number != 0
    except InvalidReference:
        is_read = False
    pattern = IdeaRef.schema()["pattern"]
    assert is_read is (re.search(pattern, text) is not None)


@given(id=st.uuids())
def test_only_the_hyphenated_form_is_a_uuid(id: UUID) -> None:
    assert parse_uuid(str(id)) == id
    for other in (id.hex, f"{{{id}}}", id.urn, f" {id}", str(id)[:-1]):
        assert parse_uuid(other) is None
