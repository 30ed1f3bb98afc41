"""What engines read of a product and a taxonomy, and what they find in the text of an idea."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from msgspec import Struct

MOST_QUESTIONS: Final = 3


class FeatureText(NamedTuple):
    """A feature as input of an engine."""

    id: UUID
    name: str
    description: str


class FeatureMatch(Struct, rename="camel"):
    """One feature found in a text. `source_quote` is an exact part of it; `confidence` is 0 to 1, two digits."""

    feature_id: UUID
    reasoning: str
    source_quote: str
    confidence: float


class Matching(Struct):
    """The result: `matches` can be applied, `suggestions` need a review."""

    status: Literal["matched", "needs_review", "no_match", "no_features"]
    matches: list[FeatureMatch]
    suggestions: list[FeatureMatch]


class DraftedQuestion(Struct):
    """A question that a text does not answer, its reason, and the closest answer in the text."""

    question: str
    reasoning: str
    placeholder: str


class OptionText(NamedTuple):
    """An option of a taxonomy as input of an engine."""

    id: UUID
    label: str


class ListGroup(NamedTuple):
    """A group of options. `takes_one`: an idea has at most one of them."""

    id: UUID
    takes_one: bool
    options: Sequence[OptionText]
    label: str = ""


class SuggestedOption(Struct):
    """An option that a text supports. `source_quote` is an exact part of the text."""

    group_id: UUID
    option_id: UUID
    reasoning: str
    source_quote: str
