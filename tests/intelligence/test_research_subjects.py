"""What a question is about: not its period or fillers; and what a source in another language lacks."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.embedded.research.passages import figures_in
from sightline.intelligence.embedded.research.planning import draft_plan
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Coverage, FindingText, FramedQuote, Judgement, PlanContext
from sightline.sources.pages import Page
from tests.intelligence.spots import with_spots

NOW = datetime(2026, 11, 20, tzinfo=UTC)
LATER = datetime(2026, 9, 1, tzinfo=UTC)


def section(question: str) -> PlanSection:
    return PlanSection(id=uuid4(), name="Market", type="market", objective=question, questions=[question], topic="x")


async def judge(question: str, text: str, language: str = "en") -> Judgement:
    page = Page(url="https://choir.example/a", title="Notes", text=text, retrieved_at=NOW, language=language)
    [found] = await EmbeddedResearcher().judge(section(question), [page])
    return found


async def quotes(question: str, text: str) -> list[str]:
    return [one.quote for one in (await judge(question, text)).observations]


def finding(quote: str, day: datetime, publisher: str = "Choir Review") -> FindingText:
    url = f"https://choir.example/{day.year}"
    return FindingText(uuid4(), "Concerts", url, publisher, day, [FramedQuote("", quote)])


async def answer(question: str, *findings: FindingText, unnamed: frozenset[str] = frozenset()) -> str:
    coverage = Coverage(
        target=3, found=len(findings), read=3, research_mode="recent", since=NOW, until=NOW, unnamed=unnamed
    )
    about = section(question)
    return (await EmbeddedResearcher().answer(about, with_spots(about, findings), coverage)).questions[0].answer


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Which choirs moved concerts in the last 200 days, and why?", "Why (choirs moved concerts)?"),
        ("Which choirs moved concerts? How often?", "How often (choirs moved concerts)?"),
        ("Which choirs moved concerts, and how many singers have a cold?", "How many singers have a cold?"),
    ],
)
def test_a_second_question_without_a_word_of_its_own_keeps_the_subject(question: str, second: str) -> None:
    [found] = draft_plan(question, PlanContext(now=NOW)).definition.sections
    assert found.questions[1] == second


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("Which choirs moved concerts? Why? How often?", "How often (choirs moved concerts)?"),
        ("Welche Chöre wurden verlegt? Warum?", "Warum (chöre wurden verlegt)?"),
        ("Welche Chöre wurden verlegt? Warum? Wie oft?", "Wie oft (chöre wurden verlegt)?"),
    ],
)
def test_every_later_question_without_a_word_of_its_own_keeps_the_subject(question: str, last: str) -> None:
    [found] = draft_plan(question, PlanContext(now=NOW)).definition.sections
    assert found.questions[-1] == last


async def test_the_words_of_a_period_are_no_subject() -> None:
    question = "Which choirs moved concerts in the last 90 days?"
    assert (await judge(question, "Nobody sings here.")).lacks == {"choirs", "moved", "concerts"}
    assert "names" not in await answer(question, unnamed=frozenset({"90", "last"}))


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("Wie lange müssen die Chöre auf einen Saal warten?", "chöre saal warten"),
        ("Warum dürfen Chöre nicht in den Saal, und wer möchte das?", "chöre saal"),
        ("Was war in Bremen am lautesten?", "bremen lautesten"),
        ("Combien de temps les chorales doivent-elles attendre une salle ?", "chorales attendre salle"),
        ("¿Cuánto tiempo deben esperar los coros para una sala?", "esperar coros sala"),
        ("Hoe lang moeten de koren op een zaal wachten?", "koren zaal wachten"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de"])
async def test_the_words_that_ask_in_another_language_are_no_subject(question: str, lacks: str, language: str) -> None:
    assert (await judge(question, "Nobody sings.", language)).lacks == {*lacks.split()}


async def test_fillers_need_not_stand_in_an_answer_and_are_none() -> None:
    says = "Of all rehearsals 19 percent begin late."
    assert await quotes("Which figures were published about rehearsals?", says) == [says]
    assert await quotes("How often do tenors call the hall each day?", "Calls: a hall is cleaned 3 times a day.") == []


@pytest.mark.parametrize(
    ("company", "quoted"),
    [("Cantobox", []), ("Notenplan", ["Notenplan has 58 choirs as customers."])],
)
async def test_a_figure_of_another_company_is_no_answer(company: str, quoted: list[str]) -> None:
    text = "Choirs compare Notenplan and Cantobox. Notenplan has 58 choirs as customers."
    assert await quotes(f"How many choirs does {company} have as customers?", text) == quoted


async def test_one_word_that_means_two_of_the_question_counts_once() -> None:
    assert await quotes("How many veterinary practices use scales?", "A clinic has 12 rooms. Nobody knows why.") == []


async def test_a_page_in_another_language_does_not_lack_a_word_that_the_lists_do_not_have() -> None:
    question = "What share of conductors wants software for concerts?"
    german = "Von 130 Dirigenten wünschten sich 81 Prozent eine Software für ihre Concerts."
    found = await judge(question, german, "de")
    assert [one.quote for one in found.observations] == [german]
    assert "conductors" not in found.lacks
    english = await judge(question, "Of 130 singers 81 percent want software for their concerts.")
    assert "conductors" in english.lacks


async def test_an_older_figure_of_the_publisher_may_be_of_less() -> None:
    question = "How long does a full dress rehearsal of a mixed choir take with tablets that turn pages?"
    new = finding("With tablets that turn the pages a full dress rehearsal of a mixed choir takes 50 minutes.", LATER)
    old = finding("A full dress rehearsal of a mixed choir took 90 minutes.", datetime(2024, 3, 1, tzinfo=UTC))
    assert "An older figure: Choir Review reported on 2024-03-01" in await answer(question, old, new)
    other = finding(
        "A full dress rehearsal of a mixed choir took 90 minutes.", datetime(2026, 3, 1, tzinfo=UTC), "Tenor Times"
    )
    assert "older" not in await answer(question, other, new)


def test_german_words_for_how_often_are_figures() -> None:
    assert "frequency" in figures_in("Sie proben viermal am Tag.")
