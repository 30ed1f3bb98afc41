"""Matching an idea with the features of its product on request. Specification: match-features."""

from asyncpg import ForeignKeyViolationError

from sightline.catalog.products.feature_maps import FeatureMaps, VersionedMap
from sightline.ideas import queries
from sightline.ideas.classifications.suggest import renew_suggestions
from sightline.ideas.links import FEATURES, replace_links
from sightline.ideas.matching import selection
from sightline.ideas.matching.chosen_features import may_match
from sightline.ideas.matching.records import MatchingReceipt
from sightline.ideas.matching.selection import Selection
from sightline.ideas.preparation import model_follows
from sightline.ideas.store import change_columns, set_due
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, version_tag


class MatchingStale(Conflict):
    """409: the idea or the feature map changed while it was matched."""

    code = "MATCHING_STALE"


async def match_features(
    db: Database, maps: FeatureMaps, actor: Actor, ref: IdeaRef, expect: Expectation
) -> MatchingReceipt:
    """Matches an idea with the features of its product. A manual selection and an unchanged result stay.

    Raises NotFound, PreconditionFailed, and MatchingStale if the idea or the feature map changed during matching.
    """
    async with db.autocommit() as tx:
        await queries.hold_id(tx, actor.workspace_id, ref)  # while an answer is kept, its idea is not deleted
        seen = await queries.find_state(tx, actor.workspace_id, ref)
        expect(version_tag(seen["id"], seen["version"]))
        product_id = seen["product_id"]
    features = await maps.find(db, actor.workspace_id, product_id) if product_id else None
    if features is None:
        return _receipt(seen)
    if may_match(seen):
        if selection.is_matched(seen, selection.key_of(maps.engine, features, seen["description"])):
            return _receipt(seen)
        found = await selection.match(maps.engine, db.clock, features, seen["description"])
    elif seen["feature_matching"] is None:
        found = selection.chosen(maps.engine, product_id, seen["feature_ids"], db.clock.now())
    else:
        return _receipt(seen)
    try:
        async with db.transaction() as tx:
            receipt = await _save(tx, actor, seen, features, found, expect)
            await renew_suggestions(tx, maps.engine, actor.workspace_id, seen["id"], seen["description"])
            if await model_follows(tx, maps.engine, actor.workspace_id):
                await set_due(tx, actor.workspace_id, seen["id"], tx.now)
            return receipt
    except (ForeignKeyViolationError, NotFound):
        raise _stale() from None


def _stale() -> MatchingStale:
    return MatchingStale("The idea or its product's features changed during matching. Read it and try again.")


async def _save(
    tx: Tx, actor: Actor, seen: Row, features: VersionedMap, found: Selection, expect: Expectation
) -> MatchingReceipt:
    """Stores the selection under the idea's lock, if idea and feature map have not changed since they were read."""
    ref = IdeaRef(id=seen["id"])
    current = await queries.lock_idea(tx, actor.workspace_id, ref)
    tx = tx.later()
    expect(version_tag(current["id"], current["version"]))
    if not await selection.still_holds(tx, actor.workspace_id, features, seen, current):
        raise _stale()
    if found.matched_key is not None and selection.is_matched(current, found.matched_key):
        return _receipt(current)
    if found.ownership == "automatic":
        await replace_links(tx, FEATURES, (actor.workspace_id, seen["id"]), found.feature_ids)
    return _receipt(await change_columns(tx, actor, seen["id"], found.columns, "features_matched"))


def _receipt(row: Row) -> MatchingReceipt:
    return MatchingReceipt(row["id"], row["public_id"], row["feature_ids"], row["feature_matching"])
