"""What holds for every text, however strange: bounds, exact quotes, equal answers, no failure, little time."""

import os
import subprocess
import sys
import time
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.engine import FeatureText, ListGroup, OptionText

ENGINE = embedded_engine()

SPOKEN = """
dark mode export Export CSV pdf sign-on SSO not need instead of or maybe why ? . ! - # > * often customers weekly
导出 тёмная é 🚀 ' “ ” İstanbul e mail webhooks
"""
WORDS = st.sampled_from([*SPOKEN.split(), "", "\n", "\u200b", "\ud800", "\x00", "don\u2019t"])
TEXTS = st.one_of(st.text(max_size=400), st.lists(WORDS, max_size=60).map(" ".join), st.lists(WORDS).map("".join))
FEATURES = st.lists(st.tuples(st.uuids(), TEXTS, TEXTS).map(lambda parts: FeatureText(*parts)), max_size=12)

HOSTILE = [
    "x" * 1_000_000, "." * 1_000_000, " " * 1_000_000, "\n" * 1_000_000, "? " * 500_000, "a b" * 333_333,
    "dark mode export csv " * 50_000, "🚀" * 1_000_000, "\u202e\u05e9\u05dc\u05d5\u05dd. " * 80_000, "导出" * 500_000,
    "\"'" * 500_000, "a" + "\u0301" * 1_000_000, "why is dark mode export? " * 40_000, "a or b maybe " * 80_000,
    "\x00" * 1_000_000, "\ud800 " * 500_000, "not need " * 120_000, "(" * 1_000_000, "- " * 500_000,
]  # fmt: skip


@given(TEXTS, FEATURES)
def test_matching_stays_within_its_bounds_and_quotes_exactly(text: str, features: list[FeatureText]) -> None:
    found = ENGINE.match_features(text, ENGINE.read_features(features))
    assert len(found.matches) <= 8
    assert len(found.suggestions) <= 8
    for one in found.matches + found.suggestions:
        assert one.source_quote in text
        assert one.source_quote == one.source_quote.strip()
        assert 1 <= len(one.source_quote) <= 300
        assert 0 <= one.confidence <= 1
        assert one.confidence == round(one.confidence, 2)
        assert one.reasoning.endswith(".")
    confidences = [one.confidence for one in found.matches + found.suggestions]
    assert confidences == sorted(confidences, reverse=True)
    expected = "matched" if found.matches else "needs_review" if found.suggestions else "no_match"
    assert found.status == (expected if features else "no_features")
    assert found == ENGINE.match_features(text, ENGINE.read_features(features))


@given(TEXTS)
def test_a_name_is_never_blank_and_never_longer_than_eighty(text: str) -> None:
    name = ENGINE.name_idea(text)
    assert 1 <= len(name) <= 80
    assert name == name.strip()
    if name != "Idea":
        first, *words = name.split()
        as_written = {first, *(f"{first[:at]}{letter.lower()}{first[at + 1 :]}" for at, letter in enumerate(first))}
        assert any(word in text for word in as_written), "only the first letter may become a capital"
        rest = text
        for word in words:
            assert word in rest
            rest = rest[rest.index(word) + len(word) :]


@pytest.mark.parametrize("text", ["\u0131rmak akar", "\u00b5SR reports", "\u017feal the deal", "\u00dfe quick"])
def test_a_first_letter_whose_capital_is_another_letters_stays(text: str) -> None:
    assert ENGINE.name_idea(text).startswith(text[0])


@given(TEXTS, st.integers(-2, 9))
def test_questions_are_few_distinct_and_complete(text: str, limit: int) -> None:
    asked = ENGINE.ask_questions(text, limit)
    assert len(asked) <= max(0, min(limit, 3))
    for one in asked:
        assert one.question.endswith("?")
        assert one.reasoning
        assert one.placeholder == "" or one.placeholder.endswith("(closest passage, not checked)")
        assert len(one.question) < 500


@given(TEXTS, st.lists(TEXTS, max_size=8), st.booleans())
def test_suggested_options_are_of_the_group_and_quote_exactly(text: str, labels: list[str], takes_one: bool) -> None:
    group = ListGroup(UUID(int=9), takes_one, [OptionText(UUID(int=at), label) for at, label in enumerate(labels)])
    found = ENGINE.suggest_options(text, [group])
    assert len(found) <= (1 if takes_one else 5)
    for one in found:
        assert one.source_quote in text
        assert one.option_id.int < len(labels)
        assert one.group_id == group.id


@given(TEXTS)
def test_sentences_are_exact_parts_in_order(text: str) -> None:
    at = 0
    for sentence in split_sentences(text):
        at = text.index(sentence, at) + len(sentence)
        assert 1 <= len(sentence) <= 300


@given(TEXTS)
def test_words_are_short_and_fold_to_something(text: str) -> None:
    assert all(0 < len(word) <= 40 for word in words_of(text))
    assert all(isinstance(fold(word), str) for word in words_of(text))


@given(st.text("abdeginorstuvy'", min_size=1, max_size=9))
def test_folding_keeps_the_beginning_of_a_word(word: str) -> None:
    if len(word) > 6 and word.isascii() and "'" not in word:
        assert fold(word)[:3] == word[:3]


@pytest.mark.parametrize("word", ["l'agenda", "d'agenda", "qu'agenda", "lorsqu'agenda"])
def test_a_french_word_folds_without_what_is_elided_before_it(word: str) -> None:
    assert fold(word) == fold("agenda")


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:6]))
def test_a_million_hostile_characters_take_little_time(text: str) -> None:
    feature = FeatureText(UUID(int=1), "Dark mode", "A dark theme, export as CSV.")
    started = time.process_time()
    ENGINE.match_features(text, ENGINE.read_features([feature, FeatureText(UUID(int=2), text, text)]))
    ENGINE.name_idea(text)
    ENGINE.ask_questions(text)
    ENGINE.suggest_options(text, [ListGroup(UUID(int=1), False, [OptionText(UUID(int=2), "Dark mode")])])
    assert time.process_time() - started < 1


SCRIPT = """
from uuid import UUID
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import FeatureText
engine = embedded_engine()
names = ["Dark mode", "CSV export", "Export", "Saved views", "Audit log", "Mobile app", "Export of views"]
features = engine.read_features([FeatureText(UUID(int=at), name, "Shows records, files and views of the team, as CSV.")
            for at, name in enumerate(names)])
text = "Export views and records as CSV files in dark mode or light? The audit log of the mobile app, maybe."
print(engine.match_features(text, features), engine.name_idea(text), engine.ask_questions(text), features.size)
"""


def test_another_process_with_other_hashes_answers_alike() -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "20261121")
    }
    assert len(answers) == 1
    assert "matched" in answers.pop()
