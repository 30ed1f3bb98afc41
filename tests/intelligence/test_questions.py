"""What is asked about an idea: what its text lacks, and nothing that it says."""

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.phrases import Cues, plain
from sightline.intelligence.embedded.questions import lacking, rules

ask = embedded_engine().ask_questions

COMPLETE = (
    "As a sales manager I want to see the pipeline by region. Currently we keep it in a spreadsheet, updated weekly. "
    "Success: forecast error below 10 %. Only managers may see it. The risk is a wrong region."
)
WHO, TODAY, OFTEN, MEASURE, RULES, RISKS = "who", "today", "how_often", "measure", "rules", "risks"
EVERYTHING = {WHO, TODAY, OFTEN, MEASURE, RULES, RISKS}
CUES = [(point.point, cue, example) for point in rules().points for cue, example in point.said_by.items()]


def points(description: str) -> set[str]:
    """The points that a text lacks."""
    return {point.point for point in lacking(description)}


def test_each_cue_has_a_sentence_that_says_its_point() -> None:
    for point, cue, example in CUES:
        assert list(Cues({point: [cue]}).find(plain(example))), cue
        assert point not in points(example), cue


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("Scan two bins at once so that pickers do not wait.", {WHO}),
        ("Let mechanics add photos to an estimate.", {WHO}),
        ("The night shift likes a dark theme.", {WHO}),
        ("A calendar of holidays.", set()),
        ("Filters for folders and headers.", set()),
        ("Users want it.", set()),
        ("Dark mode.", set()),
        ("Bulk edit. Today there is a list in a spreadsheet.", {TODAY}),
        ("Bulk edit. Rows are retyped by hand.", {TODAY}),
        ("The clerks copy each line.", {TODAY, WHO}),
        ("It happens 30 times a day.", {OFTEN}),
        ("Every Friday the list is sent.", {OFTEN}),
        ("5 % of the orders are wrong.", {OFTEN}),
        ("Orders are open for sixty days.", set()),
        ("A search that answers within 2 seconds.", {MEASURE}),
        ("Errors below 10 %.", {MEASURE}),
        ("It is a success when calls halve.", {MEASURE}),
        ("A better and faster list.", set()),
        ("The policy asks for two signatures.", {RULES}),
        ("Prices are shown without tax.", {RULES}),
        ("Refunds, with the risk of paying twice.", {RISKS}),
        ("The wrong person gets the mail.", {RISKS}),
        (COMPLETE, EVERYTHING),
    ],
)
def test_a_text_lacks_what_it_does_not_say(description: str, said: set[str]) -> None:
    assert points(description) == EVERYTHING - said


def test_a_text_that_says_everything_is_not_asked_anything() -> None:
    assert ask(COMPLETE) == []


def test_questions_are_asked_in_the_order_of_the_file() -> None:
    assert ask("Dark mode.") == ask("Bulk edit.")
    assert [one.question for one in ask("Dark mode.")] == [point.question for point in rules().points[:3]]


def test_what_the_text_does_not_say_is_not_drafted() -> None:
    assert {asked.placeholder for asked in ask("Bulk edit. How should it undo?")} == {""}


def test_a_question_of_the_text_comes_first_with_the_sentence_that_answers_it() -> None:
    text = "Rows edited twice show a conflict dialog. How should a conflict of edited rows be handled? Undo."
    first = ask(text)[0]
    assert first.question == (
        "The description asks: “How should a conflict of edited rows be handled?” What is the answer?"
    )
    assert first.placeholder == (
        "The description says: “Rows edited twice show a conflict dialog.” (closest passage, not checked)"
    )


@pytest.mark.parametrize("begin", rules().own_questions.begin.items(), ids=lambda begin: begin[0])
def test_each_beginning_of_a_question_has_an_example(begin: tuple[str, str]) -> None:
    word, example = begin
    assert example.lower().startswith(f"{word} ")
    assert example in ask(f"Dark mode. {example}")[0].question


@pytest.mark.parametrize("text", ["Could you please add bulk edit?", "Export charts as PNG or SVG, maybe with undo."])
def test_requests_choices_and_hedges_are_not_repeated_as_questions(text: str) -> None:
    assert not any("description" in one.question for one in ask(text))


@pytest.mark.parametrize(
    "text",
    [
        "Wir brauchen eine Liste aller offenen Rechnungen, nach Datum sortiert, damit die Buchhaltung sie sieht.",
        "导出报表到Excel。",
    ],
)
def test_a_text_that_is_not_english_is_asked_nothing(text: str) -> None:
    assert ask(text) == []


@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 3, 50])
def test_there_are_never_more_than_asked_for_and_never_more_than_three(limit: int) -> None:
    text = "Where? How? What is it? Bulk edit."
    assert len(ask(text, limit)) == max(0, min(limit, 3))
    assert ask(text, limit) == ask(text)[: max(0, limit)]
