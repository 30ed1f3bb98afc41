"""Changing an idea. Omitted fields stay. Specification: PATCH /ideas/:id; decisions: Ideas."""

from typing import Any, NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import find_taxonomy
from sightline.ideas import links, queries, read
from sightline.ideas.classifications.assign import Assignment, assign, resolve
from sightline.ideas.classifications.suggest import renew_suggestions
from sightline.ideas.links import distinct
from sightline.ideas.matching import outcome
from sightline.ideas.matching.outcome import MATCHED, Outcome
from sightline.ideas.questions.drafted import renew_drafted
from sightline.ideas.readings.due import mark_due, model_follows
from sightline.ideas.records import Idea, IdeaChanges
from sightline.ideas.references import Named, check_named
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, by_reference
from sightline.platform.db.database import Row
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.db.updates import update_record
from sightline.platform.errors import BadRequest, Conflict, Fault, ValidationFailed
from sightline.platform.refs import IdeaRef, InitiativeRef
from sightline.platform.wire import Expectation, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change


class AlreadyLinked(BadRequest):
    """400: the idea belongs to another initiative."""

    code = "ALREADY_LINKED"


async def change_idea(
    db: Database,
    maps: FeatureMaps,
    actor: Actor,
    ref: IdeaRef,
    changes: IdeaChanges,
    expect: Expectation = expect_anything,
) -> Versioned[Idea]:
    """Changes an idea. Raises NotFound, ValidationFailed, AlreadyLinked, PreconditionFailed."""

    async def attempt() -> Versioned[Idea] | None:
        found = await _match(db, maps, actor, ref, changes)
        async with db.transaction() as tx:
            return await _change(tx, maps, actor, ref, changes, found, expect)

    return await retry_when_overtaken(attempt, Conflict("The records that the change names keep changing. Try again."))


async def _match(db: Database, maps: FeatureMaps, actor: Actor, ref: IdeaRef, changes: IdeaChanges) -> Outcome | None:
    """Matches a new description before the idea is locked, or leaves that to the model that follows.

    Returns None if the features stay.
    """
    if changes.description is UNSET or changes.feature_ids is not UNSET:
        return None
    async with db.autocommit() as tx:
        seen = await queries.find_state(tx, actor.workspace_id, ref)
        if not _wants_matching(seen, changes):
            return None
        if await model_follows(tx, maps.engine, actor.workspace_id):
            return outcome.awaiting_model(seen["product_id"])
        features = await maps.find(tx, actor.workspace_id, seen["product_id"])
    return await outcome.match(maps.engine, db.clock, features, changes.description) if features else None


def _wants_matching(idea: Row, changes: IdeaChanges) -> bool:
    """Whether the description sent has to be matched: it is new or its matching outdated, no features are chosen."""
    if changes.description is UNSET or changes.feature_ids is not UNSET:
        return False
    if idea["product_id"] is None or idea["feature_ownership"] != "automatic":
        return False
    return idea["description"] != changes.description or outcome.is_stale(idea)


async def _change(  # noqa: PLR0913 - the request, and what was matched for it
    tx: Tx,
    maps: FeatureMaps,
    actor: Actor,
    ref: IdeaRef,
    changes: IdeaChanges,
    found: Outcome | None,
    expect: Expectation,
) -> Versioned[Idea] | None:
    """Returns None if the idea changed since it was matched; the caller retries.

    Rows are locked in the order initiative, idea, links; concurrent changes of one idea wait for each other.
    """
    target = await _hold_target(tx, actor, changes)
    current = await queries.lock_idea(tx, actor.workspace_id, ref)
    tx = tx.later()
    taxonomy_id, assignments = await _check(tx, actor, changes, current)
    attached = _attached(current, changes, target)
    expect(version_tag(current["id"], current["version"]))
    if not _wants_matching(current, changes):
        found = None
    elif found is None or found.product_id != current["product_id"]:
        return None
    columns = _columns(changes) | {"initiative_id": attached} | _matching_columns(tx, maps, changes, current, found)
    linked = await _link(tx, actor.workspace_id, current["id"], changes, found)
    if assignments:
        linked["classifications"] = await assign(tx, actor.workspace_id, current["id"], assignments)
        columns["taxonomy_version_id"] = taxonomy_id
    is_described = changes.description not in (UNSET, current["description"])
    if is_described:
        await renew_suggestions(tx, maps.engine, actor.workspace_id, current["id"], columns["description"])
        drafted = maps.engine.ask_questions(columns["description"])
        await renew_drafted(tx, actor.workspace_id, current["id"], drafted)
    awaits_model = found is not None and found.awaits_model
    if awaits_model or (is_described and await model_follows(tx, maps.engine, actor.workspace_id)):
        await mark_due(tx, actor.workspace_id, current["id"])
    await _store(tx, actor, current, columns, linked)
    row = await queries.find_idea(tx, actor.workspace_id, IdeaRef(id=current["id"]))
    return await read.with_classifications(tx, actor, row) if assignments else read.versioned(row)


