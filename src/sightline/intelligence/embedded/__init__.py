"""The engine that is always there: no model, no network, no further package. It finds and quotes, it does not judge."""

from collections.abc import Sequence
from uuid import UUID

from sightline.intelligence.embedded.classifying import suggest_options
from sightline.intelligence.embedded.documents.writer import write_document
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.matching import closest_features, match_features
from sightline.intelligence.embedded.naming import name_idea
from sightline.intelligence.embedded.questions import ask_questions
from sightline.intelligence.embedded.signals.extraction import extract_insights
from sightline.intelligence.engine import (
    MOST_QUESTIONS,
    DraftedQuestion,
    FeatureMap,
    FeatureText,
    ListGroup,
    Matching,
    SuggestedOption,
)
from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.intelligence.material import DocumentType, Draft, Material

__all__ = ["EmbeddedEngine", "embedded_engine"]


class EmbeddedEngine:
    """Compares words. Reads whole signals, and 200 sentences in the first 40,000 characters of other texts."""

    name = "embedded"
    version = "4"

    def __init__(self, *, model_follows: bool = False) -> None:
        self.model_follows = model_follows

    def read_features(self, features: Sequence[FeatureText]) -> EmbeddedFeatureMap:
        return read_features(features)

    def match_features(self, text: str, features: FeatureMap) -> Matching:
        return match_features(text, _own(features))

    def closest_features(self, text: str, features: FeatureMap, limit: int) -> list[UUID]:
        return closest_features(text, _own(features), limit)

    def name_idea(self, description: str) -> str:
        return name_idea(description)

    def ask_questions(self, description: str, limit: int = MOST_QUESTIONS) -> list[DraftedQuestion]:
        return ask_questions(description, limit)

    def suggest_options(self, text: str, groups: Sequence[ListGroup]) -> list[SuggestedOption]:
        return suggest_options(text, groups)

    def write_document(self, type: DocumentType, material: Material) -> Draft:
        return write_document(type, material)

    def extract_insights(self, material: SignalMaterial) -> list[DraftInsight]:
        return extract_insights(material)


def _own(features: FeatureMap) -> EmbeddedFeatureMap:
    if not isinstance(features, EmbeddedFeatureMap):
        raise TypeError("These features were prepared by another engine.")
    return features


_ENGINE = EmbeddedEngine()


def embedded_engine() -> EmbeddedEngine:
    """Returns the embedded engine of this process. It has no state between calls."""
    return _ENGINE
