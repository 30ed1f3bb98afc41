"""The name of an idea that was sent without one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.intelligence.embedded import embedded_engine
from tests.ideas.acme import Acme

DESCRIPTIONS = [
    "Export",
    "Analysts want a CSV export of every table.",
    "Hello! Please add an export. Thanks.",
    "An export of every table that an analyst can see in the application, with headers, as CSV, JSON or XML file.",
    "One long sentence without an end " * 40,
    "# Heading\n\n- a **list**\n- of _points_",
    "Zuerst die \u00dcbersicht, dann \u00dfcharfe Kanten \u2014 und \u65e5\u672c\u8a9e.",
    "   \n\n  indented   words\n",
]


def stands_in(name: str, text: str) -> bool:
    """Whether the name's words are whole words of the text, in its order; marks and the first letter do not count."""
    marks = " .,;:!?\u2026-\u2013\u2014*_`~|>#([)]\"'"
    words = iter(word.strip(marks).casefold() for word in text.split())
    return all(any(word.strip(marks).casefold() == other for other in words) for word in name.split())


@pytest.mark.parametrize("description", DESCRIPTIONS)
async def test_a_name_is_made_of_the_descriptions_whole_words_in_their_order(acme: Acme, description: str) -> None:
    name = (await acme.create(description=description))["name"]
    assert 1 <= len(name) <= 80
    assert name == name.strip()
    assert stands_in(name, description), name


async def test_a_word_longer_than_a_name_is_cut(acme: Acme) -> None:
    name = (await acme.create(description="x" * 500))["name"]
    assert name == "X" + "x" * 79


async def test_the_same_description_gets_the_same_name(acme: Acme) -> None:
    assert (await acme.create())["name"] == (await acme.create())["name"]


async def test_a_given_name_is_kept(acme: Acme) -> None:
    assert (await acme.create(name="Exports"))["name"] == "Exports"


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30)


@given(st.lists(words, min_size=1, max_size=60).map(" ".join))
def test_any_description_gets_a_name_of_its_own_words(description: str) -> None:
    name = embedded_engine().name_idea(description)
    assert 1 <= len(name) <= 80
    assert stands_in(name, description)


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_gets_a_name_that_fits(description: str) -> None:
    name = embedded_engine().name_idea(description)
    assert 1 <= len(name) <= 80
    assert name.strip()
