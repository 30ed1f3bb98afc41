"""Which features of its product an idea is about. Specification: match-features; decisions: Ideas."""

import asyncio
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from sightline.catalog.feature_maps import VersionedMap
from sightline.ideas.records import FeatureMatching, Matcher
from sightline.intelligence.engine import Engine
from sightline.platform.clock import Clock
from sightline.platform.wire import shown_moment

# A text up to this many characters is matched where it stands; a longer one in a thread, so that others are served.
_SHORT = 2_000


class Outcome:
    """What is to be stored of a matching."""

    __slots__ = ("feature_ids", "key", "matching", "ownership")

    def __init__(
        self, ownership: str, matching: FeatureMatching | None, feature_ids: list[UUID], key: str | None = None
    ) -> None:
        self.ownership = ownership
        self.matching = matching
        self.feature_ids = feature_ids
        self.key = key


def unmatched() -> Outcome:
    """Without a product there is nothing to match."""
    return Outcome("automatic", None, [])


def chosen(engine: Engine, product_id: UUID | None, feature_ids: list[UUID], at: datetime) -> Outcome:
    """Somebody chose the features; the selection may be empty."""
    if product_id is None:
        return Outcome("manual", None, feature_ids)
    matcher = Matcher(engine.name, engine.version)
    return Outcome("manual", FeatureMatching("manual", product_id, [], [], shown_moment(at), matcher), feature_ids)


async def match(engine: Engine, clock: Clock, features: VersionedMap, text: str) -> Outcome:
    """Asks the engine. No transaction is open meanwhile."""
    if len(text) <= _SHORT:
        found = engine.match_features(text, features.features)
    else:
        found = await asyncio.to_thread(engine.match_features, text, features.features)
    matching = FeatureMatching(
        found.status,
        features.product_id,
        found.matches,
        found.suggestions,
        shown_moment(clock.now()),
        Matcher(engine.name, engine.version),
    )
    return Outcome("automatic", matching, [each.feature_id for each in found.matches], key_of(engine, features, text))


def key_of(engine: Engine, features: VersionedMap, text: str) -> str:
    """The same for the same engine, map and text: what was matched under it need not be matched again."""
    hashed = blake2b(text.encode(), digest_size=12).hexdigest()
    return f"{engine.name}/{engine.version}/{features.product_id}/{features.version}/{hashed}"
