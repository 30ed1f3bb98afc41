"""Reviewing insights: accept or reject one, change its wording, merge it into another, delete it."""

from typing import Any, ClassVar, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET

from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, retry_transaction, sql, update_record
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Expectation, Versioned, version_tag
from sightline.signals.insights import queries
from sightline.signals.insights.records import Extract, Insight, InsightChanges, InsightDeletion
from sightline.signals.insights.same_words import lock_statements
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change

_WORDING = ("title", "description", "category")


class StoredInsight(NamedTuple):
    """An insight that a write has locked."""

    id: UUID
    title: str
    description: str
    category: str
    extracts: list[Extract] | None
    review_state: str
    merged_into: UUID | None
    version: int

    @property
    def is_merged(self) -> bool:
        """Whether the insight was merged. A workspace file may set only one of the two fields."""
        return self.review_state == "merged" or self.merged_into is not None


# Signals first, as in every write of links between the two: see 11_links.sql.
_LOCK_SIGNALS = sql("""
SELECT id FROM signals
 WHERE workspace_id = :workspace_id
   AND id IN (SELECT signal_id FROM insight_signals WHERE workspace_id = :workspace_id AND insight_id = :id)
 ORDER BY id FOR NO KEY UPDATE""")
_STORED = ", ".join(StoredInsight._fields)
_LOCK = SingleRecord.of(queries.NAMED, _STORED, queries.SIZE, lock="FOR NO KEY UPDATE")
_LOCK_TO_MERGE = sql(
    """
SELECT {columns} FROM insights
 WHERE workspace_id = :workspace_id AND (id IN (:id, :target_id) OR merged_into = :id) ORDER BY id FOR NO KEY UPDATE""",
    columns=_STORED,
)
_LOCK_TO_DELETE = sql("SELECT version FROM insights WHERE workspace_id = :workspace_id AND id = :id FOR UPDATE")
_REMOVE = sql("DELETE FROM insights WHERE workspace_id = :workspace_id AND id = :id")


class InsightMerged(Conflict):
    """409: another insight replaces this one."""

    code = "INSIGHT_MERGED"
    members: ClassVar[dict[str, Any]] = {"mergedIntoId": "0193f1a2-7c00-7e0d-8f2a-5b7f0c9d1e42"}


async def change_insight(
    db: Database, actor: Actor, id: UUID, changes: InsightChanges, expect: Expectation, *, at_once: bool
) -> Versioned[Insight]:
    """Changes an insight. Raises ValidationFailed, NotFound, PreconditionFailed, InsightMerged, Conflict.

    Raises LargeRecord for a large one whose wording or state is changed `at_once`.
    """
    columns = _stated_columns(changes)

    async def attempt(tx: Tx) -> Versioned[Insight]:
        if changes.merged_into_id is UNSET:
            row = await _LOCK.find(tx, at_once=at_once, workspace_id=actor.workspace_id, id=id)
            await _edit(tx, actor, _stored(row), columns, expect)
        else:
            await _merge(tx, actor, id, changes.merged_into_id, expect)
        return await queries.find_insight(tx, actor.workspace_id, id)

    return await retry_transaction(db, attempt, _keeps_changing())


async def delete_insight(db: Database, actor: Actor, id: UUID, expect: Expectation) -> InsightDeletion:
    """Deletes an insight with its links. Raises NotFound, PreconditionFailed, Conflict."""

    async def attempt(tx: Tx) -> InsightDeletion:
        await lock_statements(tx, actor.workspace_id)
        await tx.rows(_LOCK_SIGNALS, workspace_id=actor.workspace_id, id=id)
        before = await tx.found(_LOCK_TO_DELETE, workspace_id=actor.workspace_id, id=id)
        expect(version_tag(id, before["version"]))
        tx = tx.later()
        await log_change(tx, actor, "insight", id, None, "deleted")
        await tx.run(_REMOVE, workspace_id=actor.workspace_id, id=id)
        await add_to_counts(tx, actor.workspace_id, {"insight": -1})
        return InsightDeletion(True, id)

    return await retry_transaction(db, attempt, _keeps_changing())


def _keeps_changing() -> Conflict:
    return Conflict("The records that the insight is linked with keep changing. Try again.")


def _stated_columns(changes: InsightChanges) -> dict[str, Any]:
    """Returns the columns that the request sets. Raises ValidationFailed for no field, and for a merge with others."""
    stated = {name: value for name in (*_WORDING, "review_state") if (value := getattr(changes, name)) is not UNSET}
    if not stated and changes.merged_into_id is UNSET:
        raise ValidationFailed.of("", "Send at least one field")
    if stated and changes.merged_into_id is not UNSET:
        raise ValidationFailed.of("mergedIntoId", "Send it without other fields")
    return stated


