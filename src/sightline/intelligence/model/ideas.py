"""Ideas by a model: features, questions, options and a name, in one request.

Features and options are named by their number in the request, so that none can be invented. What has no quote that is
found in the idea's text is dropped.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final, Literal, NamedTuple, TypeVar
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from sightline.intelligence.embedded.naming import LONGEST_NAME
from sightline.intelligence.embedded.questions import placeholder_of, rules
from sightline.intelligence.embedded.sentences import beginning
from sightline.intelligence.engine import (
    DraftedQuestion,
    FeatureMatch,
    FeatureText,
    ListGroup,
    Matching,
    SuggestedOption,
)
from sightline.intelligence.model.answers import MOST_COMPLAINTS, MOST_ITEMS
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import fenced, read_task
from sightline.intelligence.model.quotes import exact_words, invents
from sightline.intelligence.model.session import Session

Found = TypeVar("Found")
T = TypeVar("T")

TASK: Final = read_task("idea", longest_name=LONGEST_NAME)

LONGEST_TEXT: Final = 24_000  # characters, as the next ones
LONGEST_LINE: Final = 300
LONGEST_GIVEN_QUOTE: Final = 2_000
MOST_FOUND: Final = 8
MOST_SECONDS: Final = 200.0
CLEAR: Final = 0.8
UNCERTAIN: Final = 0.2
SUREST: Final = 0.99
_WORD = re.compile(r"\w+")


class IdeaMaterial(NamedTuple):
    """What a model is asked about the text of an idea; what is empty is not asked for.

    `features` may be what the text is about, `groups` have no value yet that somebody chose. `asked` are questions that
    somebody dealt with; at most `most_questions` others are wanted.
    """

    text: str
    features: Sequence[FeatureText] = ()
    groups: Sequence[ListGroup] = ()
    asked: Sequence[str] = ()
    most_questions: int = 0
    wants_name: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return not (self.features or self.groups or self.most_questions or self.wants_name)


class IdeaReading(NamedTuple):
    """What holds of a model's answer. None: there is nothing to put in the place of what the embedded engine found.

    Every quote is an exact part of the text, every feature and option one of the material, and the name has words of
    the text in their order.
    """

    name: str | None = None
    matching: Matching | None = None
    questions: list[DraftedQuestion] | None = None
    options: list[SuggestedOption] | None = None


class FoundOption(Struct):
    """An option as the model gives it."""

    number: int
    quote: str
    reasoning: str


class FoundFeature(FoundOption):
    """A feature as the model gives it."""

    confidence: float


class FoundQuestion(Struct):
    """A question as the model gives it."""

    question: str
    reasoning: str
    quote: str | None = None


class FoundIdea(Struct):
    """The answer."""

    features: list[FoundFeature]
    options: list[FoundOption]
    questions: list[FoundQuestion]
    name: str | None = None


class _Wrong(Exception):
    """Why a part of an answer cannot stand, as one sentence for the model."""


async def read_idea(endpoint: Endpoint, session: Session, material: IdeaMaterial) -> IdeaReading:
    """Raises ModelFailed. Takes at most 200 seconds, so that a sweep of ideas ends."""
    session.budget = replace(session.budget, seconds=min(session.budget.seconds, MOST_SECONDS))
    shown = Shown(material)
    return await endpoint.ask(session, Prompt(TASK, shown.data), FoundIdea, shown.read)


class Shown:
    """The material as a model sees it, and what holds of an answer to it."""

    def __init__(self, material: IdeaMaterial) -> None:
        self._material = material
        self._text = material.text[:LONGEST_TEXT]
        self._options = [(group, option) for group in material.groups for option in group.options]
        self._exact = cache(partial(exact_words, source=self._text))

    @property
    def data(self) -> str:
        """The material, fenced."""
        material = self._material
        features = [f"{_short(one.name)}: {_short(one.description)}" for one in material.features]
        options = [
            f"{_short(group.label)}{' (one of them)' if group.takes_one else ''}: {_short(option.label)}"
            for group, option in self._options
        ]
        lists = {"features": features, "options": options, "asked": [_short(one) for one in material.asked]}
        fences = [fenced("idea", self._text), *(fenced(name, _listed(lines)) for name, lines in lists.items())]
        wanted = f"Questions: at most {material.most_questions}. Name: {'wanted' if material.wants_name else 'none'}."
        return "\n\n".join([*fences, wanted])

    def read(self, answer: FoundIdea) -> tuple[IdeaReading, str]:
        """Returns what holds, and what is wrong, at most five points.

        A part of which nothing holds, and an empty list of questions, replace nothing.
        """
        material = self._material
        wrong: list[str] = []
        features = _sorted_out(answer.features if material.features else [], self._feature, wrong)
        options = _sorted_out(answer.options if self._options else [], self._option, wrong)
        questions = _sorted_out(answer.questions if material.most_questions else [], self._question, wrong)
        asked = {one.casefold() for one in material.asked}
        new = {one.question.casefold(): one for one in questions if one.question.casefold() not in asked}
        name = self._name(answer) if material.wants_name else None
        if material.wants_name and answer.name and not name:
            wrong.append("`name` is too long or has other words than the idea, or has them in another order.")
        reading = IdeaReading(
            name,
            _matching(features) if material.features and (features or not answer.features) else None,
            list(new.values())[: material.most_questions] or None,
            list({one.option_id: one for one in options}.values())
            if self._options and (options or not answer.options)
            else None,
        )
        return reading, "\n".join(wrong[:MOST_COMPLAINTS])

    def _feature(self, found: FoundFeature) -> FeatureMatch:
        feature = self._material.features[_place(found.number, self._material.features, "feature")]
        about = f"{feature.name}\n{feature.description}"
        reasoning = self._line(found.reasoning, about) or f"A model finds {_short(feature.name)} in these words."
        confidence = min(max(round(found.confidence, 2), 0.0), SUREST)
        return FeatureMatch(feature.id, reasoning, self._quote(found.quote), confidence)

    def _option(self, found: FoundOption) -> SuggestedOption:
        group, option = self._options[_place(found.number, self._options, "option")]
        return SuggestedOption(group.id, option.id, self._line(found.reasoning, option.label), self._quote(found.quote))

    def _question(self, found: FoundQuestion) -> DraftedQuestion:
        question = self._line(found.question)
        if not question:
            raise _Wrong(f"The question “{_short(found.question)}” is empty, too long, or invents figures or quotes.")
        placeholder = placeholder_of(self._quote(found.quote), rules().english.draft) if found.quote else ""
        return DraftedQuestion(question, self._line(found.reasoning), placeholder)

    def _name(self, answer: FoundIdea) -> str | None:
        """Returns the name if it has words of the text in their order; only the first may have another capital."""
        name = " ".join((answer.name or "").split())
        first, *others = _WORD.findall(name) or [""]
        words = iter(_WORD.findall(self._text))
        is_from_text = any(word[:1].casefold() + word[1:] == first[:1].casefold() + first[1:] for word in words)
        is_from_text = is_from_text and all(word in words for word in others)
        return name if is_from_text and name.isprintable() and len(name) <= LONGEST_NAME else None

    def _quote(self, quote: str) -> str:
        """Returns the words of the text that are meant. Raises _Wrong."""
        found = self._exact(quote) if len(quote) <= LONGEST_GIVEN_QUOTE else ""
        if not found:
            raise _Wrong(f"“{_short(quote)}” is not word for word in the idea.")
        return found

    def _line(self, text: str, about: str = "") -> str:
        """Returns the text as one line; empty if it is too long, cannot be shown, or invents figures or quotes."""
        line = " ".join(text.split())
        is_fit = len(line) <= LONGEST_LINE and line.isprintable()
        return line if is_fit and not invents(line, f"{self._text}\n{about}") else ""


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _short(text: str) -> str:
    return beginning(" ".join(text.split()), LONGEST_LINE)


def _place(number: int, items: Sequence[object], what: str) -> int:
    """Returns the place of a numbered item. Raises _Wrong."""
    if not 1 <= number <= len(items):
        raise _Wrong(f"There is no {what} {number} in the list.")
    return number - 1


def _sorted_out(found: Sequence[Found], read: Callable[[Found], T], wrong: list[str]) -> list[T]:
    """Returns what holds of the first 100, and adds what is wrong with the others of them."""
    held: list[T] = []
    for one in found[:MOST_ITEMS]:
        try:
            held.append(read(one))
        except _Wrong as error:
            wrong.append(str(error))
    return held


def _matching(found: Sequence[FeatureMatch]) -> Matching:
    """Returns the surest of each feature: from .80 on a match, from .20 on a suggestion, eight of each at most."""
    best: dict[UUID, FeatureMatch] = {}
    for one in sorted(found, key=lambda one: -one.confidence):
        best.setdefault(one.feature_id, one)
    clear = [one for one in best.values() if one.confidence >= CLEAR][:MOST_FOUND]
    uncertain = [one for one in best.values() if UNCERTAIN <= one.confidence < CLEAR][:MOST_FOUND]
    status: Literal["matched", "needs_review", "no_match"] = "needs_review" if uncertain else "no_match"
    return Matching("matched" if clear else status, clear, uncertain)
