"""Wishes, complaints and praise in the forms that tickets of trades have which no rule was made with."""

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.signals.categories import category_of
from sightline.intelligence.evidence import SignalMaterial

MEANT = {
    "request": [
        "Could the rota take school holidays into account?",
        "Could each keeper choose the language herself?",
        "Hello, could the plan show who has the keys?",
        "Couldn't the plan show who has the keys?",
        "Please offer a second day for honey jars.",
        "We would like to offer guests a second tour.",
        "We want to copy last year's plan to this year.",
        "Könnten Imker selbst eintragen, wo ihre Völker stehen?",
        "Könnte die Liste nach Standort sortiert werden?",
        "Können Sie die Ernte auch in Kilo anzeigen?",
    ],
    "problem": [
        "The deposit is taken twice when somebody pays by card.",
        "The register counts twins twice.",
        "The visit sheet still lists horses that were sold in spring.",
        "The stall shows free although a mare stands in it.",
        "Die Box wird als frei angezeigt, obwohl eine Stute darin steht.",
        "The sum of the harvest is off by several kilos.",
        "The reminder arrived three hours after feeding time.",
    ],
    "praise": ["Der Futterplan ist spitze."],
    None: [
        "Please order us two more boxes.",
        "The cows are milked twice a day.",
        "The stalls are cleaned twice daily.",
        "The farrier arrived two days after we called.",
        "We still list the horses by name.",
        "We'd like to order ten more tags.",
    ],
}


def test_the_form_of_a_sentence_tells_what_it_is() -> None:
    read = {sentence: category_of(sentence) for sentences in MEANT.values() for sentence in sentences}
    assert read == {sentence: category for category, sentences in MEANT.items() for sentence in sentences}


@pytest.mark.parametrize(
    "sentence",
    [
        "Could you send the keeper a text whenever a hive gets too warm?",
        "Could you ring the vet when a horse is down?",
        "Could you remind members of unpaid fees every week?",
        "Can you check the insurance of a hive once a year instead of each time?",
    ],
)
def test_what_shall_happen_each_time_is_a_wish_for_the_product(sentence: str) -> None:
    assert category_of(sentence) == "request"


@pytest.mark.parametrize(
    "sentence",
    [
        "Could you send me an offer for twelve hives?",
        "Could you call me when you are back?",
        "Could you let me know when a technician is free?",
        "Could your technician call me tomorrow?",
        "Could the farrier come on Tuesday?",
        "Could somebody ring me?",
        "Can you tell me what happens every year?",
        "Could you send us another copy of the form?",
        "Können Sie mich bitte zurückrufen?",
        "Könnten Sie mir die Rechnung schicken?",
    ],
)
def test_what_the_team_shall_do_once_is_an_errand(sentence: str) -> None:
    assert category_of(sentence) not in {"request", "problem"}


def insights_of(text: str) -> list[tuple[str, list[str]]]:
    found = embedded_engine().extract_insights(SignalMaterial("conversation", text, (), frozenset()))
    return [(one.title, [quote.text for quote in one.quotes]) for one in found]


def test_a_statement_that_leans_on_the_sentence_before_it_is_quoted_with_it() -> None:
    visits, cost = "When a mare foals, the office texts every owner.", "Last spring that took two of us a whole week."
    assert insights_of(f"We breed ponies. {visits} {cost}") == [(f"{visits} {cost}", [f"{visits} {cost}"])]


def test_it_is_quoted_alone_after_a_fragment_a_question_and_a_statement() -> None:
    said = "That means an hour of typing by hand."
    for before in ("Since Monday.", "What happens at the weigh bridge?"):
        assert insights_of(f"{before} {said}") == [(said, [said])]
    assert insights_of(f"The scale is broken. {said}") == [("The scale is broken.", ["The scale is broken.", said])]
