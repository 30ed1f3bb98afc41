"""The SQL of an idea's evidence."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.ideas.evidence.records import Evidence, EvidenceFilters
from sightline.platform.db import Tx, Where, Window, by_reference, sql
from sightline.platform.db.sql import assignments
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned, versioned

# In the order of Evidence's fields.
_EVIDENCE = """
    e.id, e.title, e.description, e.extracts, e.category, e.signal_id,
    (SELECT 'SIGNAL-' || number FROM signals WHERE workspace_id = :workspace_id AND id = e.signal_id),
    iso(e.resolved_at), e.resolution, e.resolved_by, iso(e.dismissed_at), e.role, e.origin"""
_NEWEST = Order("evidence", "created_at", "id", UUID, is_descending=True, has_cursor=False, tie_ascends=True)
_SIZE = stored_size("description", "resolution", json=["extracts"])
_LISTING = Listing("idea_evidence", Evidence, _EVIDENCE, _NEWEST, size=_SIZE, alias="e")


async def page_of_evidence(
    tx: Tx, workspace_id: UUID, idea_id: UUID, filters: EvidenceFilters, window: Window
) -> Page[Evidence]:
    """Returns a page, newest link first."""
    where = Where(workspace_id).equals(idea_id=idea_id)
    if filters.visibility == "active":
        where.add("resolved_at IS NULL AND dismissed_at IS NULL")
    return await read_list(tx, _LISTING, where, window)


class State(NamedTuple):
    """The columns of a piece of evidence that a change may set."""

    role: str
    resolution: str | None
    resolved_at: datetime | None
    resolved_by: UUID | None
    dismissed_at: datetime | None


_LOCK = sql(
    """
SELECT {state}, version
  FROM idea_evidence WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id FOR NO KEY UPDATE""",
    state=", ".join(State._fields),
)
_FIND = sql(
    """
SELECT {columns}, e.version
  FROM idea_evidence e WHERE e.workspace_id = :workspace_id AND e.idea_id = :idea_id AND e.id = :id""",
    columns=_EVIDENCE,
)
_CHANGE = sql(
    """
UPDATE idea_evidence SET {state}, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id""",
    state=assignments(State._fields),
)


async def lock_state(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> tuple[State, int]:
    """Locks the evidence; returns its state and its version. Raises NotFound."""
    *state, version = await tx.found(_LOCK, workspace_id=workspace_id, idea_id=idea_id, id=id)
    return State(*state), version


async def find_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> Versioned[Evidence]:
    """Raises NotFound."""
    return versioned(Evidence, await tx.found(_FIND, workspace_id=workspace_id, idea_id=idea_id, id=id))


async def change_state(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID, state: State) -> None:
    await tx.run(_CHANGE, workspace_id=workspace_id, idea_id=idea_id, id=id, **state._asdict())


# The content of a signal: its text, under any name it is sent with, or the turns of its transcript.
_TEXT_NAMES = ("text", "body", "content", "comment", "description", "message", "transcript")
_FIND_QUOTED = by_reference("""
SELECT s.id,
       EXISTS (
         SELECT FROM (VALUES (r.raw), (s.data)) AS held (fields), unnest(:names::text[]) AS name
          WHERE jsonb_typeof(held.fields -> name) = 'string' AND strpos(held.fields ->> name, :quote) > 0)
    OR EXISTS (
         SELECT FROM jsonb_path_query(r.raw, '$.transcript.turns[*]') AS turn
          WHERE strpos(turn ->> 'text', :quote) > 0) AS is_quoted
  FROM signals AS s LEFT JOIN signal_raw AS r ON r.workspace_id = :workspace_id AND r.signal_id = s.id
 WHERE s.workspace_id = :workspace_id AND s.{ref} = :ref
   FOR KEY SHARE OF s""")


async def find_quoted(tx: Tx, workspace_id: UUID, signal: SignalRef, quote: str) -> tuple[UUID, bool] | None:
    """Returns the signal's id and whether the quote is an exact part of its content; None if there is no such signal.

    The signal cannot be deleted before the transaction ends.
    """
    statement = _FIND_QUOTED[signal.column]
    row = await tx.row(statement, workspace_id=workspace_id, ref=signal.value, quote=quote, names=_TEXT_NAMES)
    return (row["id"], row["is_quoted"]) if row else None


_ADD = sql("""
INSERT INTO idea_evidence (workspace_id, id, idea_id, title, description, category, extracts, signal_id, role, origin,
                           created_at, updated_at)
VALUES (:workspace_id, :id, :idea_id, :title, :description, :category, :extracts, :signal_id, :role, :origin,
        :now, :now)""")


async def add_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID, evidence: dict[str, Any]) -> None:
    """Adds evidence from title, description, category, extracts, signal_id, role and origin."""
    await tx.run(_ADD, **evidence, workspace_id=workspace_id, idea_id=idea_id, id=id)
