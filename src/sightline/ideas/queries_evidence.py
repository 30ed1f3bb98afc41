"""The SQL of an idea's evidence."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.ideas.records_evidence import Evidence, EvidenceFilters
from sightline.platform.db import Tx, Where, Window
from sightline.platform.errors import NotFound
from sightline.platform.wire import Page, Versioned, version_tag

_EVIDENCE = """
    e.id, e.title, e.description, e.extracts, e.category, e.signal_id,
    (SELECT 'SIGNAL-' || s.number FROM signals s WHERE s.workspace_id = e.workspace_id AND s.id = e.signal_id),
    iso(e.resolved_at), e.resolution, e.resolved_by, iso(e.dismissed_at), e.role, e.origin"""

_PAGE = """
SELECT {columns}, (SELECT count(*) FROM idea_evidence WHERE {where})
  FROM (SELECT * FROM idea_evidence WHERE {where} ORDER BY created_at DESC, id LIMIT {limit} OFFSET {offset}) AS e
 ORDER BY e.created_at DESC, e.id"""


async def page_of_evidence(
    tx: Tx, workspace_id: UUID, idea_id: UUID, wanted: EvidenceFilters, window: Window
) -> Page[Evidence]:
    """Newest link first."""
    where = Where(workspace_id)
    where.add("idea_id = {}", idea_id)
    if wanted.visibility == "active":
        where.add("resolved_at IS NULL AND dismissed_at IS NULL")
    bounds = {"limit": where.value(window.limit), "offset": where.value(window.offset)}
    rows = await tx.rows(_PAGE.format(columns=_EVIDENCE, where=where, **bounds), *where.values)
    if rows:
        return Page([Evidence(*row[:13]) for row in rows], rows[0][-1], window)
    total = await tx.value(f"SELECT count(*) FROM idea_evidence WHERE {where}", *where.values[:-2])
    return Page([], total, window)


class State(NamedTuple):
    """What may be changed about a piece of evidence."""

    role: str
    resolution: str | None
    resolved_at: datetime | None
    resolved_by: UUID | None
    dismissed_at: datetime | None


_LOCK = """
SELECT role, resolution, resolved_at, resolved_by, dismissed_at, version
  FROM idea_evidence WHERE workspace_id = $1 AND idea_id = $2 AND id = $3 FOR NO KEY UPDATE"""
_FIND = f"SELECT {_EVIDENCE}, e.version FROM idea_evidence e WHERE e.workspace_id = $1 AND e.idea_id = $2 AND e.id = $3"
_CHANGE = """
UPDATE idea_evidence
   SET role = $4, resolution = $5, resolved_at = $6, resolved_by = $7, dismissed_at = $8, updated_at = $9,
       version = version + 1
 WHERE workspace_id = $1 AND idea_id = $2 AND id = $3"""


async def lock_state(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> tuple[State, int]:
    """With its version. Raises NotFound."""
    row = await tx.row(_LOCK, workspace_id, idea_id, id)
    if row is None:
        raise NotFound
    return State(*row[:5]), row[5]


async def find_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> Versioned[Evidence]:
    """Raises NotFound."""
    row = await tx.row(_FIND, workspace_id, idea_id, id)
    if row is None:
        raise NotFound
    return Versioned(Evidence(*row[:13]), version_tag(row[0], row[13]))


async def change_state(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID, state: State) -> None:
    await tx.run(_CHANGE, workspace_id, idea_id, id, *state, tx.now)