class Target(NamedTuple):
    """An initiative that an idea may be attached to."""

    id: UUID
    is_archived: bool


_HOLD_INITIATIVE = by_reference("""
SELECT id, status = 'ARCHIVED' AS is_archived
  FROM initiatives WHERE workspace_id = :workspace_id AND {ref} = :ref FOR SHARE""")


async def _hold_target(tx: Tx, actor: Actor, changes: IdeaChanges) -> Target | None:
    """Locks the initiative until the transaction ends. It is locked before the idea."""
    if changes.project_id is UNSET or changes.project_id is None:
        return None
    ref = InitiativeRef.parse(changes.project_id)
    row = await tx.row(_HOLD_INITIATIVE[ref.column], workspace_id=actor.workspace_id, ref=ref.value)
    return Target(*row) if row else None


async def _check(tx: Tx, actor: Actor, changes: IdeaChanges, current: Row) -> tuple[UUID | None, list[Assignment]]:
    """Returns the classifications to assign, with the taxonomy's id. Raises ValidationFailed with every fault."""
    faults: list[Fault] = []
    taxonomy_id, assignments = None, []
    if changes.classifications is not UNSET and changes.classifications:
        taxonomy = await find_taxonomy(tx, actor.workspace_id)
        taxonomy_id, assignments = taxonomy.id, resolve(taxonomy, changes.classifications, faults)
    named = Named(
        product_id=current["product_id"] if changes.feature_ids else None,
        feature_ids=changes.feature_ids or (),
        insight_ids=changes.insight_ids or (),
        account_ids=changes.account_ids or (),
    )
    await check_named(tx, actor.workspace_id, named, faults)
    return taxonomy_id, assignments


def _attached(current: Row, changes: IdeaChanges, target: Target | None) -> UUID | None:
    """Returns the initiative after the change: none, the current one, or the target if the idea has none."""
    attached_to: UUID | None = current["initiative_id"]
    if changes.project_id is UNSET:
        return attached_to
    if changes.project_id is None:
        return None
    if target is None:
        raise ValidationFailed.of("projectId", "The workspace has no such initiative")
    if attached_to == target.id:
        return attached_to
    if attached_to is not None:
        raise AlreadyLinked(
            "The idea belongs to another initiative. Detach it first, with projectId null.", field="projectId"
        )
    if target.is_archived:
        raise ValidationFailed.of("projectId", "The initiative is archived. Choose another one")
    return target.id


def _columns(changes: IdeaChanges) -> dict[str, Any]:
    """Returns the columns that are stored as sent."""
    sent = {
        "name": changes.name,
        "description": changes.description,
        "portal_visible": changes.portal_visible,
        "official_answer": changes.official_answer,
    }
    return {column: value for column, value in sent.items() if value is not UNSET}


def _matching_columns(
    tx: Tx, maps: FeatureMaps, changes: IdeaChanges, current: Row, found: Outcome | None
) -> dict[str, Any]:
    """Returns the changed columns of the matching. It is dropped if the new description lacks one of its quotes."""
    if found is not None:
        return found.columns
    if changes.feature_ids is not UNSET:
        if current["feature_ownership"] == "manual" and current["feature_matching"] is not None:
            return {}
        return outcome.chosen(maps.engine, current["product_id"], [], tx.now).columns
    if changes.description is not UNSET and not outcome.quotes_only(changes.description, current["feature_matching"]):
        return outcome.NONE
    return {}


async def _link(tx: Tx, workspace_id: UUID, id: UUID, changes: IdeaChanges, found: Outcome | None) -> dict[str, int]:
    """Returns how many links of each set changed."""
    changed: dict[str, int] = {}
    if found is not None:
        changed["features"] = await links.replace_features(tx, workspace_id, id, found.feature_ids)
    if changes.feature_ids is not UNSET:
        changed["features"] = await links.replace_features(tx, workspace_id, id, distinct(changes.feature_ids))
    if changes.insight_ids is not UNSET:
        is_validated = changes.validate_insight_links is True
        insights = distinct(changes.insight_ids)
        changed["insights"] = await links.replace_insights(tx, workspace_id, id, insights, validated=is_validated)
    if changes.account_ids is not UNSET:
        changed["accounts"] = await links.replace_accounts(tx, workspace_id, id, distinct(changes.account_ids))
    return changed


async def _store(tx: Tx, actor: Actor, current: Row, columns: dict[str, Any], linked: dict[str, int]) -> None:
    """Stores the change; leaves version and `updated_at` alone if nothing changed."""
    moved = {name: value for name, value in columns.items() if value != current[name]}
    fields = [name for name in moved if name not in MATCHED] + [name for name, count in linked.items() if count]
    if not fields and not moved:
        return
    if "name" in moved:
        moved["name_drafted"] = False
    await update_record(tx, "ideas", actor.workspace_id, current["id"], moved)
    await log_change(tx, actor, "idea", current["id"], current["public_id"], "updated", fields=fields)
