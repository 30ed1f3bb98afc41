"""Questions about what a description leaves open, asked in its own words."""

from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse, islice, pairwise
from typing import Final

from sightline.intelligence.embedded.naming import topic_of
from sightline.intelligence.embedded.points import ASKING_WORDS, HEDGES, HEDGING_PAIRS, PERIODS, POINTS, Point
from sightline.intelligence.embedded.sentences import Sentence, beginning, read_sentences
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS
from sightline.intelligence.embedded.words import fold, places_of
from sightline.intelligence.engine import DraftedQuestion

MOST_QUESTIONS: Final = 5
MOST_OPEN_POINTS: Final = 2
LONGEST_QUOTE: Final = 160
_POINT_WORDS: Final = frozenset[str]().union(*(point.said_by | point.touched_by for point in POINTS))


def ask_questions(description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
    """At most `limit`, never more than five, questions; none about what the description says.

    First at most two things the description itself leaves open (a question, "maybe", "this or that"), then who,
    what people do today, how often, how success is seen, and by when. Looks at the first 200 sentences within the
    first 40,000 characters.
    """
    sentences = read_sentences(description)
    topic = topic_of(description)
    said = _POINT_WORDS.intersection(chain.from_iterable(sentence.words for sentence in sentences))
    open_points = islice(_open_points(sentences), MOST_OPEN_POINTS)
    missing = (asked for point in POINTS if (asked := _asked(point, said, sentences, topic)))
    return list(islice(chain(open_points, missing), max(0, min(limit, MOST_QUESTIONS))))


def _asked(point: Point, said: frozenset[str], sentences: Sequence[Sentence], topic: str) -> DraftedQuestion | None:
    """The question about a point, or nothing when the description says it. `said`: its words that are of any point."""
    if not point.said_by.isdisjoint(said) or (point.said_by_number and any(map(_has_figure, sentences))):
        return None
    if point.touched_by.isdisjoint(said):
        question = f"“{topic}”: {point.question}" if topic else point.question.capitalize()
        return DraftedQuestion(question, point.reasoning, point.unsaid)
    word, near = next((word, sentence) for sentence in sentences for word in sentence.words if word in point.touched_by)
    return DraftedQuestion(point.closer_question.format(word=word), point.reasoning, _nearest(near))


def _has_figure(sentence: Sentence) -> bool:
    """Whether it says 30 tickets, 5 % or every week."""
    if "%" in sentence.text:
        return any(word.isdecimal() for word in sentence.words)
    if PERIODS.isdisjoint(sentence.words):
        return False
    counts = ("every", "per", "each")
    return any(
        following in PERIODS and (word.isdecimal() or word in counts) for word, following in pairwise(sentence.words)
    )


def _nearest(sentence: Sentence) -> str:
    return f"The description only says: “{_quote(sentence.text)}”"


def _quote(sentence: str) -> str:
    return beginning(sentence, LONGEST_QUOTE)


def _open_points(sentences: Sequence[Sentence]) -> Iterator[DraftedQuestion]:
    """Questions the text asks, then what it is unsure of, then its first choice between two things."""
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
            "Whoever plans the idea would otherwise have to guess.",
            _closest(sentence, sure),
        )
    choice = next(filter(None, (_choice(sentence) for sentence in settled if "or" in sentence.words)), None)
    if choice:
        yield choice


def _is_question(sentence: Sentence) -> bool:
    marks = ("?", "？", "؟")  # noqa: RUF001 - those of other scripts
    text = sentence.text.rstrip("\"'”’»)")  # noqa: RUF001 - quotation marks of many languages
    return text.endswith(marks) and bool(sentence.words) and _asks(sentence.words)


def _asks(words: Sequence[str]) -> bool:
    return words[0] in ASKING_WORDS or not words[0].isascii()


def _is_unsure(sentence: Sentence) -> bool:
    return not HEDGES.isdisjoint(sentence.words) or not HEDGING_PAIRS.isdisjoint(pairwise(sentence.words))


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
                _nearest(sentence),
            )
    return None


def _closest(asked: Sentence, others: Sequence[Sentence]) -> str:
    """The sentence that shares most words with what is asked, at least two; it may not be an answer."""
    wanted = _telling_stems(asked)
    shared, at = max(((len(wanted & _telling_stems(other)), -at) for at, other in enumerate(others)), default=(0, 0))
    if shared < 2:
        return "The description does not answer this."
    return f"The description comes closest with: “{_quote(others[-at].text)}”"


def _telling_stems(sentence: Sentence) -> set[str]:
    return {fold(word) for word in sentence.words if word not in STOP_WORDS and word not in GENERIC_WORDS}
