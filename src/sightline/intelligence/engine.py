"""What an engine can do for a room: match features, name ideas, ask questions. Every answer rests on the text."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.intelligence.material import DocumentType, Draft, Material

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


class FeatureMap(Protocol):
    """The features of one product, prepared by one engine for many texts. Immutable."""

    @property
    def size(self) -> int:
        """The approximate size in a cache, in bytes."""

    @property
    def sharing(self) -> int:
        """How many features one word of a text can name at most."""


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


class Engine(Protocol):
    """Reads texts of any length and content without errors. Results are stored with its name and version."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def model_follows(self) -> bool:
        """Whether a model reads each new and newly described idea again, later."""

    def read_features(self, features: Sequence[FeatureText]) -> FeatureMap:
        """Prepares the features of a product, once for each version of its map."""

    def match_features(self, text: str, features: FeatureMap) -> Matching:
        """Finds the features that a text is about. `features` comes from `read_features` of the same engine."""

    def closest_features(self, text: str, features: FeatureMap, limit: int) -> list[UUID]:
        """Returns at most `limit` features that share words with the text, closest first; all if there are no more."""

    def name_idea(self, description: str) -> str:
        """Returns a name of 1 to 80 characters: words of the description in their order."""

    def ask_questions(self, description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
        """Returns at most `limit`, and at most three, questions that the description does not answer."""

    def suggest_options(self, text: str, groups: Sequence[ListGroup]) -> list[SuggestedOption]:
        """Returns the options that a text supports; at most one of a group that takes one."""

    def write_document(self, type: DocumentType, material: Material) -> Draft:
        """Returns a document as Markdown in which every statement names its source, the same for the same material."""

    def extract_insights(self, material: SignalMaterial) -> list[DraftInsight]:
        """Returns the statements of customers in a signal, each with its exact quotes; empty if there are none."""
