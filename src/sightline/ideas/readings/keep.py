"""Storing what a model read in an idea: in the place of what the embedded engine found, as far as that is untouched."""

from typing import Any

from sightline.ideas import links
from sightline.ideas.classifications.suggest import list_groups, replace_suggestions, supported
from sightline.ideas.matching import outcome
from sightline.ideas.matching.queries import find_map_version
from sightline.ideas.matching.records import Matcher
from sightline.ideas.questions.drafted import replace_drafted
from sightline.ideas.readings import queries
from sightline.ideas.readings.material import Seen
from sightline.intelligence.engine import Engine
from sightline.intelligence.ideas import IdeaReading
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.workspaces.changes import log_change

# If one of these changed since the idea was read, its features stay as they are.
_DECIDE_FEATURES = ("product_id", "feature_ownership", "feature_ids", "matched_key")


async def keep_reading(db: Database, seen: Seen, reading: IdeaReading, matcher: Matcher) -> None:
    """Stores the parts that nobody changed since they were read; nothing if the claim no longer holds."""
    async with db.transaction() as tx:
        current = await queries.find_claimed(tx, seen.claim, lock=True)
        if current is None or current["description"] != seen.idea["description"]:
            return
        tx = tx.later()
        columns = await _features(tx, seen, current, reading, matcher)
        replaced = ["features"] if columns else []
        if reading.name not in (None, current["name"]) and current["name"] == seen.idea["name"]:
            columns["name"] = reading.name
            replaced.append("name")
        if await _options(tx, seen, reading):
            replaced.append("classifications")
        if replaced:
            await queries.store_read(tx, seen.claim, columns)
        else:
            await queries.end_claim(tx, seen.claim)
        if await _questions(tx, seen, reading):
            replaced.append("questions")
        await _log(tx, seen, matcher, replaced)


async def leave(db: Database, engine: Engine, seen: Seen) -> None:
    """Ends the waiting; the results of the embedded engine stay."""
    async with db.transaction() as tx:
        if await queries.end_claim(tx, seen.claim):
            await _log(tx, seen, Matcher(engine.name, engine.version), [])


async def _features(tx: Tx, seen: Seen, current: Row, reading: IdeaReading, matcher: Matcher) -> dict[str, Any]:
    """Replaces the features. Returns the columns to store with them; none if the features stay."""
    if reading.matching is None or seen.features is None:
        return {}
    if any(current[column] != seen.idea[column] for column in _DECIDE_FEATURES):
        return {}
    workspace_id, idea_id = seen.claim.workspace_id, seen.claim.idea_id
    if await find_map_version(tx, workspace_id, seen.features.product_id) != seen.features.version:
        return {}
    found = outcome.matched(matcher, seen.features, current["description"], reading.matching, tx.now)
    await links.replace_features(tx, workspace_id, idea_id, found.feature_ids)
    return found.columns


async def _options(tx: Tx, seen: Seen, reading: IdeaReading) -> bool:
    """Replaces the suggested options that nobody reviewed, of the groups that the model was asked about."""
    options = reading.options
    if options is None:
        return False
    workspace_id, idea_id, text = seen.claim.workspace_id, seen.claim.idea_id, seen.idea["description"]
    changed = await replace_suggestions(
        tx,
        workspace_id,
        idea_id,
        lambda taxonomy, chosen: supported(options, list_groups(taxonomy, chosen), text),
        {group.id for group in seen.groups},
    )
    return changed > 0


async def _questions(tx: Tx, seen: Seen, reading: IdeaReading) -> bool:
    if reading.questions is None:
        return False
    return await replace_drafted(tx, seen.claim.workspace_id, seen.claim.idea_id, seen.questions, reading.questions)


async def _log(tx: Tx, seen: Seen, matcher: Matcher, replaced: list[str]) -> None:
    actor = Actor(seen.claim.workspace_id, "job", str(seen.claim.idea_id))
    detail = {"engine": f"{matcher.name} {matcher.version}", "replaced": replaced}
    await log_change(tx, actor, "idea", seen.claim.idea_id, seen.idea["public_id"], "read", **detail)
