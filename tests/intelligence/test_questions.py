"""What is asked about an idea: what its text leaves open, and nothing that it says."""

import pytest

from sightline.intelligence.embedded import embedded_engine

ask = embedded_engine().ask_questions

COMPLETE = (
    "As a sales manager I want to see the pipeline by region. Currently we keep it in a spreadsheet, updated weekly. "
    "Success: forecast error below 10 %. Deadline is Q3."
)


def questions(description: str) -> str:
    return "\n".join(asked.question for asked in ask(description))


def test_a_text_that_says_everything_is_not_asked_anything() -> None:
    assert ask(COMPLETE) == []


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("Accountants need it.", "who is affected"),
        ("Today they use Excel.", "what do people do today"),
        ("It happens 30 times a day.", "how often"),
        ("It should reduce churn.", "by which figure"),
        ("It is needed before the audit in March.", "by when"),
    ],
)
def test_a_point_that_the_text_answers_is_not_asked(sentence: str, asked: str) -> None:
    bare = "A calendar of holidays per country."
    assert asked in questions(bare)
    assert asked not in questions(f"{bare} {sentence}")


def test_questions_name_what_the_text_is_about() -> None:
    assert "“Bulk edit”: what do people do today instead?" in questions("# Bulk edit\n\nOf rows.")


def test_a_word_that_comes_near_is_asked_about_and_its_sentence_is_the_draft() -> None:
    drafted = {asked.question: asked.placeholder for asked in ask("Bulk edit.\nCustomers often lose rows.")}
    question = "The description says “often”: how many times a week is that, and for how many people?"
    assert drafted[question] == "The description only says: “Customers often lose rows.”"


def test_what_the_text_does_not_say_is_not_drafted() -> None:
    placeholders = {asked.placeholder for asked in ask("Bulk edit.")}
    assert "The description does not say who is affected." in placeholders


def test_open_questions_of_the_text_come_first_with_the_closest_sentence() -> None:
    text = "Rows edited twice show a conflict dialog. How should a conflict of edited rows be handled? Undo."
    first = ask(text)[0]
    assert first.question == (
        "The description asks: “How should a conflict of edited rows be handled?” What is the answer?"
    )
    assert first.placeholder == "The description comes closest with: “Rows edited twice show a conflict dialog.”"


@pytest.mark.parametrize("hedge", ["Maybe also per user.", "The colour is TBD.", "Not sure about tablets."])
def test_what_the_text_is_unsure_of_is_asked(hedge: str) -> None:
    assert ask(f"Dark mode. {hedge}")[0].question == f"The description is not sure: “{hedge}” What has been decided?"


def test_a_choice_is_asked_about() -> None:
    assert ask("Export charts as PNG or SVG.")[0].question == (
        "“PNG or SVG”: is one of them enough, and which comes first?"
    )


def test_a_request_in_the_form_of_a_question_is_no_open_question() -> None:
    assert "asks:" not in questions("Could you please add bulk edit?")


def test_different_ideas_get_different_questions() -> None:
    assert ask("Bulk edit for admins, maybe with undo.") != ask("Customers often lose rows.")


@pytest.mark.parametrize("limit", [-1, 0, 1, 3, 5, 50])
def test_there_are_never_more_than_asked_for_and_never_more_than_five(limit: int) -> None:
    text = "Maybe A or B? Why? How? What is it? Bulk edit."
    assert len(ask(text, limit)) == max(0, min(limit, 5))
    assert ask(text, limit) == ask(text)[: max(0, limit)]
