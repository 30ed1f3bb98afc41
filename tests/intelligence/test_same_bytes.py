"""The same input gives the same bytes: today as written here, and in every process."""

import os
import subprocess
import sys
from uuid import UUID

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import DraftedQuestion, ListGroup, OptionText, SuggestedOption

ENGINE = embedded_engine()
REQUEST = (
    "Hi team,\n\nWe would like to merge two customers, because dispatchers often see one twice. Today they copy the "
    "notes by hand.\nMaybe with a preview? Speed matters at the front desk."
)
GROUPS = [
    ListGroup(UUID(int=1), False, [OptionText(UUID(int=2), "Speed"), OptionText(UUID(int=3), "Trust")]),
    ListGroup(UUID(int=4), True, [OptionText(UUID(int=5), "Front desk"), OptionText(UUID(int=6), "Small")]),
]
SCRIPT = """
from uuid import UUID
import msgspec
from sightline.intelligence.evidence import SignalMaterial
from sightline.intelligence.material import DocumentType
from tests.documents.test_large import of_few_words
from tests.documents.test_writer import material
from tests.intelligence.test_same_bytes import ENGINE, GROUPS, REQUEST
texts = [REQUEST, "We cannot export charts and lose an hour each day. Please add PNG. I love the new search!"]
for text in texts:
    print(ENGINE.name_idea(text), ENGINE.ask_questions(text), ENGINE.suggest_options(text, GROUPS))
    print(msgspec.json.encode(ENGINE.extract_insights(SignalMaterial(text=text))))
    for type in DocumentType:
        print(ENGINE.write_document(type, material(text)))
print(ENGINE.write_document(DocumentType.PRD, of_few_words()))
"""


def test_a_name_stays_as_it_was() -> None:
    assert ENGINE.name_idea(REQUEST) == "Merge two customers"


def test_questions_stay_as_they_were() -> None:
    assert ENGINE.ask_questions(REQUEST) == [
        DraftedQuestion(
            "How often does this come up, and for how many people?",
            "How often it happens decides whether the idea comes before others.",
            "",
        ),
        DraftedQuestion(
            "Which figure will show that it works, and what should it become?",
            "Without a measure the result of the idea cannot be judged later.",
            "",
        ),
        DraftedQuestion(
            "What could go wrong with it, for whom, and can it be undone?",
            "A known risk can be tested early; an unknown one shows after the release.",
            "",
        ),
    ]


def test_suggested_options_stay_as_they_were() -> None:
    quote = "Speed matters at the front desk."
    assert ENGINE.suggest_options(REQUEST, GROUPS) == [
        SuggestedOption(UUID(int=1), UUID(int=2), "The sentence names “Speed”.", quote),
        SuggestedOption(UUID(int=4), UUID(int=5), "The sentence names “Front desk”.", quote),
    ]


@pytest.mark.slow
def test_every_process_gives_the_same_bytes() -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "20261121")
    }
    assert len(answers) == 1
    shown = answers.pop()
    for part in (b"Merge two customers", b"SuggestedOption", b'"quotes"', b"# "):
        assert part in shown
