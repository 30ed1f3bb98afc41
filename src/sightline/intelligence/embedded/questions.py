"""Questions about what a description does not say. `questions.yaml` has the points, their cues and the wording."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.phrases import Cues
from sightline.intelligence.embedded.sentences import Sentence, beginning, read_sentences, split_sentences
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS, read_data
from sightline.intelligence.embedded.words import fold
from sightline.intelligence.engine import MOST_QUESTIONS, DraftedQuestion

LONGEST_QUOTE: Final = 160
_FEWEST_WORDS: Final = 12  # by which one sees whether a text is English
_LEAST_ENGLISH: Final = 0.2  # of its words are stop words


class AskedPoint(Struct, frozen=True):
    """What an idea should say. `said_by` maps each cue to a sentence with it."""

    point: str
    question: str
    reasoning: str
    said_by: dict[str, str]


class OwnQuestions(Struct, frozen=True):
    """How a question of the text itself is asked: one that begins with a key of `begin`, each with an example."""

    question: str
    reasoning: str
    begin: dict[str, str]


class Rules(Struct, frozen=True):
    """The file `questions.yaml`."""

    points: list[AskedPoint]
    own_questions: OwnQuestions
    draft: str


@cache
def rules() -> Rules:
    return read_data("questions.yaml", Rules)


def ask_questions(description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
    """Returns at most `limit`, and at most three, questions that the description does not answer.

    A question that the description asks itself comes first; the rest are about points that it lacks. Asks nothing of
    a text that is not English. Looks at the first 200 sentences within the first 40,000 characters.
    """
    sentences = read_sentences(description)
    if not _is_english(sentences):
        return []
    points = (DraftedQuestion(point.question, point.reasoning, "") for point in lacking(description))
    asked = [*islice(_own_questions(sentences), 1), *points]
    return asked[: max(0, min(limit, MOST_QUESTIONS))]


def lacking(description: str) -> Iterator[AskedPoint]:
    """Yields the points that the description does not say, in the order of asking."""
    said = points_in(description)
    return (point for point in rules().points if point.point not in said)


@keep_by_text(5_000)  # a document is written again when little has changed
def points_in(text: str) -> frozenset[str]:
    """Returns the points that the text says, such as `how_often`."""
    return frozenset[str]().union(*(_cues().names_in(sentence) for sentence in split_sentences(text)))


@cache
def _cues() -> Cues:
    return Cues({point.point: point.said_by for point in rules().points})


def _is_english(sentences: Sequence[Sentence]) -> bool:
    words = [word for sentence in sentences for word in sentence.words]
    if len(words) < _FEWEST_WORDS:
        return all(map(str.isascii, words))
    return sum(map(STOP_WORDS.__contains__, words)) >= _LEAST_ENGLISH * len(words)


def _own_questions(sentences: Sequence[Sentence]) -> Iterator[DraftedQuestion]:
    own = rules().own_questions
    for sentence in sentences:
        if sentence.text.endswith("?") and sentence.words[0] in own.begin:
            asked = own.question.format(asked=beginning(sentence.text, LONGEST_QUOTE))
            yield DraftedQuestion(asked, own.reasoning, _draft(sentence, sentences))


def _draft(asked: Sentence, sentences: Sequence[Sentence]) -> str:
    """Returns the sentence that shares most words with the question, at least two, as a draft; else an empty one."""
    stems = _telling_stems(asked)
    others = [sentence for sentence in sentences if not sentence.text.endswith("?")]
    shared, at = max(((len(stems & _telling_stems(other)), -at) for at, other in enumerate(others)), default=(0, 0))
    return placeholder_of([beginning(others[-at].text, LONGEST_QUOTE)] if shared >= 2 else [])


def placeholder_of(passages: Sequence[str]) -> str:
    """Returns these passages of a description as a draft of an answer; empty without any."""
    quotes = " ".join(f"“{passage}”" for passage in passages)
    return rules().draft.format(quotes=quotes) if quotes else ""


def _telling_stems(sentence: Sentence) -> set[str]:
    return {fold(word) for word in sentence.words if word not in STOP_WORDS and word not in GENERIC_WORDS}
