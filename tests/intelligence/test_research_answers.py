"""What the embedded engine takes for an answer: sentences, figures, names, and the order of dates."""

import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.embedded.research.names import stem_of_name
from sightline.intelligence.embedded.research.passages import figures_in
from sightline.intelligence.embedded.research.planning import draft_plan
from sightline.intelligence.embedded.research.terms import Asks, Lens, folded, same_words, weigh, wording
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Coverage, FindingText, FramedQuote, PlanContext
from sightline.sources.copies import is_copy
from sightline.sources.pages import Page
from tests.intelligence.spots import with_spots

NOW = datetime(2026, 11, 20, tzinfo=UTC)
LENSES = wording().lenses
NOTHING = PlanContext()


def section(question: str) -> PlanSection:
    return PlanSection(id=uuid4(), name="Market", type="market", objective=question, questions=[question], topic="x")


async def quotes(question: str, text: str, title: str = "Repairs") -> list[str]:
    """What a page is quoted with, in its order."""
    page = Page(url="https://trade.example/a", title=title, text=text, retrieved_at=NOW)
    [found] = await EmbeddedResearcher().judge(section(question), [page])
    return [one.quote for one in found.observations]


def finding(quote: str, year: int, publisher: str = "Trade Review", also_in: tuple[str, ...] = ()) -> FindingText:
    day = datetime(year, 3, 1, tzinfo=UTC)
    url = f"https://{publisher[:5].lower()}.example/{year}"
    return FindingText(uuid4(), "Late repairs", url, publisher, day, [FramedQuote("", quote)], also_in)


async def answer(
    question: str, *findings: FindingText, older: int = 0, read: int = 3, unnamed: frozenset[str] = frozenset()
) -> str:
    coverage = Coverage(
        target=3,
        found=len(findings),
        read=read,
        research_mode="recent",
        since=NOW,
        until=NOW,
        older=older,
        unnamed=unnamed,
    )
    about = section(question)
    return (await EmbeddedResearcher().answer(about, with_spots(about, findings), coverage)).questions[0].answer


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("German", "Wann und warum ist die Prüfung eines Krans Pflicht, und wer prüft ihn womit?"),
        ("French", "Quand et pourquoi la grue, combien et quelle grue?"),
        ("Spanish", "¿Cuándo, cómo y quién la grúa?"),
        ("Dutch", "Wie en waarom de kraan, en hoeveel?"),
    ],
)
def test_no_answer_has_to_name_the_word_that_asks(language: str, question: str) -> None:
    stems = {term.stem for term in weigh(question, [language])}
    assert stems <= {term.stem for term in weigh("prüfung kran krans pflicht prüft grue grúa kraan")}


@pytest.mark.parametrize("asked", ["Wie viel Prozent", "Wieviel Prozent", "Wie viele Prozent"])
async def test_a_question_for_percent_is_answered_with_a_share(asked: str) -> None:
    text = (
        "Im Mittel melden Baustellen 11 Tage wegen Wind. Nur 14 Prozent der Baustellen melden Windtage am selben Tag."
    )
    assert await quotes(f"{asked} der Baustellen melden Windtage?", text, "Windtage") == [text.partition(". ")[2]]


def test_other_words_for_the_same_are_found() -> None:
    for number, group in enumerate(same_words()):
        question, sentence = group.said
        assert any(number in term.keys for term in weigh(question)), question
        assert number in folded(sentence), sentence
        entries = group.words.split(", ")
        assert len(set(entries)) == len(entries)


@pytest.mark.parametrize("asks", wording().asks, ids=lambda one: one.figures[0])
def test_a_question_asks_for_the_figure_of_its_example(asks: Asks) -> None:
    [(question, sentence)] = asks.example.items()
    assert next(one for one in wording().asks if re.search(one.question, question.lower())) == asks
    assert figures_in(sentence) & set(asks.figures)


