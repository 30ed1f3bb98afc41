"""The SQL of insights."""

from typing import NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.database import Row
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals.records_insights import Extract, Insight, InsightFilters
from sightline.workspaces.changes import COUNT, log_change

# In the order of Insight's fields; the version comes last.
_INSIGHT = """
    id, title, description, category, extracts, review_state, merged_into, origin, external_id, signal_ids, account_ids,
    iso(created_at), iso(updated_at), version"""
_FIND = f"SELECT {_INSIGHT} FROM insights WHERE workspace_id = $1 AND id = $2"

_LISTING = Listing("insights", _INSIGHT, COUNT.format(kind="insight"))
_NEWEST_FIRST = "created_at DESC, id DESC"
_OLDEST_CHANGE_FIRST = "updated_at, id"
_OF_SIGNAL = "id IN (SELECT insight_id FROM insight_signals WHERE workspace_id = $1 AND signal_id = {})"
_OF_SIGNAL_NUMBER = _OF_SIGNAL.format("(SELECT id FROM signals WHERE workspace_id = $1 AND number = {})")
_OF_ACCOUNT = "id IN (SELECT insight_id FROM insight_accounts WHERE workspace_id = $1 AND account_id = {})"


async def find_insight(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[Insight]:
    """Raises NotFound."""
    row = await tx.row(_FIND, workspace_id, id)
    if row is None:
        raise NotFound
    return Versioned(Insight(*row[:13]), version_tag(row[0], row[13]))


async def page_of_insights(tx: Tx, workspace_id: UUID, wanted: InsightFilters, window: Window) -> Page[Insight]:
    """Newest first; with `updated_since` the oldest change first, and none that a change still under way precedes."""
    where = Where(workspace_id)
    if wanted.signal_id is not None:
        _of_signal(where, wanted.signal_id)
    if wanted.account_id is not None:
        where.add(_OF_ACCOUNT, wanted.account_id)
    if wanted.category is not None:
        where.add("category = {}", wanted.category)
    if wanted.review_state:
        where.add("review_state = ANY({})", wanted.review_state)
    if wanted.q is not None:
        where.add("search @@ plainto_tsquery('simple', {})", wanted.q)
    if wanted.updated_since is not None:
        where.add("updated_at >= {}", wanted.updated_since)
        where.add("updated_at <= {}", await find_horizon(tx))
    order = _NEWEST_FIRST if wanted.updated_since is None else _OLDEST_CHANGE_FIRST
    rows, total = await read_page(tx, _LISTING, where, order, window)
    return Page([Insight(*row[:13]) for row in rows], total, window)


def _of_signal(where: Where, ref: SignalRef) -> None:
    where.add(_OF_SIGNAL if ref.number is None else _OF_SIGNAL_NUMBER, ref.value)


class Stored(NamedTuple):
    """An insight as it is when it is locked."""

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
        """A workspace file may say only one of the two."""
        return self.review_state == "merged" or self.merged_into is not None


# Signals first, as everybody does who writes links of both: see 11_links.sql.
_LOCK_SIGNALS = """
SELECT id FROM signals
 WHERE workspace_id = $1 AND id IN (SELECT signal_id FROM insight_signals WHERE workspace_id = $1 AND insight_id = $2)
 ORDER BY id FOR NO KEY UPDATE"""
_LOCK = """
SELECT id, title, description, category, extracts, review_state, merged_into, version FROM insights
 WHERE workspace_id = $1 AND (id = $2 OR id = $3 OR merged_into = $4) ORDER BY id FOR NO KEY UPDATE"""


async def lock_insights(tx: Tx, workspace_id: UUID, id: UUID, target: UUID | None = None) -> dict[UUID, Stored]:
    """By id, those of both that exist. With a target also all that moves when the one is merged into the other."""
    if target is not None:
        await tx.rows(_LOCK_SIGNALS, workspace_id, id)
    rows = await tx.rows(_LOCK, workspace_id, id, target, id if target else None)
    return {row["id"]: _stored(row) for row in rows}


def _stored(row: Row) -> Stored:
    fields = dict(row)
    if fields["extracts"] is not None:
        fields["extracts"] = msgspec.json.decode(fields["extracts"], type=list[Extract])
    return Stored(**fields)


_CHANGE = """
UPDATE insights
   SET title = $3, description = $4, category = $5, extracts = $6, review_state = $7, updated_at = $8,
       version = version + 1, written = pg_current_xact_id()
 WHERE workspace_id = $1 AND id = $2"""


async def change_insight(tx: Tx, actor: Actor, insight: Stored, fields: list[str]) -> None:
    """Stores the insight's own words, quotes and state, and says in the trail which of them are new."""
    own = (insight.title, insight.description, insight.category, insight.extracts, insight.review_state)
    await tx.run(_CHANGE, actor.workspace_id, insight.id, *own, tx.now)
    await log_change(tx, actor, "insight", insight.id, None, "updated", fields=fields)


# In the order of the primary key: see 11_links.sql.
_ADD_LINKS = """
INSERT INTO {links} (workspace_id, insight_id, {member})
SELECT $1, $3, {member} FROM {links} WHERE workspace_id = $1 AND insight_id = $2 ORDER BY {member}
ON CONFLICT DO NOTHING"""
_REMOVE_LINKS = "DELETE FROM {links} WHERE workspace_id = $1 AND insight_id = $2"
_LINKS = (("insight_signals", "signal_id"), ("insight_accounts", "account_id"))
_MERGE = """
UPDATE insights
   SET review_state = 'merged', merged_into = $3, updated_at = $4, version = version + 1, written = pg_current_xact_id()
 WHERE workspace_id = $1 AND (id = $2 OR merged_into = $2) RETURNING id"""


async def merge_insights(tx: Tx, actor: Actor, id: UUID, target: UUID) -> None:
    """Moves the links, and lets the insight and all that were merged into it lead to the target."""
    values = (actor.workspace_id, id, target)
    for links, member in _LINKS:
        await tx.run(_ADD_LINKS.format(links=links, member=member), *values)
        await tx.run(_REMOVE_LINKS.format(links=links), *values[:2])
    for row in await tx.rows(_MERGE, *values, tx.now):
        await log_change(tx, actor, "insight", row[0], None, "merged", into=str(target))
