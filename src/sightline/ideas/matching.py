"""Which features of its product an idea is about. Specification: match-features; decisions: Ideas."""

import asyncio
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from asyncpg import ForeignKeyViolationError

from sightline.catalog.feature_maps import FeatureMaps, VersionedMap
from sightline.ideas import queries_changes, queries_create
from sightline.ideas.records import FeatureMatching, Matcher, MatchingReceipt
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.clock import Clock
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, expect_anything, shown_moment, version_tag
from sightline.workspaces.changes import log_change

# A text up to this many characters is matched where it stands; a longer one in a thread, so that others are served.
_SHORT = 2_000


class MatchingStale(Conflict):
    """409: the idea or the feature map moved while it was matched."""

    code = "MATCHING_STALE"


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


async def match_features(
    db: Database, maps: FeatureMaps, actor: Actor, ref: IdeaRef, expect: Expectation = expect_anything
) -> MatchingReceipt:
    """Matches an idea with the features of its product; a manual selection and an unchanged result stay as they are.

    Raises NotFound, CreatorNotAllowed, PreconditionFailed, and MatchingStale when idea or map moved meanwhile.
    """
    async with db.read() as tx:
        seen = await queries_changes.find_for_matching(tx, actor.workspace_id, ref)
        actor.require_writer()
        expect(version_tag(seen["id"], seen["version"]))
        product_id = seen["product_id"]
        features = await maps.find(tx, actor.workspace_id, product_id) if product_id else None
    if features is None or (seen["feature_ownership"] == "manual" and seen["feature_matching"] is not None):
        return _receipt(seen)
    if seen["feature_ownership"] == "manual":
        outcome = chosen(maps.engine, product_id, seen["feature_ids"], db.clock.now())
    elif seen["matched_key"] == key_of(maps.engine, features, seen["description"]):
        return _receipt(seen)
    else:
        outcome = await match(maps.engine, db.clock, features, seen["description"])
    try:
        async with db.write() as tx:
            return await _save(tx, actor, seen, features, outcome, expect)
    except (ForeignKeyViolationError, NotFound):
        raise _stale() from None


def _stale() -> MatchingStale:
    return MatchingStale("The idea or its product's features changed during matching. Read it and try again.")


async def _save(
    tx: Tx, actor: Actor, seen: Row, features: VersionedMap, outcome: Outcome, expect: Expectation
) -> MatchingReceipt:
    """Under the idea's lock, if idea and map are as they were when they were read."""
    now = await queries_changes.lock_idea(tx, actor.workspace_id, IdeaRef(id=seen["id"]))
    tx = tx.later()
    expect(version_tag(now["id"], now["version"]))
    version = await queries_changes.find_map_version(tx, actor.workspace_id, features.product_id)
    deciding = ("description", "product_id", "feature_ownership")
    if version != features.version or any(now[column] != seen[column] for column in deciding):
        raise _stale()
    if outcome.key is not None and now["matched_key"] == outcome.key:
        return _receipt(await queries_changes.find_for_matching(tx, actor.workspace_id, IdeaRef(id=seen["id"])))
    columns = {"feature_matching": outcome.matching, "matched_key": outcome.key}
    if outcome.ownership == "automatic":
        await queries_create.replace_features(tx, actor.workspace_id, seen["id"], outcome.feature_ids)
    await queries_changes.change_columns(tx, actor.workspace_id, seen["id"], columns)
    await log_change(tx, actor, "idea", seen["id"], seen["public_id"], "features_matched")
    return _receipt(await queries_changes.find_for_matching(tx, actor.workspace_id, IdeaRef(id=seen["id"])))


def _receipt(row: Row) -> MatchingReceipt:
    return MatchingReceipt(row["id"], row["public_id"], row["feature_ids"], row["feature_matching"])
