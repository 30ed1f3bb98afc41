"""Questions about the points that a description does not answer, each with the closest passage as its draft."""

from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse, islice, pairwise
from typing import Final

from sightline.intelligence.embedded.naming import topic_of
from sightline.intelligence.embedded.points import ASKING_WORDS, HEDGES, HEDGING_PAIRS, POINTS, Point, Words, read_words
from sightline.intelligence.embedded.sentences import Sentence, beginning, read_sentences
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS
from sightline.intelligence.embedded.words import fold, places_of
from sightline.intelligence.engine import DraftedQuestion

MOST_QUESTIONS: Final = 5
MOST_OPEN_POINTS: Final = 2
MOST_PASSAGES: Final = 2
LONGEST_QUOTE: Final = 160
_HEDGING: Final = frozenset(second for _, second in HEDGING_PAIRS)


def ask_questions(description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
    """Returns at most `limit`, and at most five, questions about points that the description does not answer.

    First at most two things the description itself leaves open (a question, "maybe", "this or that"), then the points
    it only comes close to, then those it does not mention: who, what people do today, how often, how success is seen,
    by when and by which rules, what could go wrong. Looks at the first 200 sentences within the first 40,000
    characters.
    """
    sentences = read_sentences(description)
    text = read_words(sentences)
    topic = topic_of(description)
    open_points = islice(_open_points(sentences), MOST_OPEN_POINTS)
    missing = [point for point in POINTS if not _is_answered(point, text)]
    close = (_asked_closer(point, sentences) for point in missing if not point.touched_by.isdisjoint(text.words))
    absent = (_asked(point, topic) for point in missing if point.touched_by.isdisjoint(text.words))
    return list(islice(chain(open_points, close, absent), max(0, min(limit, MOST_QUESTIONS))))


def _is_answered(point: Point, text: Words) -> bool:
    if not point.said_by.isdisjoint(text.words) or not point.said_by_pairs.isdisjoint(text.pairs):
        return True
    return point.said_by_clue is not None and point.said_by_clue(text)


def _asked(point: Point, topic: str) -> DraftedQuestion:
    question = f"“{topic}”: {point.question}" if topic else point.question[0].upper() + point.question[1:]
    return DraftedQuestion(question, point.reasoning, "")


def _asked_closer(point: Point, sentences: Sequence[Sentence]) -> DraftedQuestion:
    near = [sentence for sentence in sentences if not point.touched_by.isdisjoint(sentence.words)]
    word = next(word for word in near[0].words if word in point.touched_by)
    return DraftedQuestion(point.closer_question.format(word=word), point.reasoning, _passages(near[:MOST_PASSAGES]))


def _passages(sentences: Sequence[Sentence]) -> str:
    """Returns the closest passages as a draft. They may not answer the question; empty without any."""
    return placeholder_of([_quote(sentence.text) for sentence in sentences])


def placeholder_of(passages: Sequence[str]) -> str:
    """Returns these passages of a description as a draft of an answer; empty without any."""
    quotes = " ".join(f"“{passage}”" for passage in passages)
    return f"The description says: {quotes} (closest passage, not checked)" if quotes else ""


def _quote(sentence: str) -> str:
    return beginning(sentence, LONGEST_QUOTE)


def _open_points(sentences: Sequence[Sentence]) -> Iterator[DraftedQuestion]:
    """Yields questions in the text, then uncertain statements, then its first choice between two things."""
    settled = [sentence for sentence in sentences if not _is_question(sentence)]
    for sentence in sentences:
        if _is_question(sentence):
            yield DraftedQuestion(
                f"The description asks: “{_quote(sentence.text)}” What is the answer?",
                "The description itself asks this, so the idea is not settled without it.",
                _closest(sentence, settled),
            )
    unsure = list(filter(_is_unsure, settled))
    sure = list(filterfalse(_is_unsure, settled)) if unsure else []
    for sentence in unsure:
        yield DraftedQuestion(
            f"The description is not sure: “{_quote(sentence.text)}” What has been decided?",
            "Without an answer the plan would be a guess.",
            _closest(sentence, sure),
        )
    choices = (_choice(sentence) for sentence in settled if "or" in sentence.words)
    yield from islice(filter(None, choices), 1)


def _is_question(sentence: Sentence) -> bool:
    marks = ("?", "？", "؟")  # noqa: RUF001 - those of other scripts
    text = sentence.text.rstrip("\"'”’»)")  # noqa: RUF001 - quotation marks of many languages
    first = next(iter(sentence.words), None)
    return first is not None and text.endswith(marks) and (first in ASKING_WORDS or not first.isascii())


def _is_unsure(sentence: Sentence) -> bool:
    if not HEDGES.isdisjoint(sentence.words):
        return True
    return not _HEDGING.isdisjoint(sentence.words) and not HEDGING_PAIRS.isdisjoint(pairwise(sentence.words))


def _choice(sentence: Sentence) -> DraftedQuestion | None:
    """Asks about the first `this or that` of a sentence."""
    for at in range(1, len(sentence.words) - 1):
        before, word, after = sentence.words[at - 1 : at + 2]
        if word == "or" and before not in STOP_WORDS and after not in STOP_WORDS and after != "less":
            places = places_of(sentence.text)
            said = sentence.text[places[at - 1].start() : places[at + 1].end()]
            return DraftedQuestion(
                f"“{said}”: is one of them enough, and which comes first?",
                "Doing one of two things is less work than doing both.",
                _passages([sentence]),
            )
    return None


def _closest(asked: Sentence, others: Sequence[Sentence]) -> str:
    """Returns the sentence that shares most words with the question, at least two, as a draft; else an empty one."""
    stems = _telling_stems(asked)
    shared, at = max(((len(stems & _telling_stems(other)), -at) for at, other in enumerate(others)), default=(0, 0))
    return _passages([others[-at]]) if shared >= 2 else ""


def _telling_stems(sentence: Sentence) -> set[str]:
    return {fold(word) for word in sentence.words if word not in STOP_WORDS and word not in GENERIC_WORDS}
