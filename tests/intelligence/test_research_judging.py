"""The embedded judge and writer: relevance by words, exact quotes, answers from findings alone."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.embedded.research.passages import read_lines
from sightline.intelligence.plans import Competitor, PlanSection, SectionScope
from sightline.intelligence.research import Coverage, FindingText, FramedQuote, Judgement
from sightline.sources.pages import Page
from tests.intelligence.spots import with_spots

RESEARCHER = EmbeddedResearcher()
NOW = datetime(2026, 11, 20, tzinfo=UTC)
QUESTION = "How do riders learn that a deposit was released?"
DEPOSITS = (
    "Rental shops hold a deposit on the card. A rider gets a message when the deposit is released. "
    "Riders complain when the deposit stays blocked. The coffee in the shop is good."
)


def section(**changes: Any) -> PlanSection:
    whole: dict[str, Any] = {
        "id": uuid4(),
        "name": "Deposits",
        "type": "market",
        "objective": "Find how deposits are released.",
        "questions": [QUESTION],
        "topic": "deposits of riders",
    }
    return PlanSection(**(whole | changes))


def page(text: str, *, title: str = "Deposits", url: str = "https://rental.example/a", language: str = "en") -> Page:
    return Page(url=url, title=title, text=text, retrieved_at=NOW, publisher="Rental Journal", language=language)


async def judge(text: str, wanted: PlanSection | None = None, **changes: Any) -> Judgement:
    [judgement] = await RESEARCHER.judge(wanted or section(), [page(text, **changes)])
    return judgement


async def test_a_page_on_the_subject_is_relevant_and_quoted() -> None:
    found = await judge(DEPOSITS)
    assert found.score >= 0.5
    assert "A rider gets a message when the deposit is released." in [one.quote for one in found.observations]
    assert all(one.quote in DEPOSITS for one in found.observations)
    assert all("Rental Journal" in one.text and QUESTION in one.text for one in found.observations)
    assert "coffee" not in " ".join(one.quote for one in found.observations)


async def test_no_page_lacks_the_stop_words_of_its_language() -> None:
    wanted = section(questions=["Wie viele Akustiker verleihen Hörgeräte?"], scope=SectionScope(languages=["German"]))
    found = await judge("Jeder Akustiker passt Brillen an.", wanted, language="de")
    assert found.lacks == {"verleihen", "hörgeräte"}


@pytest.mark.parametrize(
    "text",
    ["The museum shows paintings of the harbour. Entry is free on Sunday.", "Riders like the coffee in the shop.",
     "A deposit of sand lies at the river.", "", "?", "\n" * 50, "x" * 50_000, "日本語の文章です。" * 50],
)  # fmt: skip
async def test_a_page_on_something_else_is_not(text: str) -> None:
    assert (await judge(text, title="Something else")).score < 0.5


async def test_sentences_are_quoted_even_when_they_are_very_long() -> None:
    text = "riders deposit released message " * 2_000
    found = await judge(text)
    assert found.observations
    assert all(one.quote in text and len(one.quote) <= 300 for one in found.observations)


async def test_a_page_with_a_name_of_endings_is_judged() -> None:
    wanted = section(questions=["How many riders in Norway get a deposit back?"])
    assert (await judge("X" + "an" * 100_000 + " rides.", wanted, title="Something else")).score < 0.5


RAVELO = Competitor(name="Ravelo Works", website="https://www.ravelo.example/", aliases=["RW Rental"])


@pytest.mark.parametrize(
    ("text", "url", "is_named"),
    [
        (f"{DEPOSITS} Ravelo Works sends it.", "https://rental.example/a", True),
        (f"{DEPOSITS} ravelo  works sends it.", "https://rental.example/a", True),
        (f"{DEPOSITS} RW Rental sends it.", "https://rental.example/a", True),
        (DEPOSITS, "https://news.ravelo.example/a", True),
        (DEPOSITS, "https://myravelo.example/a", False),
        (f"{DEPOSITS} Ravelo Worksheets sends it.", "https://rental.example/a", False),
        (DEPOSITS, "https://rental.example/a", False),
    ],
)
async def test_a_competitor_goes_by_all_its_names_and_its_website(text: str, url: str, is_named: bool) -> None:
    found = await judge(text, section(type="competitors", topic="", competitors=[RAVELO]), url=url)
    assert (found.score >= 0.5) is is_named
    assert ("names Ravelo Works" in found.reason) is is_named


async def test_a_name_that_is_a_word_needs_its_capital() -> None:
    wanted = section(type="competitors", topic="", competitors=[Competitor(name="Anchor")])
    assert (await judge(f"{DEPOSITS} Drop anchor.", wanted)).score < 0.5
    assert (await judge(f"{DEPOSITS} Anchor says so.", wanted)).score >= 0.5


async def test_other_languages_are_framed_in_english() -> None:
    text = "Die Kaution wird freigegeben. Der Fahrer erfährt durch eine Nachricht, dass die Kaution freigegeben ist."
    wanted = section(
        questions=["Wie erfährt der Fahrer, dass die Kaution freigegeben ist?"],
        topic="Kaution Fahrer",
        scope=SectionScope(languages=["German"]),
    )
    found = await judge(text, wanted, title="Kaution", language="de")
    assert found.score >= 0.5
    assert all("in German" in one.text and one.quote in text for one in found.observations)


def finding(quote: str, *, day: datetime | None = NOW) -> FindingText:
    return FindingText(
        uuid4(), "A title", "https://rental.example/a", "Rental Journal", day, [FramedQuote("On it", quote)]
    )


def coverage(**changes: Any) -> Coverage:
    whole: dict[str, Any] = {
        "target": 3,
        "found": 2,
        "read": 7,
        "research_mode": "recent",
        "since": datetime(2026, 10, 21, tzinfo=UTC),
        "until": NOW,
    }
    return Coverage(**(whole | changes))


async def test_an_answer_quotes_the_findings_that_are_close() -> None:
    close, far = finding("A rider gets a message when the deposit is released."), finding("The coffee is good.")
    answer = (await RESEARCHER.answer(section(), with_spots(section(), [far, close]), coverage())).questions[0]
    assert answer.finding_ids == [close.id]
    assert answer.answer == (
        "Rental Journal reported on 2026-11-20: “A rider gets a message when the deposit is released.”"
    )


async def test_an_unknown_date_stays_unknown_in_the_answer() -> None:
    close = finding("A rider gets a message when the deposit is released.", day=None)
    answer = (await RESEARCHER.answer(section(), with_spots(section(), [close]), coverage())).questions[0]
    assert answer.answer.startswith("Rental Journal reports, without a date: ")


@pytest.mark.parametrize("findings", [[], [finding("The coffee is good.")]])
async def test_no_finding_no_answer(findings: list[FindingText]) -> None:
    answer = await RESEARCHER.answer(section(), with_spots(section(), findings), coverage(found=len(findings)))
    assert [(one.answer, one.finding_ids) for one in answer.questions] == [
        ("No finding answers this. 7 pages read, and none of them says it.", [])
    ]


async def test_every_question_is_answered_in_its_order() -> None:
    questions = [
        "What does insurance pay?",
        "Which cards are taken?",
        "Why do riders complain about blocked deposits?",
    ]
    findings = [finding("Riders complain when the deposit stays blocked.")]
    wanted = section(questions=questions)
    answer = await RESEARCHER.answer(wanted, with_spots(wanted, findings), coverage())
    assert [one.question for one in answer.questions] == questions
    assert [bool(one.finding_ids) for one in answer.questions] == [False, False, True]
    known: set[UUID] = {one.id for one in findings}
    assert all(set(one.finding_ids) <= known for one in answer.questions)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({}, "2 of at most 3 sources found, published between 2026-10-21 and 2026-11-20; 7 pages read."),
        ({"read": 1}, "; 1 page read."),
        ({"research_mode": "baseline"}, "older and undated ones included"),
        ({"output_language": "German"}, "It does not write German: quotes keep their language."),
        ({"output_language": "English"}, "does not judge"),
        ({"warnings": ("One engine did not answer.",)}, "One engine did not answer."),
    ],
)
async def test_the_summary_says_what_was_covered(changes: dict[str, Any], part: str) -> None:
    assert part in (await RESEARCHER.answer(section(), [], coverage(**changes))).summary


async def test_search_texts_are_new_in_every_round_and_end() -> None:
    wanted = section(type="competitors", topic="", competitors=[RAVELO], scope=SectionScope(geography="Norway"))
    tried: list[str] = []
    for round in range(3):
        texts = await RESEARCHER.queries(wanted, round, tried)
        assert len(texts) <= 8
        assert not set(texts) & set(tried)
        tried += texts
    assert await RESEARCHER.queries(wanted, 3, tried) == []
    assert '"Ravelo Works"' in tried[0]
    assert any('"RW Rental"' in text for text in tried)


@pytest.mark.parametrize("languages", [["English"], ["English", "German"]])
async def test_a_search_has_other_words_of_the_languages(languages: list[str]) -> None:
    wanted = section(questions=["How warm is a refrigerator?"], topic="", scope=SectionScope(languages=languages))
    texts = await RESEARCHER.queries(wanted, 0, [])
    found = {word for text in texts for word in text.split()}
    assert {"fridge", "temperature"} <= found
    assert ("kühlschrank" in found) is ("German" in languages)


def test_the_long_pages_of_a_round_are_read_once_for_all_questions() -> None:
    texts = [f"Page {number}.\n\n" + "A wren sings in the hedge. " * 2_000 for number in range(30)]
    read = [read_lines(text) for text in texts]
    assert all(read_lines(text) is one for text, one in zip(texts, read, strict=True))
