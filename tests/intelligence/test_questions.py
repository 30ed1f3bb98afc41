"""What is asked about an idea: what its text leaves open, and nothing that it says."""

import pytest

from sightline.intelligence.embedded import embedded_engine

ask = embedded_engine().ask_questions

COMPLETE = (
    "As a sales manager I want to see the pipeline by region. Currently we keep it in a spreadsheet, updated weekly. "
    "Success: forecast error below 10 %. Deadline is Q3. The risk is a wrong region."
)
WHO, TODAY, OFTEN, MEASURE, RULES, RISK = "who", "today", "how often", "measure", "rules", "risk"
ASKED_BY = {
    WHO: ("who is affected", "which of them exactly"),
    TODAY: ("what do people do today", "what exactly do people do instead"),
    OFTEN: ("how often", "how many times"),
    MEASURE: ("by which figure",),
    RULES: ("by when",),
    RISK: ("what could go wrong",),
}


def questions(description: str) -> str:
    return "\n".join(asked.question for asked in ask(description))


def points(description: str) -> set[str]:
    """The points that are asked about."""
    asked = questions(description).lower()
    return {point for point, marks in ASKED_BY.items() if any(mark in asked for mark in marks)}


@pytest.mark.parametrize(
    ("description", "asked", "not_asked"),
    [
        ("Scan two bins at once so that pickers do not wait.", {TODAY, OFTEN, MEASURE, RULES}, {WHO}),
        ("As a planner, I want two calendars side by side.", {TODAY, OFTEN, MEASURE, RULES}, {WHO}),
        ("Let mechanics add photos to an estimate.", {TODAY, OFTEN, MEASURE}, {WHO}),
        ("Dispatchers call each driver.", {OFTEN, MEASURE, RULES}, {WHO}),
        ("The night shift needs a dark theme.", {TODAY, OFTEN}, {WHO}),
        ("Our librarians search by shelf.", {TODAY, OFTEN}, {WHO}),
        ("Owls wait at the counter for a printed receipt.", {TODAY, OFTEN}, {WHO}),
        ("A calendar of holidays per country.", {WHO, TODAY, OFTEN, MEASURE, RULES}, set()),
        ("Filters for folders and headers.", {WHO}, set()),
        ("Sensors and printers send numbers to servers.", {WHO}, set()),
        ("Users want it.", {WHO}, set()),
        ("Dark mode.", {WHO, TODAY, OFTEN, MEASURE, RULES}, {RISK}),
        ("Bulk edit. Today we keep a list in a spreadsheet.", {WHO, OFTEN}, {TODAY}),
        ("Bulk edit. Rows are retyped by hand.", {WHO, OFTEN}, {TODAY}),
        ("Stock counts are written on paper.", {WHO, OFTEN}, {TODAY}),
        ("For now we print the plan.", {WHO, OFTEN}, {TODAY}),
        ("The export is broken.", {WHO, TODAY, OFTEN}, set()),
        ("It happens 30 times a day.", {WHO, TODAY}, {OFTEN}),
        ("Every Friday the list is sent.", {WHO, TODAY}, {OFTEN}),
        ("Forty customers a week ask for it.", {TODAY}, {OFTEN}),
        ("5 % of the orders are wrong.", {WHO, TODAY}, {OFTEN}),
        ("Two orders per hour get lost.", {TODAY}, {OFTEN}),
        ("The list is closed at month end.", {WHO, TODAY}, {OFTEN}),
        ("It often fails.", {WHO, TODAY, OFTEN}, set()),
        ("Reduce the returns of wrong parts.", {WHO, TODAY, OFTEN}, {MEASURE}),
        ("A search that answers within 2 seconds.", {WHO, TODAY}, {MEASURE}),
        ("Errors below 10 %.", {WHO, TODAY}, {MEASURE}),
        ("Success is half the waiting time.", {WHO}, {MEASURE}),
        ("A better and faster list.", {WHO, MEASURE}, set()),
        ("It is needed before the audit in March.", {WHO, TODAY, OFTEN}, {RULES}),
        ("By Friday, for the renewal.", {WHO, TODAY}, {RULES}),
        ("Names must not leave the country.", {WHO, TODAY}, {RULES}),
        ("The policy asks for two signatures.", {WHO, TODAY}, {RULES}),
        ("Merge two records and delete the older one.", {WHO, TODAY, OFTEN, RISK}, set()),
        ("Send refunds automatically, without the risk of paying twice.", {WHO, TODAY}, {RISK}),
        ("Orders are closed automatically. Somebody may close one by mistake.", {WHO}, {RISK}),
        ("Show passwords in the profile.", {WHO, RISK}, set()),
        (COMPLETE, set(), {WHO, TODAY, OFTEN, MEASURE, RULES, RISK}),
    ],
)
def test_what_the_text_lacks_is_asked_and_what_it_says_is_not(
    description: str, asked: set[str], not_asked: set[str]
) -> None:
    found = points(description)
    assert asked <= found
    assert not found & not_asked


def test_a_text_that_says_everything_is_not_asked_anything() -> None:
    assert ask(COMPLETE) == []


def test_what_the_text_only_comes_close_to_is_asked_before_what_it_does_not_mention() -> None:
    asked = [one.question for one in ask("Bulk edit.\nIt often fails. Delete rows.")]
    assert asked[:3] == [
        "The description says “fails”: what exactly do people do instead, and what does it cost them?",
        "The description says “often”: how many times a week is that, and for how many people?",
        "The description says “delete”: what could go wrong with that, and can it be undone?",
    ]
    assert asked[3] == "“Bulk edit”: who is affected, and who is not?"


def test_questions_name_what_the_text_is_about() -> None:
    assert "“Bulk edit”: what do people do today instead?" in questions("# Bulk edit\n\nOf rows.")


def test_a_word_that_comes_near_is_asked_about_and_its_sentence_is_the_draft() -> None:
    drafted = {asked.question: asked.placeholder for asked in ask("Bulk edit.\nCustomers often lose rows.")}
    question = "The description says “often”: how many times a week is that, and for how many people?"
    assert drafted[question] == "The description says: “Customers often lose rows.” (closest passage, not checked)"


def test_a_draft_quotes_at_most_the_two_closest_passages() -> None:
    [draft] = [
        one.placeholder for one in ask("Users wait.\nEach user pays.\nNew users too.") if "which of" in one.question
    ]
    assert draft == "The description says: “Users wait.” “Each user pays.” (closest passage, not checked)"


def test_what_the_text_does_not_say_is_not_drafted() -> None:
    assert {asked.placeholder for asked in ask("Bulk edit.")} == {""}
    assert ask("Bulk edit. Should it undo?")[0].placeholder == ""


def test_open_questions_of_the_text_come_first_with_the_closest_sentence() -> None:
    text = "Rows edited twice show a conflict dialog. How should a conflict of edited rows be handled? Undo."
    first = ask(text)[0]
    assert first.question == (
        "The description asks: “How should a conflict of edited rows be handled?” What is the answer?"
    )
    assert first.placeholder == (
        "The description says: “Rows edited twice show a conflict dialog.” (closest passage, not checked)"
    )


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
