"""Quotes are located in their source, or dropped, whatever a model returns."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.intelligence.evidence import SignalMaterial, Turn
from sightline.intelligence.model.answers import Unreadable, read_answer
from sightline.intelligence.model.insights import extract_insights
from sightline.intelligence.model.quotes import locate
from sightline.intelligence.model.session import Budget, ModelFailed, Session

SOURCE = "We wait. “The CSV export  takes forty minutes on Mondays”, said Ana; it isn't her fault. İstanbul waits too."


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("takes forty minutes", "takes forty minutes"),
        ('"takes forty minutes"', "takes forty minutes"),
        ("the csv EXPORT takes", "The CSV export  takes"),
        ("CSV export takes\nforty minutes", "CSV export  takes forty minutes"),
        ("The CSV export takes minutes on Mondays", "The CSV export  takes forty minutes on Mondays"),
        ("it isn’t her fault", "it isn't her fault"),  # noqa: RUF001 - as models write it
        ("fault. İSTANBUL waits", "fault. İstanbul waits"),
    ],
)
def test_a_quote_is_located_in_the_words_of_the_source(quote: str, words: str) -> None:
    place = locate(quote, SOURCE)
    assert place is not None
    assert SOURCE[place.start : place.end] == words


SIGNED = "Down to -25 % this year, from +$40 (>30 %); a -30\u00b0C rating for 10-20 trips. \u22125 is worse."


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("25 % this year", "-25 % this year"),
        ("25 THIS YEAR", "-25 % this year"),
        ("down to 25", "Down to -25 %"),
        ("$40", "+$40"),
        ("40", "+$40"),
        ("30 %); a", ">30 %); a"),
        ("30\u00b0C rating", "-30\u00b0C rating"),
        ("20 trips", "20 trips"),
        ("5 is worse", "\u22125 is worse"),
    ],
)
def test_the_sign_of_a_number_belongs_to_the_quote(quote: str, words: str) -> None:
    place = locate(quote, SIGNED)
    assert place is not None
    assert SIGNED[place.start : place.end] == words


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " … ",
        "on",  # part of a word only would be a coincidence: it is found as a word below
        "The CSV export takes fifty minutes on Mondays",
        "The CSV export always takes forty minutes on Mondays",
        "minutes forty takes export CSV",
        "The CSV export on Mondays",
        "said Ana it is her fault İstanbul waits",
    ],
)
def test_other_words_are_not_a_quote(quote: str) -> None:
    source = SOURCE.replace(" on ", " each ") if quote == "on" else SOURCE
    assert locate(quote, source) is None


def test_a_negation_is_not_left_out() -> None:
    assert locate("we do want this export to go away", "we do not want this export to go away") is None


REPEATED = "ha " * 400_000


@pytest.mark.parametrize(("words", "end", "is_there"), [(200_000, "hb", False), (9, "hb", False), (200_000, "h", True)])
def test_a_search_in_words_that_repeat_ends(words: int, end: str, is_there: bool) -> None:
    """Each word of the quote was compared at each word of the source: for the first one an hour's work."""
    assert (locate("ha " * words + end, REPEATED) is not None) == is_there


@pytest.mark.slow
def test_many_quotes_of_one_source_end() -> None:
    """The words of the source were read for each of them: some minutes' work."""
    assert not any(locate(f"ha ha ha ha ha hb{number}", REPEATED) for number in range(1_000))


def test_a_long_quote_may_differ_in_case_and_marks() -> None:
    place = locate("Ha, " * 200_000, f"Ho {REPEATED}")
    assert place == (3, 3 * 200_000 + 2)


@settings(deadline=None)
@given(source=st.text(max_size=200), quote=st.text(max_size=60))
def test_a_place_is_within_the_source(source: str, quote: str) -> None:
    place = locate(quote, source)
    assert place is None or 0 <= place.start < place.end <= len(source)


