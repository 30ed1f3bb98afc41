"""Feature matching of the sample's ideas, by the embedded matcher."""

from collections.abc import Iterable
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import FeatureMatch, FeatureText

Record = dict[str, Any]


def match_ideas(products: Iterable[Record], ideas: Iterable[Record]) -> list[Record]:
    """Returns the ideas with `featureMatching`, and with the matched features unless a person chose them."""
    matchers = {product["key"]: _Matcher(product) for product in products}
    return [matchers[idea["product"]].match(idea) for idea in ideas]


class _Matcher:
    """Matches ideas with the features of one product. Features are named by their keys."""

    def __init__(self, product: Record) -> None:
        self.product = product["key"]
        self.engine = embedded_engine()
        self.keys = {uuid5(NAMESPACE_OID, feature["key"]): feature["key"] for feature in product["features"]}
        texts = zip(self.keys, product["features"], strict=True)
        self.features = self.engine.read_features(
            [FeatureText(id, feature["name"], feature["description"]) for id, feature in texts]
        )

    def match(self, idea: Record) -> Record:
        if idea["featureOwnership"] == "manual":
            return idea | {"featureMatching": self._matching(idea, "manual", [], [])}
        found = self.engine.match_features(idea["description"], self.features)
        return idea | {
            "features": [self.keys[match.feature_id] for match in found.matches],
            "featureMatching": self._matching(idea, found.status, found.matches, found.suggestions),
        }

    def _matching(
        self, idea: Record, status: str, matches: list[FeatureMatch], suggestions: list[FeatureMatch]
    ) -> Record:
        return {
            "status": status,
            "productId": self.product,
            "matches": [self._match(match) for match in matches],
            "suggestions": [self._match(match) for match in suggestions],
            "matchedAt": idea["createdAt"],
            "matcher": {"name": self.engine.name, "version": self.engine.version},
        }

    def _match(self, match: FeatureMatch) -> Record:
        key: str = self.keys[UUID(str(match.feature_id))]
        return {
            "featureId": key,
            "reasoning": match.reasoning,
            "sourceQuote": match.source_quote,
            "confidence": match.confidence,
        }
