"""The embedded planner: sections, questions, competitors and dates from the wording of a question."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.embedded.research.planning import draft_plan
from sightline.intelligence.plans import Name, PlanDefinition, PlanSection
from sightline.intelligence.research import PlanContext, ProductText, ResearchPlan

BENCH, FLEET = (UUID(int=number) for number in (1, 2))
CONTEXT = PlanContext(
    workspace="Fennmark",
    products=(
        ProductText(BENCH, "Fennmark Bench", ("Job board", "Estimates", "Parts stock")),
        ProductText(FLEET, "Fennmark Fleet", ("Reservations", "Deposit holds", "Lock codes")),
    ),
    evidence=(
        "We switched from Ravelo Works because of the stock.",
        "Compared to Ravelo Works and Spindlebay the counter is slow.",
        "Torvane Cycles moved to Fennmark Bench last year.",
        "They used API keys and Monday reports instead.",
    ),
    customers=("Torvane Cycles",),
    now=datetime(2026, 11, 20, tzinfo=UTC),
)
NOTHING = PlanContext()


def plan(question: str, context: PlanContext = CONTEXT) -> ResearchPlan:
    return draft_plan(question, context)


def sections(question: str, context: PlanContext = CONTEXT) -> list[PlanSection]:
    return plan(question, context).definition.sections


def competitors(question: str, context: PlanContext = CONTEXT) -> list[str]:
    return [one.name for section in sections(question, context) for one in section.competitors]


async def test_a_question_gets_three_sources_per_section_and_a_reason() -> None:
    found = await EmbeddedResearcher().plan("How do workshops ask for the approval of estimates?", CONTEXT)
    assert found.definition.max_sources_per_section == 3
    assert [section.type for section in found.definition.sections] == ["market"]
    assert found.definition.sections[0].questions == ["How do workshops ask for the approval of estimates?"]
    assert found.definition.sections[0].topic == "workshops ask approval estimates"
    assert "Market" in found.rationale
    assert "\n" not in found.rationale


def test_a_topic_keeps_signs_and_units_of_measures() -> None:
    assert sections("Do scanners work at -30°C and 95 % humidity?")[0].topic == "scanners -30°C 95 % humidity"


def test_questions_joined_by_and_become_several() -> None:
    asked = "Which parts are late, and how do workshops keep stock? Why do customers wait?"
    assert sections(asked)[0].questions == [
        "Which parts are late?",
        "How do workshops keep stock?",
        "Why do customers wait?",
    ]


def test_no_more_than_five_questions() -> None:
    asked = " ".join(f"How do shops handle the thing number {n}?" for n in range(9))
    assert [len(section.questions) for section in sections(asked)] == [5]


def test_competitors_are_named_in_the_question() -> None:
    asked = "What do Gearmoor and Kettensteg Flotte offer for lock codes, and how do fleets use them?"
    found = sections(asked)
    assert [section.type for section in found] == ["competitors", "market"]
    assert [one.name for one in found[0].competitors][:2] == ["Gearmoor", "Kettensteg Flotte"]
    assert found[0].questions == ["What do Gearmoor and Kettensteg Flotte offer for lock codes?"]
    assert found[1].questions == ["How do fleets use them (lock codes)?"]


def test_competitors_come_from_evidence_the_most_named_first() -> None:
    assert competitors("How do competitors handle deposits?") == ["Ravelo Works", "Spindlebay"]


def test_competitors_of_the_evidence_are_suggested_even_if_nobody_asks_for_them() -> None:
    found = plan("How do riders pay deposits?")
    assert [one.name for one in found.suggested_competitors] == ["Ravelo Works", "Spindlebay"]
    assert [section.type for section in found.definition.sections] == ["market"]
    assert "Ravelo Works, Spindlebay" in found.rationale


def test_own_names_and_customers_are_no_competitors() -> None:
    assert competitors("How does Fennmark Bench compare to Torvane Cycles and Gearmoor?")[0] == "Gearmoor"
    assert "Torvane Cycles" not in competitors("How does Fennmark Bench compare to Torvane Cycles and Gearmoor?")
    assert "Fennmark Bench" not in competitors("How do competitors of Fennmark Bench handle estimates?")


def test_no_name_is_invented() -> None:
    found = plan("Who are our competitors for estimates?", NOTHING)
    assert [section.type for section in found.definition.sections] == ["market"]
    assert found.suggested_competitors == ()
    assert "No competitor is named" in found.rationale


@pytest.mark.parametrize(
    "question",
    ["Wie holen Werkstätten die Freigabe für einen Kostenvoranschlag?", "How do API and PDF exports work?",
     "HOW DO SHOPS ASK FOR APPROVAL?", "What changed in March and on Monday?", "How do shops in Norway pay?"],
)  # fmt: skip
def test_words_with_capitals_that_are_no_names(question: str) -> None:
    assert competitors(question, NOTHING) == []


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What do workshop systems cost?", "Prices and packages"),
        ("Which regulations apply to batteries?", "Rules and deadlines"),
        ("What do riders complain about?", "Public feedback"),
    ],
)
def test_some_words_ask_for_a_section_of_their_own(question: str, name: str) -> None:
    (section,) = sections(question)
    assert (section.type, section.name, section.questions[0]) == ("custom", name, question)
    assert len(section.questions) == 1


@pytest.mark.parametrize(
    ("question", "mode", "days"),
    [
        ("What changed for workshops?", "baseline", 30),
        ("What changed in the last week?", "recent", 7),
        ("What changed in the past 10 days?", "recent", 10),
        ("What changed in the last two months?", "recent", 60),
        ("What changed in the last quarter?", "recent", 90),
        ("What changed in the last 91 days?", "baseline", 90),
        ("What changed in the last year?", "baseline", 90),
        ("What is the history of workshop systems?", "baseline", 30),
        ("What changed since 2026-11-06?", "recent", 14),
        ("What changed since 6 November 2026?", "recent", 14),
        ("What changed since 2024?", "baseline", 90),
        ("What changed in 2025?", "baseline", 90),
        ("What changed from March 2025 to May 2025?", "baseline", 90),
        ("What changed since 2031?", "baseline", 30),
        ("What changed in the last 0 days?", "recent", 1),
    ],
)
def test_spans_of_time(question: str, mode: str, days: int) -> None:
    definition = plan(question).definition
    assert (definition.research_mode, definition.initial_lookback_days) == (mode, days)


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("What changed in the last week?", "published in the last 7 days."),
        ("What changed in 2025?", "of the period that it names (in 2025), undated ones left out."),
        ("What changed?", "of any age, undated ones included, and the newest counts first."),
    ],
)
def test_the_reason_names_the_period(question: str, dated: str) -> None:
    assert dated in plan(question).rationale


def test_a_question_that_refers_to_the_one_before_keeps_its_subject() -> None:
    asked = "How common is online booking, and how is that in Germany?"
    assert sections(asked)[0].questions == ["How common is online booking?", "How is that in Germany (online booking)?"]
    cost, _ = sections("How many deliveries are late, and what does it cost to sort one out?")
    assert cost.questions == ["What does it cost to sort one out (deliveries late)?"]


def test_sources_in_the_languages_of_customers_count() -> None:
    german = (
        "Die Leser am Eingang sind zu langsam, und wir stehen jeden Abend mit den Gästen im Regen vor der Tür. Es eilt."
    )
    english = "The scanner is slow again and we all stand in the rain."
    one_in_ten = PlanContext(evidence=(german, *(english,) * 9))
    one_in_thirty = PlanContext(evidence=(german, *(english,) * 29))
    assert sections("How fast are scanners?", one_in_ten)[0].scope.languages == ["English", "German"]
    assert sections("How fast are scanners?", one_in_thirty)[0].scope.languages == ["English"]
    assert sections("How fast are scanners in French sources?", one_in_ten)[0].scope.languages == ["French"]


def test_two_things_are_asked_for_in_two_questions() -> None:
    asked = "How well do shops keep their bikes and their tools?"
    assert sections(asked)[0].questions == [
        "How well do shops keep their bikes?",
        "How well do shops keep their tools?",
    ]
    between = "What is the difference between the old rules and the new rules?"
    assert sections(between)[0].questions == [between]


USES = PlanContext(
    evidence=(
        "The Wi-Fi at the gate is slow. Our Wi-Fi is down.",
        "Zebra's scanners are heavy. The printer is from Honeywell.",
    )
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How reliable is Wi-Fi at entrances?", []),
        ("How do museums without Wi-Fi scan tickets of Zebra and Honeywell?", ["Zebra", "Honeywell"]),
        ("Which scanners do Zebra and Honeywell sell to museums?", ["Zebra", "Honeywell"]),
        ("How do museums pay for Zebra scanners?", ["Zebra"]),
    ],
)
def test_the_evidence_tells_companies_from_things(question: str, names: list[str]) -> None:
    found = competitors(question, USES)
    assert found[: len(names)] == names
    assert "Wi-Fi" not in found


def test_without_evidence_the_question_tells_companies_from_things() -> None:
    assert competitors("How reliable is Wi-Fi at entrances?", NOTHING) == []
    assert competitors("How do scanners from Zebra and Honeywell differ?", NOTHING) == ["Zebra", "Honeywell"]


@pytest.mark.parametrize(("things", "names"), [(19, ["Zebra"]), (20, [])])
def test_twenty_names_of_a_question_are_looked_for(things: int, names: list[str]) -> None:
    question = f"How do we use {' and '.join(f'the Thing{n}' for n in range(things))} and Zebra?"
    assert competitors(question, PlanContext(evidence=("Scanners come from Zebra.",))) == names


@pytest.mark.parametrize(("things", "names"), [(49, ["Zebra"]), (50, [])])
def test_a_name_is_looked_for_in_the_first_hundred_texts_that_have_it(things: int, names: list[str]) -> None:
    thing, company = ("They saw the Zebra.",), ("Scanners come from Zebra.",)
    evidence = (*("No name.",) * 200, *thing * things, *company * (100 - things), *company * 100)
    assert competitors("How do museums pay for Zebra scanners?", PlanContext(evidence=evidence)) == names


@pytest.mark.parametrize(
    ("question", "product"),
    [
        ("What do people say about Fennmark Fleet?", str(FLEET)),
        ("How do others release deposit holds?", str(FLEET)),
        ("How do shops count parts stock?", str(BENCH)),
        ("What do museums exhibit this winter?", ""),
    ],
)
def test_the_product_that_a_question_is_about(question: str, product: str) -> None:
    assert plan(question).definition.product_id == product


def test_place_and_languages() -> None:
    scope = sections("How do workshops in Norway ask for approval? Norwegian and German sources.")[0].scope
    assert (scope.geography, scope.languages) == ("Norway", ["Norwegian", "German"])
    plain = sections("How do workshops ask for approval?")[0].scope
    assert (plain.geography, plain.languages) == ("", ["English"])
    abroad = sections("Which rules of the EU apply to scanners in Portuguese sources?")[0]
    assert abroad.topic == "eu scanners portuguese"  # although "eu" is a small word of Portuguese


def checked(found: ResearchPlan) -> PlanDefinition:
    """The plan as somebody reads it: every bound is checked."""
    definition = msgspec.json.decode(msgspec.json.encode(found.definition), type=PlanDefinition)
    msgspec.convert(found.name, type=Name)
    for section in definition.sections:
        assert bool(section.competitors) is (section.type == "competitors")
        assert section.topic or section.type != "market"
    assert len({section.id for section in definition.sections}) == len(definition.sections)
    return definition


HARD: list[Any] = [
    "????????",
    ",,,,,,,,",
    "; , ; , ;",
    "- - - - - - - -",
    "a" * 3_000,
    "A b " * 750,
    "Ab, " * 750,
    "vs " * 1_000,
    "What do " + " and ".join(f"Name{n} Works{n} Shop{n}" for n in range(120)) + " charge?",
    "compared to " + "A" * 2_900,
    "Is it? " * 400,
    "日本の自転車店は見積もりをどう承認しますか",
    "How \0 do \ud800 shops work?",
    "{topic} {0} {} %s how do shops work?",
    "What do rivals, reviews, laws and prices say about Ravelo, Gearmoor and Spindlebay in Norway last year?",
]


@pytest.mark.parametrize("question", HARD, ids=range(len(HARD)))
def test_any_question_gives_a_valid_plan(question: str) -> None:
    checked(plan(question.encode(errors="replace").decode()))


@settings(deadline=None)
@given(st.text(min_size=8, max_size=300))
def test_any_text_gives_a_valid_plan(question: str) -> None:
    checked(plan(question.encode(errors="replace").decode()))


@pytest.mark.parametrize(
    ("question", "objective"),
    [
        ("How do shops ask for approval?", "Find out how shops ask for approval."),
        ("Which parts are late, and why do shops wait?", "Find out which parts are late and why shops wait."),
        ("How many riders do fleets have?", "Find out how many riders fleets have."),
        ("What is the biggest worry of fleets?", "Find out what the biggest worry of fleets is."),
        ("Do workshops keep stock?", "Find out whether workshops keep stock."),
        ("How does a fleet keep keys?", "Answer “How does a fleet keep keys?” from public sources."),
        ("How can fleets stop theft?", "Answer “How can fleets stop theft?” from public sources."),
        ("HOW DO SHOPS ASK FOR APPROVAL?", "Answer “HOW DO SHOPS ASK FOR APPROVAL?” from public sources."),
        ("Wie zahlen Kunden ihr Rad?", "Answer “Wie zahlen Kunden ihr Rad?” from public sources."),
        ("Compare the stock of shops.", "Find sources for: Compare the stock of shops."),
    ],
)
def test_an_objective_says_the_question_in_a_sentence(question: str, objective: str) -> None:
    assert sections(question, NOTHING)[0].objective == objective


def test_competitors_that_the_question_does_not_name_stand_in_the_objective() -> None:
    [found] = sections("How do competitors handle deposits?")
    assert found.objective == "Find out how competitors handle deposits (Ravelo Works, Spindlebay)."


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How long does a remote fitting session take?", "How long does a remote fitting session take"),
        ("Which software does a salon use?", "Which software does a salon use"),
        ("Please find out what salons pay for software.", "What salons pay for software"),
    ],
)
def test_a_question_keeps_its_words_in_the_name(question: str, name: str) -> None:
    assert plan(question).name == name


def test_a_plan_has_its_name_and_its_reason_in_sentences() -> None:
    found = plan("How do competitors of Fennmark Fleet handle deposits in the last week?")
    assert found.name == "How competitors of Fennmark Fleet handle deposits in the last week"
    assert found.rationale == (
        "The words of the question ask for one section: Competitors. It looks for 3 sources published in the last 7"
        " days. It seems to be about Fennmark Fleet. The question or your evidence names these competitors: Ravelo"
        " Works, Spindlebay. The embedded engine drafted this plan from words, so review it before you start it."
    )


@pytest.mark.parametrize(
    ("question", "languages"),
    [
        ("Wie oft fallen Kassen in Bäckereien aus?", ["German", "English"]),
        ("Was kostet die Reparatur einer Uhr?", ["German", "English"]),
        ("Combien coûte une consultation pour un chien ?", ["French", "English"]),
        ("What do watch repairs cost?", ["English"]),
    ],
)
def test_a_question_is_researched_in_its_own_language_too(question: str, languages: list[str]) -> None:
    assert {tuple(one.scope.languages) for one in sections(question)} == {tuple(languages)}


@pytest.mark.parametrize("question", ["What does Zebra charge?", "What does Ravelo offer?"])
def test_a_short_question_keeps_the_company_that_it_names(question: str) -> None:
    assert competitors(question, NOTHING) == [question.split()[2]]
