"""Changing an idea: what is absent stays. Specification: PATCH and DELETE /ideas/:id; decisions: Ideas."""

from typing import Any
from uuid import UUID

from asyncpg import DeadlockDetectedError, ForeignKeyViolationError
from msgspec import UNSET

from sightline.catalog.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import find_taxonomy
from sightline.ideas import classifications, detail, matching, queries, queries_changes, queries_create
from sightline.ideas.records import Idea, IdeaChanges, IdeaDeletion
from sightline.ideas.references import find_named
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import BadRequest, Conflict, Fault, ValidationFailed
from sightline.platform.refs import IdeaRef, InitiativeRef
from sightline.platform.wire import Expectation, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change

_ATTEMPTS = 8


class AlreadyLinked(BadRequest):
    """400: the idea belongs to another initiative."""

    code = "ALREADY_LINKED"


async def change_idea(
    db: Database,
    maps: FeatureMaps,
    actor: Actor,
    ref: IdeaRef,
    wish: IdeaChanges,
    expect: Expectation = expect_anything,
) -> Versioned[Idea]:
    """Raises NotFound, ValidationFailed, AlreadyLinked, CreatorNotAllowed, PreconditionFailed.

    Looks again when a record that is to be linked goes away between looking and linking.
    """
    for _ in range(_ATTEMPTS):
        try:
            async with db.write() as tx:
                return await _change(tx, maps, actor, ref, wish, expect)
        except (ForeignKeyViolationError, DeadlockDetectedError):
            continue
    raise Conflict("The records that the change names keep changing. Try again.")


async def _change(
    tx: Tx, maps: FeatureMaps, actor: Actor, ref: IdeaRef, wish: IdeaChanges, expect: Expectation
) -> Versioned[Idea]:
    """The rows are locked in the order initiative, idea, links; two changes of one idea come one after the other."""
    target = await _hold_target(tx, actor, wish)
    was = await queries_changes.lock_idea(tx, actor.workspace_id, ref)
    tx = tx.later()
    assignments = await _check(tx, actor, wish, was)
    attached = was["initiative_id"] if wish.project_id is UNSET else _attached(was, wish, target)
    actor.require_writer()
    expect(version_tag(was["id"], was["version"]))
    columns = _columns(tx, maps, wish, was) | {"initiative_id": attached}
    linked = await _link(tx, actor.workspace_id, was["id"], wish)
    if assignments is not None:
        taxonomy_id, values = assignments
        linked["classifications"] = await classifications.assign(tx, actor.workspace_id, was["id"], values)
        columns["taxonomy_version_id"] = taxonomy_id
    await _store(tx, actor, was, columns, linked)
    row = await queries.find_idea(tx, actor.workspace_id, IdeaRef(id=was["id"]))
    return await detail.with_classifications(tx, actor, row) if assignments is not None else detail.versioned(row)


async def _hold_target(tx: Tx, actor: Actor, wish: IdeaChanges) -> queries_changes.Target | None:
    if wish.project_id is UNSET or wish.project_id is None:
        return None
    return await queries_changes.hold_initiative(tx, actor.workspace_id, InitiativeRef.parse(wish.project_id))


async def _check(
    tx: Tx, actor: Actor, wish: IdeaChanges, was: Row
) -> tuple[UUID | None, list[classifications.Assignment]] | None:
    """What is to be classified, if anything is. Raises ValidationFailed with every fault of the sets."""
    faults: list[Fault] = []
    assignments = None
    if wish.classifications is not UNSET and wish.classifications:
        taxonomy = await find_taxonomy(tx, actor.workspace_id)
        assignments = taxonomy.id, classifications.resolve(taxonomy, wish.classifications, faults)
    await find_named(tx, actor.workspace_id, _Sets(wish), was["product_id"], faults)
    return assignments


class _Sets:
    """The sets of a change, as references read them."""

    status = None
    integration_id = None

    def __init__(self, wish: IdeaChanges) -> None:
        self.feature_ids = wish.feature_ids or None
        self.insight_ids = wish.insight_ids or None
        self.account_ids = wish.account_ids or None


def _columns(tx: Tx, maps: FeatureMaps, wish: IdeaChanges, was: Row) -> dict[str, Any]:
    """The columns the wish names, as they shall be."""
    named = {"name": wish.name, "description": wish.description, "portal_visible": wish.portal_visible}
    columns: dict[str, Any] = {name: value for name, value in named.items() if value is not UNSET}
    if wish.feature_ids is not UNSET:
        columns["feature_ownership"] = "manual"
        if was["feature_ownership"] != "manual" or was["feature_matching"] is None:
            chosen = matching.chosen(maps.engine, was["product_id"], [], tx.now)
            columns |= {"feature_matching": chosen.matching, "matched_key": None}
    return columns


def _attached(was: Row, wish: IdeaChanges, target: queries_changes.Target | None) -> UUID | None:
    """The initiative after the change: none, the one it is in already, or the target of a free idea."""
    if wish.project_id is None:
        return None
    if target is None:
        raise ValidationFailed.of("projectId", "The workspace has no such initiative")
    attached_to: UUID | None = was["initiative_id"]
    if attached_to == target.id:
        return attached_to
    if attached_to is not None:
        raise AlreadyLinked(
            "The idea belongs to another initiative. Detach it first, with projectId null.", field="projectId"
        )
    if target.is_archived:
        raise ValidationFailed.of("projectId", "An archived initiative takes no ideas")
    return target.id


async def _link(tx: Tx, workspace_id: UUID, id: UUID, wish: IdeaChanges) -> dict[str, int]:
    """How many links of each set changed."""
    changed: dict[str, int] = {}
    validated = wish.validate_insight_links is True
    if wish.feature_ids is not UNSET:
        features = list(dict.fromkeys(wish.feature_ids))
        changed["features"] = await queries_create.replace_features(tx, workspace_id, id, features)
    if wish.insight_ids is not UNSET:
        insights: list[UUID] = list(dict.fromkeys(wish.insight_ids))
        dropped = await queries_changes.drop_other_insights(tx, workspace_id, id, insights)
        added = await queries_create.add_insights(tx, workspace_id, id, insights, validated=validated)
        changed["insights"] = dropped + added
    if wish.account_ids is not UNSET:
        accounts: list[UUID] = list(dict.fromkeys(wish.account_ids))
        dropped = await queries_changes.drop_other_accounts(tx, workspace_id, id, accounts)
        changed["accounts"] = dropped + await queries_create.add_accounts(tx, workspace_id, id, accounts)
    return changed


async def _store(tx: Tx, actor: Actor, was: Row, columns: dict[str, Any], linked: dict[str, int]) -> None:
    """Nothing is written, and no date moves, when nothing is another than before."""
    moved = {name: value for name, value in columns.items() if value != was[name]}
    fields = [name for name in moved if name not in ("feature_matching", "matched_key")]
    fields += [name for name, count in linked.items() if count]
    if not fields and not moved:
        return
    await queries_changes.change_columns(tx, actor.workspace_id, was["id"], moved)
    await log_change(tx, actor, "idea", was["id"], was[1], "updated", fields=fields)


async def delete_idea(tx: Tx, actor: Actor, ref: IdeaRef, expect: Expectation = expect_anything) -> IdeaDeletion:
    """For good, with its questions, comments, evidence and links. Raises NotFound, CreatorNotAllowed."""
    was = await queries_changes.lock_idea(tx, actor.workspace_id, ref)
    actor.require_writer()
    expect(version_tag(was["id"], was["version"]))
    await queries_changes.remove_idea(tx.later(), actor, was["id"])
    return IdeaDeletion(True, was["id"], was[1])
