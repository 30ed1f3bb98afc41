"""Reads the trail: which actor changed which record, when and how."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx, Where, sql
from sightline.platform.errors import InvalidReference, NotFound
from sightline.platform.refs import IdeaRef, InitiativeRef, Ref, SignalRef, StudyRef, parse_uuid
from sightline.platform.wire import Record, Timestamp

_TABLES: dict[type[Ref], str] = {
    IdeaRef: "ideas",
    InitiativeRef: "initiatives",
    SignalRef: "signals",
    StudyRef: "studies",
}
_CHANGES = """
SELECT iso(c.at), c.kind, c.record_id, c.public_id, c.action, c.actor_kind, c.actor_id, k.name, c.detail
  FROM (SELECT * FROM changes WHERE {where}) c
  LEFT JOIN api_keys k ON c.actor_kind = 'key' AND k.workspace_id = :workspace_id AND k.id::text = c.actor_id
 ORDER BY c.at, c.id"""
_FIND_RECORDS = """
SELECT id FROM {table} WHERE workspace_id = :workspace_id AND number = :number
UNION
SELECT record_id FROM changes
 WHERE workspace_id = :workspace_id AND action = 'deleted' AND public_id = :public_id"""
_FIND_NUMBERED = {kind: sql(_FIND_RECORDS, table=table) for kind, table in _TABLES.items()}
# A question of the engine leaves no trail at first.
_HAS_RECORD = sql("""
SELECT EXISTS (SELECT FROM changes WHERE workspace_id = :workspace_id AND record_id = :id)
    OR EXISTS (SELECT FROM idea_questions WHERE workspace_id = :workspace_id AND id = :id)""")
_FIND_PARTS = sql("""
SELECT id FROM idea_questions WHERE workspace_id = :workspace_id AND idea_id = ANY(:records::uuid[])
UNION
SELECT id FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = ANY(:records::uuid[])
UNION
SELECT id FROM idea_evidence WHERE workspace_id = :workspace_id AND idea_id = ANY(:records::uuid[])
UNION
SELECT id FROM initiative_questions WHERE workspace_id = :workspace_id AND initiative_id = ANY(:records::uuid[])
UNION
SELECT id FROM documents WHERE workspace_id = :workspace_id AND initiative_id = ANY(:records::uuid[])
UNION
SELECT id FROM account_contacts WHERE workspace_id = :workspace_id AND account_id = ANY(:records::uuid[])
UNION
SELECT id FROM research_runs WHERE workspace_id = :workspace_id AND brief_id = ANY(:records::uuid[])
UNION
SELECT record_id FROM changes
 WHERE workspace_id = :workspace_id AND kind IN ('idea_question', 'idea_comment', 'idea_evidence')
   AND detail ->> 'ideaId' = ANY(:records::uuid[]::text[])""")


class AuditEntry(Record):
    """One write: the actor, the action and the record. `actor_name` is the name of the key, if the actor is one."""

    at: Timestamp
    kind: str
    record_id: UUID
    public_id: str | None
    action: str
    actor_kind: str
    actor_id: str | None
    actor_name: str | None
    detail: Any


async def walk_changes(
    tx: Tx, workspace_id: UUID, record: str | None = None, since: datetime | None = None
) -> AsyncIterator[AuditEntry]:
    """Yields all entries, oldest first, read in portions. Needs a transaction.

    `record`: only those of the record with this id or public id, which may be deleted, and of its parts. Raises
    InvalidReference for a malformed reference, NotFound for a record that is not there and never was.
    """
    where = Where(workspace_id)
    if record is not None:
        where.add("record_id = ANY(:records)", records=await _find_records(tx, workspace_id, record))
    if since is not None:
        where.add("at >= :since", since=since)
    async for rows in tx.batches(sql(_CHANGES, where=str(where)), 500, **where.values):
        for row in rows:
            yield AuditEntry(*row)


async def _find_records(tx: Tx, workspace_id: UUID, record: str) -> list[UUID]:
    """Returns the ids of the records that have or had this id, and of their parts. Parts of ideas may be deleted."""
    id = parse_uuid(record)
    if id is None:
        found = await _find_numbered(tx, workspace_id, record)
    else:
        found = [id] if await tx.value(_HAS_RECORD, workspace_id=workspace_id, id=id) else []
    if not found:
        raise NotFound(f"There is no record {record} in this workspace.")
    parts = await tx.rows(_FIND_PARTS, workspace_id=workspace_id, records=found)
    return found + [row["id"] for row in parts]


async def _find_numbered(tx: Tx, workspace_id: UUID, public_id: str) -> list[UUID]:
    """Returns the ids of the records that have or had this public id. Raises InvalidReference."""
    for kind, statement in _FIND_NUMBERED.items():
        if public_id.upper().startswith(f"{kind.prefix}-"):
            number = kind.parse(public_id).number
            shown = f"{kind.prefix}-{number}"
            rows = await tx.rows(statement, workspace_id=workspace_id, number=number, public_id=shown)
            return [row["id"] for row in rows]
    raise InvalidReference("Give a UUID or a public id like IDEA-1.")
