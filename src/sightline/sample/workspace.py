"""The sample workspace, which is written by hand; the embedded matcher matches its ideas with features."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import msgspec
import yaml

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import FeatureMatch, FeatureText

Record = dict[str, Any]


def load() -> dict[str, Any]:
    """Returns the workspace file. Times are ISO strings, ideas are matched with features."""
    workspace = _read("workspace.yaml") | _read("research.yaml")
    return workspace | {"ideas": _match_ideas(workspace["products"], workspace["ideas"])}


def _read(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - one of the two safe loaders
    return content


def _match_ideas(products: Iterable[Record], ideas: Iterable[Record]) -> list[Record]:
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
            return idea | {"featureMatching": self._matching(idea, "manual")}
        found = self.engine.match_features(idea["description"], self.features)
        return idea | {
            "features": [self.keys[match.feature_id] for match in found.matches],
            "featureMatching": self._matching(idea, found.status, found.matches, found.suggestions),
        }

    def _matching(
        self, idea: Record, status: str, matches: Iterable[FeatureMatch] = (), suggestions: Iterable[FeatureMatch] = ()
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
        shown: Record = msgspec.to_builtins(match)
        return shown | {"featureId": self.keys[match.feature_id]}