@settings(deadline=None)
@given(source=st.lists(st.sampled_from(["a", "b", "not", "C", ",", "”", "ß", "İ"]), max_size=30), data=st.data())
def test_each_run_of_words_is_found_whatever_its_case(source: list[str], data: st.DataObject) -> None:
    words = [word for word in source if word.isalpha()]
    start = data.draw(st.integers(0, max(len(words) - 1, 0)))
    run = words[start : start + 5]
    if len(run) > 1:
        assert locate(" ".join(run).swapcase(), " ".join(source)) or "ß" in run or "İ" in run


class Scripted:
    """Answers with one text, read as the endpoint reads it."""

    def __init__(self, content: str) -> None:
        self._content = content

    async def ask(self, session: Session, prompt: Any, type: Any, read: Any) -> Any:
        try:
            answer = read_answer(self._content, type)
        except Unreadable:
            return []
        return read(answer)[0]


TURNS = SignalMaterial(
    "conversation",
    turns=(Turn("Ana", "The export takes 40 minutes."), Turn("Olga", "I am sorry."), Turn(None, "It is slow; slow!")),
    own_names=frozenset({"Olga"}),
)
quotes = st.fixed_dictionaries(
    {
        "text": st.text(max_size=30)
        | st.sampled_from(["export takes", "THE EXPORT takes 40", "I am sorry.", "slow", "it is slow", "slow slow"]),
        "turn": st.none() | st.integers(-3, 5),
    }
)
answers = st.fixed_dictionaries(
    {
        "insights": st.lists(
            st.fixed_dictionaries(
                {
                    "title": st.text(max_size=40) | st.sampled_from(["Exports take 40 minutes", "Exports take 50"]),
                    "category": st.sampled_from(["problem", "request", "praise", "question", "context"]),
                    "quotes": st.lists(quotes, max_size=4),
                }
            ),
            max_size=4,
        )
    }
)


@settings(deadline=None)
@given(answer=answers, text=st.text(max_size=80) | st.just("The export takes 40 minutes; it is slow."))
def test_whatever_a_model_returns_every_quote_is_exact(answer: Any, text: str) -> None:
    for material in (TURNS, SignalMaterial(text=text)):
        scripted: Any = Scripted(json.dumps(answer))
        try:
            found = asyncio.run(extract_insights(scripted, Session(Budget()), material))
        except ModelFailed:
            continue
        assert all(one.quotes and one.title.strip() and "50" not in one.title for one in found if one.title.isascii())
        for quote in (quote for one in found for quote in one.quotes):
            source = material.text if quote.turn is None else material.turns[quote.turn].text
            assert source[quote.start : quote.end] == quote.text != ""
            assert quote.speaker != "Olga"


def test_a_long_signal_is_read_in_parts_with_places_in_the_whole() -> None:
    text = "Nothing here. " * 4_000 + "The export takes 40 minutes."
    content = {"insights": [{"title": "Slow", "category": "problem", "quotes": [{"text": "export takes 40 minutes"}]}]}
    scripted: Any = Scripted(json.dumps(content))
    [found] = asyncio.run(extract_insights(scripted, Session(Budget()), SignalMaterial(text=text)))
    [quote] = found.quotes
    assert (text[quote.start : quote.end], quote.start) == ("export takes 40 minutes", len(text) - 24)


def test_long_quotes_that_no_turn_has_end() -> None:
    """Each was read anew for each turn: some minutes' work."""
    quotes = [[{"text": f"we w{number} " + "we do that " * 350, "turn": None}] for number in range(100)]
    content = {"insights": [{"title": "Slow", "category": "problem", "quotes": each} for each in quotes]}
    scripted: Any = Scripted(json.dumps(content))
    material = SignalMaterial("conversation", turns=tuple(Turn(speaker="Bo", text="ab") for _ in range(11_000)))
    with pytest.raises(ModelFailed):
        asyncio.run(extract_insights(scripted, Session(Budget()), material))
