"""What is asked about an idea: what its text lacks, and nothing that it says."""

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.phrases import Cues, plain
from sightline.intelligence.embedded.questions import Asking, points_in, rules
from sightline.intelligence.embedded.vocabulary import read_data

ask = embedded_engine().ask_questions

COMPLETE = (
    "As a sales manager I want to see the pipeline by region. Currently we keep it in a spreadsheet, updated weekly. "
    "Success: forecast error below 10 %. Only managers may see it. The risk is a wrong region."
)
WHO, TODAY, OFTEN, MEASURE, RULES, RISKS = "who", "today", "how_often", "measure", "rules", "risks"
EVERYTHING = {WHO, TODAY, OFTEN, MEASURE, RULES, RISKS}
LANGUAGES = (rules().english, rules().german)
CUES = [
    (point.point, cue, example)
    for language in LANGUAGES
    for point in language.points
    for cue, example in point.said_by.items()
]


def points(description: str) -> set[str]:
    """The points that a text lacks."""
    return {one.point for one in rules().english.points} - points_in(description)


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
        ("Every fourth pram comes back.", {OFTEN}),
        ("Prams come back, sixty in a single week.", {OFTEN}),
        ("Prams lie on each other from the fourth on.", set()),
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


def test_what_a_document_shows_as_extent_is_not_asked() -> None:
    costs = "lost|lose|loses|wasted|costs|cost .. {number}~a|an|one"  # says how much it costs, not how often it happens
    said = read_data("documents/roles.yaml", dict[str, dict[str, str]])["extent"]
    assert [example for cue, example in said.items() if OFTEN in points(example)] == [said[costs]]


def test_a_text_that_says_everything_is_not_asked_anything() -> None:
    assert ask(COMPLETE) == []


def test_questions_are_asked_in_the_order_of_the_file() -> None:
    assert ask("Dark mode.") == ask("Bulk edit.")
    assert [one.question for one in ask("Dark mode.")] == [point.question for point in rules().english.points[:3]]


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


@pytest.mark.parametrize("begin", rules().english.own_questions.begin.items(), ids=lambda begin: begin[0])
def test_each_beginning_of_a_question_has_an_example(begin: tuple[str, str]) -> None:
    word, example = begin
    assert example.lower().startswith(f"{word} ")
    assert example in ask(f"Dark mode. {example}")[0].question


@pytest.mark.parametrize("begin", rules().german.own_questions.begin.items(), ids=lambda begin: begin[0])
def test_each_beginning_of_a_german_question_has_an_example(begin: tuple[str, str]) -> None:
    word, example = begin
    assert example.lower().startswith(f"{word} ")
    assert example in ask(f"Wir brauchen eine Liste. {example}")[0].question


@pytest.mark.parametrize("text", ["Could you please add bulk edit?", "Export charts as PNG or SVG, maybe with undo."])
def test_requests_choices_and_hedges_are_not_repeated_as_questions(text: str) -> None:
    assert not any("description" in one.question for one in ask(text))


@pytest.mark.parametrize(
    "text",
    [
        "Nous avons besoin d'une liste des factures ouvertes, triée par date, pour que la comptabilité la voie.",
        "Vi vil gerne have en liste over alle åbne regninger, ordnet efter dato, så bogholderiet kan se den.",
        "Man skal kunne se den sidste regning under listen, så man ved hvad der er sendt til kunden.",
        "Når man er ute i felten, er det vanskelig å se om den siste ordren er sendt. Den bør vises under listen.",
        "导出报表到Excel。",
    ],
)
def test_a_text_that_is_neither_english_nor_german_is_asked_nothing(text: str) -> None:
    assert ask(text) == []


GERMAN_COMPLETE = (
    "Heute schreiben die Gesellen jede Woche Zettel. Ein Erfolg wäre halb so viel Ausschuss. "
    "Nur der Meister darf das Rezept ändern. Die Gefahr ist ein falsches Mehl."
)


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("Der Ofen zeigt die Temperatur des Teigs an, damit das Brot nicht zu hell wird.", set()),
        ("Wir möchten den Bienenstock aus der Ferne wiegen.", {WHO}),
        ("Bisher stehen die Maße der Brille auf einem Zettel in der Werkstatt.", {TODAY}),
        ("Dreimal im Monat ist das Etikett auf dem Glas leer.", {OFTEN}),
        ("Jeden Morgen fehlt die Liste für die Tour mit den Brötchen.", {OFTEN}),
        ("Ziel ist, dass die Waage in der Backstube unter 2 Sekunden antwortet.", {MEASURE}),
        ("Das Rezept darf niemals ohne Freigabe in die Backstube.", {RULES, RISKS}),
        (GERMAN_COMPLETE, EVERYTHING),
    ],
)
def test_a_german_text_lacks_what_it_does_not_say(description: str, said: set[str]) -> None:
    assert points(description) == EVERYTHING - said


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("Trays with a lid for bread", rules().english),
        ("Filter nach Ofen und Teig", rules().german),
        ("Das Blech sollte schneller gehen: Bäcker warten oft zwei Minuten.", rules().german),
    ],
)
def test_a_short_text_is_german_by_one_word_that_no_neighbour_has(text: str, asking: Asking) -> None:
    assert {one.question for one in ask(text)} <= {point.question for point in asking.points}


def test_a_german_text_is_asked_in_german() -> None:
    asked = ask("Der Ofen zeigt die Temperatur des Teigs an. Wann soll er warnen?")
    assert [one.question for one in asked] == [
        "Die Beschreibung fragt: „Wann soll er warnen?“ Wie lautet die Antwort?",
        *(point.question for point in rules().german.points[:2]),
    ]
    assert ask(GERMAN_COMPLETE) == []


@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 3, 50])
def test_there_are_never_more_than_asked_for_and_never_more_than_three(limit: int) -> None:
    text = "Where? How? What is it? Bulk edit."
    assert len(ask(text, limit)) == max(0, min(limit, 3))
    assert ask(text, limit) == ask(text)[: max(0, limit)]
