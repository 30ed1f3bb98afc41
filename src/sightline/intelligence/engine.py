"""What an engine can do for a room: match features, name ideas, ask questions. Every answer rests on the text."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.intelligence.material import DocumentType, Draft, Material


class FeatureText(NamedTuple):
    """A feature as an engine reads it."""

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
    """What was found: `matches` may be applied, `suggestions` are for a person to look at."""

    status: Literal["matched", "needs_review", "no_match", "no_features"]
    matches: list[FeatureMatch]
    suggestions: list[FeatureMatch]


class FeatureMap(Protocol):
    """The features of one product, prepared by one engine for many texts. Never changes."""

    @property
    def size(self) -> int:
        """Bytes it takes in a cache, roughly."""
        ...


class DraftedQuestion(Struct):
    """A question a text leaves open, why it matters, and the answer the text comes closest to."""

    question: str
    reasoning: str
    placeholder: str


class Engine(Protocol):
    """Reads texts of any length and content without failing; says its name and version with what it found."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def read_features(self, features: Sequence[FeatureText]) -> FeatureMap:
        """Prepares the features of a product, once for every version of its map."""
        ...

    def match_features(self, text: str, features: FeatureMap) -> Matching:
        """Finds the features a text speaks of; `features` comes from `read_features` of the same engine."""
        ...

    def name_idea(self, description: str) -> str:
        """A name of 1 to 80 characters: words of the description in their order."""
        ...

    def ask_questions(self, description: str, limit: int = 5) -> list[DraftedQuestion]:
        """At most `limit`, never more than five, questions about what the description leaves open."""
        ...

    def write_document(self, kind: DocumentType, material: Material) -> Draft:
        """A document as Markdown in which every statement names its source; the same material, the same bytes."""
        ...

    def extract_insights(self, material: SignalMaterial) -> list[DraftInsight]:
        """What customers say in a signal, each statement with its exact quotes; nothing where nothing is said."""
        ...
