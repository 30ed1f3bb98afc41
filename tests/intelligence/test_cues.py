"""The cues of insights: each word has an example, and the rules read what people mean by them."""

import pytest

from sightline.intelligence.embedded.phrases import Cues, plain
from sightline.intelligence.embedded.signals.categories import category_of, cue_groups, read_statements
from sightline.intelligence.embedded.vocabulary import read_data

LEAST = {"request": 3, "problem": 2, "praise": 2}
CUES = [
    (name, group.points, cue, example) for name, group in cue_groups().items() for cue, example in group.said_by.items()
]


def test_each_cue_has_an_example() -> None:
    for name, points, cue, example in CUES:
        assert list(Cues({name: [cue]}).find(plain(example))), cue
        if alone := [category for category, count in points.items() if count >= LEAST.get(category, 9)]:
            assert category_of(example) == alone[0], cue


MEANT = {
    "problem": [
        "Labels come out with the last digit cut off.",
        "The battery is dead after four hours, not ten as promised.",
        "I used to recommend it to everybody.",
        "Oh great, an empty page.",
        "Love how it turns itself off at noon.",
        "Why does it print every label sideways?",
        "Lovely, eleven labels on one page.",
        "What a treat to find the list emptied.",
        "Two years ago it was the best tool on the market.",
        "I need five clicks to print a label.",
        "We type every label twice.",
        "I copy every label by hand, an hour I'd rather not spend.",
        "Your app says that the label is there and the printer says it is not.",
        "It keeps asking for a label.",
        "The printer switches off by itself.",
        "Der Druck bricht ab, und wir müssen von vorn anfangen.",
    ],
    "request": [
        "What we'd pay for is a label with two lines.",
        "If labels could have two lines, we'd be delighted.",
        "Would it be possible to choose the printer?",
        "One label for each box, please.",
        "Could labels be sorted by street?",
        "Has anyone thought about two printers?",
        "Even a plain number would do.",
        "I miss a list of the labels.",
        "We'd gladly pay a bit more for colour.",
        "Eine Übersicht wäre für uns auch sehr hilfreich.",
        "Wir würden auch dafür zahlen, wenn man den Drucker wählen könnte.",
    ],
    "praise": [
        "New people learn it in five minutes.",
        "Somebody always picks up the phone.",
        "My people never ask any more where the labels are.",
        "Setting it up took me less than an hour.",
        "Printing used to take me all night.",
        "Printing has been really smooth without any trouble.",
    ],
    "question": [
        "Where do I find the labels?",
        "How many printers can we have?",
    ],
    None: [
        "Slow pages are not a problem for us.",
        "It has never been an issue here.",
        "No complaints about the printer.",
        "The doubled labels aren't an issue any more.",
        "The problem with the labels has gone.",
        "You say that printing is slow, it isn't for us.",
        "Slow printing is not something we've noticed.",
        "Please send me the invoice of March.",
        'On Monday you wrote: "It is broken and we fix it."',
        "We don't need a second printer.",
        "I deleted the labels and installed the printer again.",
        "Complaints about labels fell from 41 to 17.",
        "Delays and errors at the printer",
        "The error log of the printer is below.",
        "My mistake, I had the wrong printer.",
        "Nobody touched the printer.",
        "We only have two printers.",
        "When I came back, I printed it again.",
        "Another bad one.",
        "Kindly correct the label and send it again.",
        "I'd like to order three more printers.",
        "The weather was wonderful.",
        "Great, looking forward to the call.",
        "Happy to send more labels.",
        "We don't have any second printer here.",
        "Ich habe die Etiketten neu gedruckt.",
        "He doesn't work here any more.",
        "I forgot my password.",
        "We haven't decided yet.",
        "Business is slow in January.",
        "By law we have to keep the labels for ten years.",
        "I want to speak to a human being.",
        "It was great to see you.",
    ],
}


def test_irony_negation_politeness_and_past_praise_are_read() -> None:
    read = {sentence: category_of(sentence) for sentences in MEANT.values() for sentence in sentences}
    assert read == {sentence: category for category, sentences in MEANT.items() for sentence in sentences}


def test_a_sentence_that_praises_and_complains_is_two_statements() -> None:
    assert read_statements("We love the labels, but the printer hangs.") == [
        ("We love the labels", "praise"),
        ("the printer hangs.", "problem"),
    ]
    assert read_statements("The printer hangs, but only on Mondays.") == [
        ("The printer hangs, but only on Mondays.", "problem")
    ]


def test_each_cue_of_a_part_without_a_statement_has_an_example() -> None:
    for part, cues in read_data("signals/boilerplate.yaml", dict[str, dict[str, str]]).items():
        for cue, example in cues.items():
            assert list(Cues({part: [cue]}).find(plain(example))), cue


@pytest.mark.parametrize(
    "sentence",
    [
        "Both vans have new tyres, swapped in May.",
        "The glazier was punctual, he wiped his feet.",
        "Loved the ovens for the first month.",
        "“The kiln is broken and never heats.”",
        "'The kiln is broken and never heats.'",
    ],
)
def test_what_is_in_order_or_only_quoted_is_no_problem(sentence: str) -> None:
    assert category_of(sentence) != "problem"