async def _edit(tx: Tx, actor: Actor, before: StoredInsight, stated: dict[str, Any], expect: Expectation) -> None:
    """Changes the wording or the state; leaves `updated_at` alone if nothing changed."""
    _expect(before, expect)
    if before.merged_into is not None:
        raise _merged(before)
    changed = {name: value for name, value in stated.items() if value != getattr(before, name)}
    is_reworded = any(name in changed for name in _WORDING)
    if is_reworded and "review_state" not in stated and before.review_state not in ("edited", "rejected"):
        changed["review_state"] = "edited"
    if changed:
        await _change(tx.later(), actor, before.id, changed, list(changed))


async def _merge(tx: Tx, actor: Actor, id: UUID, target_id: UUID, expect: Expectation) -> None:
    """Moves the links and copies the quotes to the target. Changes nothing if the insight was merged into it before."""
    await lock_statements(tx, actor.workspace_id)
    await tx.rows(_LOCK_SIGNALS, workspace_id=actor.workspace_id, id=id)
    rows = await tx.rows(_LOCK_TO_MERGE, workspace_id=actor.workspace_id, id=id, target_id=target_id)
    found = {row["id"]: _stored(row) for row in rows}
    tx = tx.later()
    if id not in found:
        raise NotFound
    before = found[id]
    target = _target(before, found.get(target_id))
    _expect(before, expect)
    if before.merged_into == target.id:
        return
    if before.merged_into is not None:
        raise _merged(before)
    await _move_links(tx, actor, id, target_id)
    extracts = {"extracts": _joined(target.extracts, before.extracts)}
    await _change(tx, actor, target.id, extracts, ["extracts", "signals", "accounts"])


def _stored(row: Row) -> StoredInsight:
    stored = StoredInsight(*row)
    if stored.extracts is None:
        return stored
    return stored._replace(extracts=msgspec.json.decode(row["extracts"], type=list[Extract]))


async def _change(tx: Tx, actor: Actor, id: UUID, changes: dict[str, Any], fields: list[str]) -> None:
    """Sets these columns, and logs the changed fields."""
    await update_record(tx, "insights", actor.workspace_id, id, changes)
    await log_change(tx, actor, "insight", id, None, "updated", fields=fields)


# In the order of the primary key: see 11_links.sql.
_ADD_LINKS = """
INSERT INTO {links} (workspace_id, insight_id, {member})
SELECT :workspace_id, :target_id, {member} FROM {links}
 WHERE workspace_id = :workspace_id AND insight_id = :id ORDER BY {member}
ON CONFLICT DO NOTHING"""
_REMOVE_LINKS = "DELETE FROM {links} WHERE workspace_id = :workspace_id AND insight_id = :id"
_MOVE_LINKS = [
    (sql(_ADD_LINKS, links=links, member=member), sql(_REMOVE_LINKS, links=links))
    for links, member in (("insight_signals", "signal_id"), ("insight_accounts", "account_id"))
]
_MERGE = sql("""
UPDATE insights
   SET review_state = 'merged', merged_into = :target_id, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND (id = :id OR merged_into = :id) RETURNING id""")


async def _move_links(tx: Tx, actor: Actor, id: UUID, target_id: UUID) -> None:
    """Moves the links to the target. The insight, and those merged into it before, then name the target."""
    for add, remove in _MOVE_LINKS:
        await tx.run(add, workspace_id=actor.workspace_id, id=id, target_id=target_id)
        await tx.run(remove, workspace_id=actor.workspace_id, id=id)
    for row in await tx.rows(_MERGE, workspace_id=actor.workspace_id, id=id, target_id=target_id):
        await log_change(tx, actor, "insight", row["id"], None, "merged", into=str(target_id))


def _target(before: StoredInsight, target: StoredInsight | None) -> StoredInsight:
    if target is None:
        raise ValidationFailed.of("mergedIntoId", "The workspace has no such insight")
    if target.id == before.id:
        raise ValidationFailed.of("mergedIntoId", "An insight cannot be merged into itself")
    if target.is_merged:
        raise ValidationFailed.of("mergedIntoId", "That insight is itself merged into another one")
    return target


def _expect(before: StoredInsight, expect: Expectation) -> None:
    expect(version_tag(before.id, before.version))


def _merged(before: StoredInsight) -> InsightMerged:
    return InsightMerged("This insight is merged into another one. Change that one.", mergedIntoId=before.merged_into)


def _joined(own: list[Extract] | None, others: list[Extract] | None) -> list[Extract] | None:
    """Returns the insight's quotes, then the other insight's quotes that are new."""
    if others is None:
        return own
    known = {msgspec.json.encode(extract) for extract in own or []}
    return (own or []) + [extract for extract in others if msgspec.json.encode(extract) not in known]