@pytest.mark.parametrize("lens", [one for one in LENSES if one.cues], ids=lambda one: one.name)
def test_a_lens_gets_a_section(lens: Lens) -> None:
    for cue in re.sub(r"\?|\\w\*", "", lens.cues.removeprefix(r"(?i)\b(?:").removesuffix(r")\b")).split("|"):
        [found] = draft_plan(f"What about the {cue} of bikes?", NOTHING).definition.sections
        assert (found.name, found.objective) == (lens.name, lens.objective)


LATE = "How many repairs are late?"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("# Late repairs: 9 percent\n\nOf all repairs 9 percent are late.", ["Of all repairs 9 percent are late."]),
        ("Late repairs in 12 shops\n\nOf all repairs 9 percent are late.", ["Of all repairs 9 percent are late."]),
        ("Of all repairs\n9 percent are late.\n\nMore soon.", ["Of all repairs\n9 percent are late."]),
        (
            "Clerks count what the owners have told them, so we asked customers\nand found that of all repairs "
            "9 percent are late\nin the towns.",
            [
                "Clerks count what the owners have told them, so we asked customers\nand found that of all repairs "
                "9 percent are late\nin the towns."
            ],
        ),
        ("- **Late repairs:** 9 percent", ["**Late repairs:** 9 percent"]),
        ("Late repairs were counted at all shops of the town. They came to 9 a day.", ["They came to 9 a day."]),
        ("| repairs | late |\n|---|---|\n| 9 percent | late |\n\nNothing else.", []),
        ("9 % of repairs are late.", ["9 % of repairs are late."]),
        ("Late repairs are a shame for everybody who waits.", []),
        ("In 2025 repairs were late, as everybody knows.", []),
    ],
    ids=[
        "heading",
        "heading without mark",
        "wrapped",
        "wrapped without empty lines",
        "emphasis",
        "said of the sentence before",
        "table",
        "short",
        "no figure",
        "a year is no figure",
    ],
)
async def test_sentences_with_the_figure_are_quoted(text: str, quoted: list[str]) -> None:
    assert await quotes(LATE, text, "Late repairs") == quoted


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What do shops rely on to order tubes?", "64 percent of shops send their orders for tubes by e-mail."),
        ("How much do laboratories spend on couriers?", "A lab of ten spends 1,900 euros a month on couriers."),
    ],
)
async def test_ordinary_words_of_the_question_may_be_missing(question: str, said: str) -> None:
    assert await quotes(question, f"{said} Nobody knows why.", "What shops told us") == [said]


async def test_a_second_passage_of_the_source_is_quoted_and_no_contradiction() -> None:
    said = ["Late repairs take 40 minutes on weekdays.", "Late repairs take 55 minutes on Saturdays."]
    found = finding(" ".join(said), 2026)._replace(observations=[FramedQuote("", one) for one in said])
    answered = await answer("How long do late repairs take?", found)
    assert answered == f"Trade Review reported on 2026-03-01: “{said[0]}” It adds: “{said[1]}”"


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        (
            "How cold is the refrigerator?",
            "# Shops\n\n## Fridges\n\nOn average 9 degrees were measured. Nobody knew.\n",
            ["On average 9 degrees were measured."],
        ),
        (
            "Why do dishwashers fail?",
            "Warewashers in canteens often fail.\nThe cause is scale.",
            ["Warewashers in canteens often fail.", "The cause is scale."],
        ),
        (
            "Wie lange dauert eine Reparatur?",
            "Eine Reparatur braucht 40 Minuten.",
            ["Eine Reparatur braucht 40 Minuten."],
        ),
        ("How long does a repair take?", "Eine Reparatur braucht 40 Minuten.", ["Eine Reparatur braucht 40 Minuten."]),
        ("What share of repairs is done by robots?", "Of all repairs 9 percent are done at night.", []),
        ("How many shops repair locks?", "Shops repair locks, and 40 people wait.", []),
        (
            "How common are repairs of locks?",
            "Years ago 4 percent of repairs were of locks, and now 9 percent of repairs are of locks. It is a lock.",
            ["Years ago 4 percent of repairs were of locks, and now 9 percent of repairs are of locks."],
        ),
    ],
    ids=[
        "heading above",
        "cause",
        "German",
        "German for an English question",
        "nobody names the subject",
        "other things are counted",
        "today and before",
    ],
)
async def test_other_words_and_the_heading_count(question: str, text: str, quoted: list[str]) -> None:
    assert await quotes(question, text, "Notes") == quoted


