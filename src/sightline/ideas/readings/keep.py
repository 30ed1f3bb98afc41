"""Storing what was found in an idea that waited for a model, as far as nobody decided it meanwhile.

Features that the model does not match are matched by the embedded engine, so that no idea stays without a matching.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from sightline.catalog.taxonomy import Taxonomy
from sightline.ideas.classifications.suggest import Suggestions, list_groups, replace_suggestions, supported
from sightline.ideas.links import FEATURES, replace_links
from sightline.ideas.matching import selection
from sightline.ideas.matching.chosen_features import may_match
from sightline.ideas.matching.records import Matcher
from sightline.ideas.matching.selection import Selection
from sightline.ideas.questions.drafted import replace_drafted
from sightline.ideas.readings.claims import Retry, find_claimed
from sightline.ideas.readings.material import Seen
from sightline.ideas.store import change_columns, set_due
from sightline.intelligence.model.ideas import IdeaReading
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx
from sightline.workspaces.changes import log_change


async def keep_reading(
    db: Database, seen: Seen, reading: IdeaReading, by: Matcher, by_words: Selection | None, again: Retry | None = None
) -> None:
    """Stores the parts of a reading that nobody changed since the idea was read; nothing if its claim no longer holds.

    `by_words` is the embedded engine's selection for an idea without a matching: it is stored if the reading has none.
    """
    async with db.transaction() as tx:
        current = await find_claimed(tx, seen.claim, lock=True)
        if current is None or current["description"] != seen.idea["description"]:
            return
        tx = tx.later()
        found = _by_model(tx, seen, reading, by) or by_words
        columns = await _features(tx, seen, current, found)
        replaced = ["features"] if columns else []
        if not columns and may_match(current) and current["feature_matching"] is None:  # the feature map changed
            again = Retry(timedelta(), seen.claim.attempts)
        if reading.name not in (None, current["name"]) and current["name"] == seen.idea["name"]:
            columns["name"] = reading.name
            replaced.append("name")
        if await _options(tx, seen, reading):
            replaced.append("classifications")
        is_changed = bool(replaced)  # new questions do not change the idea itself
        claim, asked = seen.claim, reading.questions
        if asked is not None and await replace_drafted(tx, claim.workspace_id, claim.idea_id, seen.questions, asked):
            replaced.append("questions")
        await _end(tx, seen, columns, _detail(by, replaced, found), again, is_changed=is_changed)


def _by_model(tx: Tx, seen: Seen, reading: IdeaReading, by: Matcher) -> Selection | None:
    if reading.matching is None or seen.features is None:
        return None
    return selection.matched(by, seen.features, seen.idea["description"], reading.matching, tx.now)


async def _features(tx: Tx, seen: Seen, current: Row, found: Selection | None) -> dict[str, Any]:
    """Replaces the features. Returns the columns to store with them; none if the features stay."""
    if found is None or seen.features is None:
        return {}
    if any(current[column] != seen.idea[column] for column in ("feature_ids", "matched_key")):
        return {}
    if not await selection.still_holds(tx, seen.claim.workspace_id, seen.features, seen.idea, current):
        return {}
    await replace_links(tx, FEATURES, (seen.claim.workspace_id, seen.claim.idea_id), found.feature_ids)
    return found.columns


async def _options(tx: Tx, seen: Seen, reading: IdeaReading) -> bool:
    """Replaces the suggested options that nobody reviewed, of the groups that the model was asked about."""
    options = reading.options
    if options is None:
        return False
    workspace_id, idea_id, text = seen.claim.workspace_id, seen.claim.idea_id, seen.idea["description"]

    async def find(taxonomy: Taxonomy, chosen: set[UUID]) -> Suggestions:
        return supported(options, list_groups(taxonomy, chosen), text)

    return await replace_suggestions(tx, workspace_id, idea_id, find, {group.id for group in seen.groups}) > 0


def _detail(by: Matcher, replaced: list[str], found: Selection | None) -> dict[str, Any]:
    detail: dict[str, Any] = {"engine": f"{by.name} {by.version}", "replaced": replaced}
    if "features" in replaced and found is not None and found.matching is not None and found.matching.matcher != by:
        detail["matcher"] = found.matching.matcher.name
    return detail


async def _end(
    tx: Tx, seen: Seen, columns: dict[str, Any], detail: dict[str, Any], again: Retry | None, *, is_changed: bool
) -> None:
    """Stores the columns, and makes the idea due again or no more. Logs what was replaced, and the end."""
    claim = seen.claim
    actor = Actor(claim.workspace_id, "job", str(claim.idea_id))
    due_at, attempts = (tx.now + again.wait, again.attempts) if again else (None, 0)
    if is_changed:
        due = {"model_due_at": due_at, "model_attempts": attempts}
        await change_columns(tx, actor, claim.idea_id, columns | due, "read", **detail)
        return
    await set_due(tx, claim.workspace_id, claim.idea_id, due_at, attempts)
    if detail["replaced"] or again is None:
        await log_change(tx, actor, "idea", claim.idea_id, seen.idea["public_id"], "read", **detail)
