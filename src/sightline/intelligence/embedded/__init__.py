"""The engine that is always there: no model, no network, no further package. It finds and quotes, it does not judge."""

from functools import cache
from uuid import UUID

from sightline.intelligence.embedded.classifying import suggest_options
from sightline.intelligence.embedded.documents.writer import write_document
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.matching import closest_features, match_features
from sightline.intelligence.embedded.naming import name_idea
from sightline.intelligence.embedded.questions import ask_questions
from sightline.intelligence.embedded.signals.extraction import extract_insights
from sightline.intelligence.engine import FeatureMap, Matching


class EmbeddedEngine:
    """Compares words. Reads whole signals, and 200 sentences in the first 40,000 characters of other texts."""

    name = "embedded"
    version = "4"

    def __init__(self, *, model_follows: bool = False) -> None:
        self.model_follows = model_follows

    read_features = staticmethod(read_features)
    name_idea = staticmethod(name_idea)
    ask_questions = staticmethod(ask_questions)
    suggest_options = staticmethod(suggest_options)
    write_document = staticmethod(write_document)
    extract_insights = staticmethod(extract_insights)

    def match_features(self, text: str, features: FeatureMap) -> Matching:
        return match_features(text, _own(features))

    def closest_features(self, text: str, features: FeatureMap, limit: int) -> list[UUID]:
        return closest_features(text, _own(features), limit)


def _own(features: FeatureMap) -> EmbeddedFeatureMap:
    if not isinstance(features, EmbeddedFeatureMap):
        raise TypeError("These features were prepared by another engine.")
    return features


@cache
def embedded_engine() -> EmbeddedEngine:
    """Returns the embedded engine of this process. It has no state between calls."""
    return EmbeddedEngine()