async def test_only_pages_that_name_the_place_count() -> None:
    says = "Of all repairs 9 percent are late, shops say."
    asked = "How many repairs in Germany are late?"
    assert await quotes(asked, f"{says} The German trade is worried.") == [says]
    assert await quotes(asked, f"{says} The Dutch trade is worried.") == []


@pytest.mark.parametrize(
    ("place", "people"), [("Europe", "European"), ("Germany", "German"), ("Italy", "Italian"), ("Finland", "Finnish")]
)
def test_a_place_and_its_people_have_one_stem(place: str, people: str) -> None:
    assert stem_of_name(place)[:3] == stem_of_name(people)[:3]


async def test_the_newest_comes_first_and_an_older_figure_says_its_date() -> None:
    old, new = finding("Of all repairs 12 percent are late.", 2022), finding("Of all repairs 9 percent are late.", 2025)
    assert await answer(LATE, old, new) == (
        "Trade Review reported on 2025-03-01: “Of all repairs 9 percent are late.”"
        " An older figure: Trade Review reported on 2022-03-01: “Of all repairs 12 percent are late.”"
    )


async def test_a_figure_of_something_else_is_no_older_one_and_no_contradiction() -> None:
    late = finding("Of all repairs 12 percent are late.", 2022)
    new = finding("At the shops 9 percent of repairs are new.", 2025)
    said = await answer("How many repairs are late at shops?", late, new)
    assert "Also, Trade Review reported on " in said
    assert "older figure" not in said
    assert "differ" not in said


async def test_contradicting_figures_stand_side_by_side() -> None:
    one = finding("Of all repairs 12 percent are late.", 2025, "Bike Economy")
    other = finding("Of all repairs 9 percent are late.", 2025)
    assert await answer(LATE, one, other) == (
        "The sources differ. Bike Economy reported on 2025-03-01: “Of all repairs 12 percent are late.”"
        " In contrast, Trade Review reported on 2025-03-01: “Of all repairs 9 percent are late.”"
    )


@pytest.mark.parametrize("asked", ["How do shops keep repairs from being late?", "How long are repairs late?"])
async def test_figures_that_nobody_asks_for_are_no_contradiction(asked: str) -> None:
    one = finding("Late repairs at shops are kept on paper for 2 years, and 9 percent are late.", 2025, "Bike Economy")
    other = finding("Late repairs at shops cost 40 pounds, and 12 percent are late.", 2025)
    said = await answer(asked, one, other)
    assert said.startswith("Bike Economy reported on 2025-03-01: “")
    assert "differ" not in said
    assert "In contrast" not in said


async def test_a_question_for_a_rate_gets_contradicting_rates() -> None:
    one = finding("Of all repairs 12 percent are late.", 2025, "Bike Economy")
    other = finding("Of all repairs 9 percent are late.", 2025)
    assert (await answer("What is the rate of late repairs?", one, other)).startswith("The sources differ. ")


async def test_a_copy_is_named_where_the_text_is_quoted() -> None:
    said = await answer(LATE, finding("Of all repairs 9 percent are late.", 2025, also_in=("Wire", "Digest")))
    assert said == "Trade Review reported on 2025-03-01 (also in Wire, Digest): “Of all repairs 9 percent are late.”"


