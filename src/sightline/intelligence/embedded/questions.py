"""Questions about what a description does not say. `questions.yaml` has the points, their cues and the wording."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.phrases import Cues
from sightline.intelligence.embedded.sentences import Sentence, beginning, read_sentences
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, GERMAN_WORDS, STOP_WORDS, read_data, words_in
from sightline.intelligence.embedded.words import fold
from sightline.intelligence.engine import MOST_QUESTIONS, DraftedQuestion

LONGEST_QUOTE: Final = 160
_SMALL_WORDS: Final = STOP_WORDS | GENERIC_WORDS | GERMAN_WORDS
_FEWEST_WORDS: Final = 12  # by which one sees whether a text is English
_LEAST_ENGLISH: Final = 0.2  # of its words are stop words
_LEAST_GERMAN: Final = 0.25  # likewise


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


class Asking(Struct, frozen=True):
    """The questions of a language."""

    points: list[AskedPoint]
    own_questions: OwnQuestions
    draft: str


class Rules(Struct, frozen=True):
    """The file `questions.yaml`."""

    english: Asking
    german: Asking

    def point_of(self, question: str) -> str | None:
        """Returns the point that a question is about, such as `how_often`."""
        points = (*self.english.points, *self.german.points)
        return next((one.point for one in points if one.question == question), None)


@cache
def rules() -> Rules:
    return read_data("questions.yaml", Rules)


def ask_questions(description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
    """Returns at most `limit`, and at most three, questions that the description does not answer, in its language.

    A question that the description asks itself comes first; the rest are about points that it lacks. Asks nothing of
    a text that is neither English nor German. Looks at the first 200 sentences within the first 40,000 characters.
    """
    sentences = read_sentences(description)
    asking = _asking(sentences)
    if not asking:
        return []
    said = points_in(description)
    lacking = (DraftedQuestion(one.question, one.reasoning, "") for one in asking.points if one.point not in said)
    return [*islice(_own_questions(sentences, asking), 1), *lacking][: max(0, min(limit, MOST_QUESTIONS))]


@keep_by_text(5_000)  # a document is written again when little has changed
def points_in(text: str) -> frozenset[str]:
    """Returns the points that the text says, such as `how_often`."""
    sentences = read_sentences(text)
    cues = _cues(_asking(sentences) is rules().german)
    return frozenset[str]().union(*(cues.names_in(sentence.text) for sentence in sentences))


@cache
def _cues(is_german: bool) -> Cues:
    asking = rules().german if is_german else rules().english
    return Cues({point.point: point.said_by for point in asking.points})


def _asking(sentences: Sequence[Sentence]) -> Asking | None:
    """Returns the questions in the language of the text: German, or English if it may be that."""
    words = [word for sentence in sentences for word in sentence.words]
    german, english = (sum(map(known.__contains__, words)) for known in (GERMAN_WORDS, STOP_WORDS))
    is_short = len(words) < _FEWEST_WORDS
    is_own = not (GERMAN_WORDS - words_in("german_of_others")).isdisjoint(words)
    are_many = german >= _LEAST_GERMAN * len(words)
    if german > english and (is_own or are_many if is_short else is_own and are_many):
        return rules().german
    is_english = all(map(str.isascii, words)) if is_short else english >= _LEAST_ENGLISH * len(words)
    return rules().english if is_english else None


def _own_questions(sentences: Sequence[Sentence], asking: Asking) -> Iterator[DraftedQuestion]:
    own = asking.own_questions
    for sentence in sentences:
        if sentence.text.endswith("?") and sentence.words[0] in own.begin:
            asked = own.question.format(asked=beginning(sentence.text, LONGEST_QUOTE))
            yield DraftedQuestion(asked, own.reasoning, _draft(sentence, sentences, asking))


def _draft(asked: Sentence, sentences: Sequence[Sentence], asking: Asking) -> str:
    """Returns the sentence that shares most words with the question, at least two, as a draft; else an empty one."""
    stems = _telling_stems(asked)
    others = [sentence for sentence in sentences if not sentence.text.endswith("?")]
    shared, at = max(((len(stems & _telling_stems(other)), -at) for at, other in enumerate(others)), default=(0, 0))
    return placeholder_of(others[-at].text, asking.draft) if shared >= 2 else ""


def placeholder_of(passage: str, draft: str) -> str:
    """Returns the beginning of a passage of a description as a draft of an answer; `draft` is its wording."""
    return draft.format(quotes=f"“{beginning(passage, LONGEST_QUOTE)}”")


def _telling_stems(sentence: Sentence) -> set[str]:
    return {fold(word) for word in sentence.words if word not in _SMALL_WORDS}
