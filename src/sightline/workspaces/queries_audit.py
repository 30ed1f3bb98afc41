"""The SQL of the trail."""

from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, Where
from sightline.platform.errors import InvalidReference
from sightline.platform.refs import IdeaRef, InitiativeRef, Ref, SignalRef, StudyRef
from sightline.workspaces.records import AuditEntry

_TABLES: dict[type[Ref], str] = {
    IdeaRef: "ideas",
    InitiativeRef: "initiatives",
    SignalRef: "signals",
    StudyRef: "studies",
}

CHANGES = """
SELECT iso(c.at), c.kind, c.record_id, c.public_id, c.action, c.actor_kind, c.actor_id, k.name, c.detail
  FROM (SELECT * FROM changes WHERE {where}) c
  LEFT JOIN api_keys k ON c.actor_kind = 'key' AND k.workspace_id = c.workspace_id AND k.id::text = c.actor_id
 ORDER BY c.at, c.id"""


async def walk(
    tx: Tx, workspace_id: UUID, records: list[UUID] | None, since: datetime | None
) -> AsyncIterator[AuditEntry]:
    """Oldest first, read from the database in portions."""
    where = Where(workspace_id)
    if records is not None:
        where.add("record_id = ANY({})", records)
    if since is not None:
        where.add("at >= {}", since)
    statement = CHANGES.format(where=where)
    async for row in tx.connection.cursor(statement, *where.values, prefetch=500):
        yield AuditEntry(*row)


async def find_records(tx: Tx, workspace_id: UUID, public_id: str) -> list[UUID]:
    """The record that has this public id, or had it before it was deleted. Raises InvalidReference."""
    for kind, table in _TABLES.items():
        if public_id.upper().startswith(f"{kind.prefix}-"):
            number = kind.parse(public_id).number
            statement = (
                f"SELECT id FROM {table} WHERE workspace_id = $1 AND number = $2 UNION "
                "SELECT record_id FROM changes WHERE workspace_id = $1 AND action = 'deleted' AND public_id = $3"
            )
            return [row[0] for row in await tx.rows(statement, workspace_id, number, f"{kind.prefix}-{number}")]
    raise InvalidReference("Give a UUID or a public id like IDEA-1.")