async def test_a_quote_that_a_digest_repeats_is_said_once() -> None:
    digest = finding("Of all repairs 9 percent are late.", 2026, "Digest")
    said = await answer(LATE, digest, finding("Of all repairs 9 percent are late.", 2025))
    assert said == "Trade Review reported on 2025-03-01 (also in Digest): “Of all repairs 9 percent are late.”"


@pytest.mark.parametrize(
    ("older", "read", "why"),
    [
        (0, 0, "No source was found for it."),
        (0, 1, "1 page read, and none of them says it."),
        (2, 3, "2 older sources lie outside the window; research without a window takes older sources too"),
    ],
)
async def test_nothing_found_says_why(older: int, read: int, why: str) -> None:
    said = await answer(LATE, older=older, read=read)
    assert said.startswith("No finding answers this. ")
    assert why in said


async def test_what_no_page_names_is_not_answered() -> None:
    said = await answer("How many folding bikes are late?", finding("Of all bikes 9 percent are late.", 2025),
                        unnamed=frozenset({"folding"}))  # fmt: skip
    assert said == "No finding answers this. No source that was read names “folding”."
    said = await answer("How many bikes are late in Oslo?", finding("Of all bikes 9 percent are late.", 2025),
                        unnamed=frozenset({"oslo"}))  # fmt: skip
    assert said.endswith("names “Oslo”.")


async def test_pages_may_use_other_words_than_a_question_of_which_they_lack_several() -> None:
    said = "Of all repairs 9 percent are late."
    missing = frozenset({"folding", "overdue"})
    assert said in await answer("How many repairs of folding bikes are overdue?", finding(said, 2025), unnamed=missing)


async def test_the_page_about_the_question_comes_before_one_that_names_it() -> None:
    wanted = section("How many repairs are late?")
    about = "Many repairs are late in the winter months. Of all repairs 9 percent are late."
    names = "Many shops sell warm tea in the winter months. Of all repairs 9 percent are late."
    texts = {"about": about, "names": names}
    pages = [
        Page(url=f"https://{of}.example/", title="Notes", text=text, retrieved_at=NOW) for of, text in texts.items()
    ]
    by_name = dict(zip(texts, await EmbeddedResearcher().judge(wanted, pages), strict=True))
    assert by_name["about"].fits > by_name["names"].fits


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        ("What does a BX-500 cost?", "A BX-400 costs £48,500.", []),
        ("What does a BX-500 cost?", "A BX-500 costs £900.", ["A BX-500 costs £900."]),
        (
            "How many tubes do shops lose?",
            "The number of tubes that shops lose fell to 9.",
            ["The number of tubes that shops lose fell to 9."],
        ),
        ("What share of shops lends tubes?", "Shops lend tubes of makers. Of makers 9 percent are late.", []),
        ("How many tubes do shops throw away?", "Shops threw away 12 tubes.", ["Shops threw away 12 tubes."]),
        ("How long does a repair take?", "A repair takes 1 h 35 min", ["A repair takes 1 h 35 min"]),
    ],
)
async def test_models_verbs_and_units_are_told_apart(question: str, text: str, quoted: list[str]) -> None:
    assert await quotes(question, text) == quoted


async def test_a_later_figure_of_the_same_publisher_comes_first_in_other_words() -> None:
    earlier = finding("Shops lose 40 tubes a week.", 2023)
    later = finding("Shops lose 25 tubes now.", 2026)
    said = await answer("How many tubes do shops lose?", earlier, later)
    assert said.startswith("Trade Review reported on 2026-03-01")


def test_half_of_a_text_is_a_copy_of_it() -> None:
    text = " ".join(f"This is the sentence with the number {number} of the article." for number in range(20))
    assert is_copy(text, f"Seen elsewhere. {text[: len(text) // 2]}")
    assert not is_copy(text, text.replace("sentence", "line").replace("article", "page"))
    assert not is_copy("A short note on late repairs.", "A short note on late repairs, again.")
