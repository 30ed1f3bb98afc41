"""The features of an idea and how they were selected: matched, or chosen by a person. Decisions: featureMatching."""

from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta, Raw, Struct

from sightline.catalog.products.feature_maps import VersionedMap, find_map_version
from sightline.ideas.matching.records import FeatureMatching, FeatureOwnership, Matcher
from sightline.ideas.queries import Stored
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.engine import Matching
from sightline.intelligence.model.session import BY_MODEL
from sightline.platform.beside import run_beside
from sightline.platform.clock import Clock
from sightline.platform.db import Row, Tx
from sightline.platform.wire import shown_moment

# The columns of an idea that hold a matching. Writing them does not count as a change of the idea.
MATCHED = ("feature_matching", "matched_key")
NONE: dict[str, Any] = dict.fromkeys(MATCHED)
MOST_QUOTES = 100  # of a file; each is looked for in the event loop

_SHORT = 2_000  # characters
_SMALL = 1024 * 1024  # bytes
_FEW_COMPARISONS = 10_000  # characters times features that share a word, since a word names each of them


class Selection(NamedTuple):
    """Features to store with their matching. `matched_key` is None if nothing was matched."""

    product_id: UUID | None
    ownership: FeatureOwnership
    matching: FeatureMatching | None
    feature_ids: list[UUID]
    matched_key: str | None = None

    @property
    def awaits_model(self) -> bool:
        """Whether a model matches the features later."""
        return self.ownership == "automatic" and self.matching is None

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of an idea that hold it, without its features."""
        return {
            "feature_ownership": self.ownership,
            "feature_matching": self.matching,
            "matched_key": self.matched_key,
        }


def chosen(engine: EmbeddedEngine, product_id: UUID | None, feature_ids: list[UUID], at: datetime) -> Selection:
    """Returns the selection for features that a person chose; the selection may be empty."""
    if product_id is None:
        return Selection(None, "manual", None, feature_ids)
    matching = FeatureMatching("manual", product_id, [], [], shown_moment(at), Matcher(engine.name, engine.version))
    return Selection(product_id, "manual", matching, feature_ids)


async def match(engine: EmbeddedEngine, clock: Clock, features: VersionedMap, text: str) -> Selection:
    """Matches a text with the features of a product. Call it outside transactions."""
    if _takes_long(features.features, text):
        found = await run_beside(engine.match_features, text, features.features)
    else:
        found = engine.match_features(text, features.features)
    return matched(Matcher(engine.name, engine.version), features, text, found, clock.now())


def _takes_long(features: EmbeddedFeatureMap, text: str) -> bool:
    """Whether to match in a thread, so that nothing waits meanwhile: it takes 20 ms and more, up to some seconds."""
    return len(text) > _SHORT or features.size > _SMALL or len(text) * features.sharing > _FEW_COMPARISONS


def matched(matcher: Matcher, features: VersionedMap, text: str, found: Matching, at: datetime) -> Selection:
    """Returns the selection by a matching of this text."""
    matching = FeatureMatching(
        found.status, features.product_id, found.matches, found.suggestions, shown_moment(at), matcher
    )
    ids = [each.feature_id for each in found.matches]
    return Selection(features.product_id, "automatic", matching, ids, key_of(matcher, features, text))


def key_of(matcher: EmbeddedEngine | Matcher, features: VersionedMap, text: str) -> str:
    """Returns a key that is equal for the same engine, feature map and text, so that none is matched twice."""
    return f"{matcher.name}/{matcher.version}/{features.product_id}/{features.version}/{_hash(text)}"


def is_matched(idea: Stored, key: str) -> bool:
    """Whether the stored matching has this key, or is a model's for the same feature map and text."""
    stored = idea["matched_key"]
    if idea["feature_matching"] is None or stored is None:
        return False
    return bool(stored == key or (stored.startswith(BY_MODEL) and stored.rsplit("/", 3)[1:] == key.rsplit("/", 3)[1:]))


async def still_holds(tx: Tx, workspace_id: UUID, features: VersionedMap, seen: Row, current: Row) -> bool:
    """Whether a selection for the idea as it was seen, with these features, is one for the idea as it is now."""
    if await find_map_version(tx, workspace_id, features.product_id) != features.version:
        return False
    return all(current[column] == seen[column] for column in ("description", "product_id", "feature_ownership"))


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()


class _Quoting(Struct, rename="camel"):
    source_quote: str


class _Quotes(Struct):
    matches: Annotated[list[_Quoting], Meta(max_length=MOST_QUOTES)] = []
    suggestions: Annotated[list[_Quoting], Meta(max_length=MOST_QUOTES)] = []


def is_stale(idea: Stored) -> bool:
    """Whether the stored matching was made for another text or product than the idea has now."""
    if idea["feature_matching"] is None:
        return False
    if idea["matched_key"] is None:
        return not quotes_only(idea["description"], idea["feature_matching"])
    _, product_id, _, hashed = idea["matched_key"].rsplit("/", 3)
    return bool(product_id != str(idea["product_id"]) or hashed != _hash(idea["description"]))


def quotes_only(description: str, matching: Raw | dict[str, Any] | None) -> bool:
    """Whether every quote of a matching is an exact part of the description. False for another shape, and too many."""
    if matching is None:
        return True
    try:
        if isinstance(matching, dict):
            quotes = msgspec.convert(matching, _Quotes)
        else:
            quotes = msgspec.json.decode(matching, type=_Quotes)
    except msgspec.ValidationError:
        return False
    return all(each.source_quote in description for each in (*quotes.matches, *quotes.suggestions))
