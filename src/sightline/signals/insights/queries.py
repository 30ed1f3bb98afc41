"""The SQL of insights."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Where, Window, sql, update_record
from sightline.platform.db.words import apart
from sightline.platform.errors import ValidationFailed
from sightline.platform.lists.large import ids_as_json, linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page, Versioned, versioned
from sightline.signals.insights.records import Extract, Insight, InsightFilters
from sightline.workspaces.changes import count_of, log_change


def _columns(ids: Callable[[str], str]) -> str:
    """Returns the fields of an Insight under their names, without similar ones, and the version."""
    return f"""
    id, title, description, category, extracts, review_state, merged_into AS merged_into_id, origin,
    external_id, {ids("signal_ids")}, {ids("account_ids")},
    CASE WHEN jsonb_typeof(extracts) = 'array' THEN jsonb_array_length(extracts) ELSE 0 END AS quote_count,
    account_count, ARRAY[]::uuid[] AS similar_insight_ids,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""


_INSIGHT, _LARGE_INSIGHT = _columns(str), _columns(ids_as_json)
_SIZE = f"{stored_size('description', json=['extracts'])} + {linked_size('signal_ids', 'account_ids')}"
_NAMED = "insights WHERE workspace_id = :workspace_id AND id = :id"
_ONE = SingleRecord.of(_NAMED, _INSIGHT, _SIZE, _LARGE_INSIGHT)
_LISTING = Listing(
    "insights",
    Insight,
    _INSIGHT,
    Order("insights.newest", "created_at", "id", UUID, is_descending=True),
    count_of("insight"),
    _SIZE,
    large_columns=_LARGE_INSIGHT,
)
_BY_ACCOUNTS = replace(
    _LISTING, order=Order("insights.accounts", "account_count", "id", UUID, is_descending=True, has_cursor=False)
)

_OF_SIGNAL = {
    "id": "id IN (SELECT insight_id FROM insight_signals WHERE workspace_id = :workspace_id AND signal_id = :signal)",
    "number": """id IN (
        SELECT l.insight_id FROM insight_signals AS l JOIN signals AS s ON s.workspace_id = :workspace_id
           AND s.id = l.signal_id WHERE l.workspace_id = :workspace_id AND s.number = :signal)""",
}
_OF_IDEA = {
    "id": "id IN (SELECT insight_id FROM idea_insights WHERE workspace_id = :workspace_id AND idea_id = :idea)",
    "number": """id IN (
        SELECT l.insight_id FROM idea_insights AS l JOIN ideas AS i ON i.workspace_id = :workspace_id
           AND i.id = l.idea_id WHERE l.workspace_id = :workspace_id AND i.number = :idea)""",
}
_OF_ACCOUNT = """
    id IN (SELECT insight_id FROM insight_accounts WHERE workspace_id = :workspace_id AND account_id = :account_id)"""


async def find_insight(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool = False) -> Versioned[Insight]:
    """Returns the insight, without similar ones.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`.
    """
    row = await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, id=id)
    return versioned(Insight, row)


async def page_of_insights(tx: Tx, workspace_id: UUID, filters: InsightFilters, window: Window) -> Page[Insight]:
    """Returns a page, newest first; with `updated_since` the oldest change first. Raises ValidationFailed."""
    if filters.order is not None and filters.updated_since is not None:
        raise ValidationFailed.of("order", "Changes are listed in their own order: send it without updatedSince")
    listing = _LISTING if filters.order is None else _BY_ACCOUNTS
    return await read_list(tx, listing, _where(workspace_id, filters), window, filters.updated_since)


def _where(workspace_id: UUID, filters: InsightFilters) -> Where:
    where = Where(workspace_id).equals(category=filters.category)
    if (signal := filters.signal_id) is not None:
        where.add(_OF_SIGNAL[signal.column], signal=signal.value)
    if (idea := filters.idea_id) is not None:
        where.add(_OF_IDEA[idea.column], idea=idea.value)
    if filters.account_id is not None:
        where.add(_OF_ACCOUNT, account_id=filters.account_id)
    if filters.review_state:
        where.add("review_state = ANY(:review_states)", review_states=filters.review_state)
    if filters.q is not None:
        where.add(f"search @@ plainto_tsquery('simple', {apart(':q')})", q=filters.q)
    return where


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
_LOCK = SingleRecord.of(_NAMED, _STORED, _SIZE, lock="FOR NO KEY UPDATE")
_LOCK_TO_MERGE = sql(
    """
SELECT {columns} FROM insights
 WHERE workspace_id = :workspace_id AND (id IN (:id, :target_id) OR merged_into = :id) ORDER BY id FOR NO KEY UPDATE""",
    columns=_STORED,
)
_LOCK_TO_DELETE = sql(
    "SELECT {columns} FROM insights WHERE workspace_id = :workspace_id AND id = :id FOR UPDATE", columns=_STORED
)


async def lock_insight(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool) -> StoredInsight:
    """Raises NotFound, and LargeRecord for a large one that is changed `at_once`."""
    return _stored(await _LOCK.find(tx, at_once=at_once, workspace_id=workspace_id, id=id))


async def lock_to_delete(tx: Tx, workspace_id: UUID, id: UUID) -> StoredInsight:
    """Locks the insight and the signals that it rests on. Raises NotFound."""
    await tx.rows(_LOCK_SIGNALS, workspace_id=workspace_id, id=id)
    return _stored(await tx.found(_LOCK_TO_DELETE, workspace_id=workspace_id, id=id))


async def lock_to_merge(tx: Tx, workspace_id: UUID, id: UUID, target_id: UUID) -> dict[UUID, StoredInsight]:
    """Locks the insights that a merge changes. Returns the existing ones by id."""
    await tx.rows(_LOCK_SIGNALS, workspace_id=workspace_id, id=id)
    rows = await tx.rows(_LOCK_TO_MERGE, workspace_id=workspace_id, id=id, target_id=target_id)
    return {row["id"]: _stored(row) for row in rows}


def _stored(row: Row) -> StoredInsight:
    stored = StoredInsight(*row)
    if stored.extracts is None:
        return stored
    return stored._replace(extracts=msgspec.json.decode(row["extracts"], type=list[Extract]))


async def change_insight(tx: Tx, actor: Actor, id: UUID, changes: dict[str, Any], fields: list[str]) -> None:
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


async def merge_insights(tx: Tx, actor: Actor, id: UUID, target_id: UUID) -> None:
    """Moves the links to the target. The insight, and those merged into it before, then name the target."""
    for add, remove in _MOVE_LINKS:
        await tx.run(add, workspace_id=actor.workspace_id, id=id, target_id=target_id)
        await tx.run(remove, workspace_id=actor.workspace_id, id=id)
    for row in await tx.rows(_MERGE, workspace_id=actor.workspace_id, id=id, target_id=target_id):
        await log_change(tx, actor, "insight", row["id"], None, "merged", into=str(target_id))


_REMOVE = sql("DELETE FROM insights WHERE workspace_id = :workspace_id AND id = :id")


async def remove_insight(tx: Tx, workspace_id: UUID, id: UUID) -> None:
    """Removes an insight with its links."""
    await tx.run(_REMOVE, workspace_id=workspace_id, id=id)
