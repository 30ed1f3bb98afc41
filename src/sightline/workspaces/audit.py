"""Who changed what, when, with which key: the trail that every write leaves."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.refs import parse_uuid
from sightline.workspaces import queries_audit
from sightline.workspaces.records import AuditEntry


@dataclass(frozen=True, slots=True)
class Wanted:
    """`record` is an id or a public id of a record, a deleted one too."""

    record: str | None = None
    since: datetime | None = None


async def walk_changes(tx: Tx, workspace_id: UUID, wanted: Wanted) -> AsyncIterator[AuditEntry]:
    """Oldest first, however many; needs a transaction. Raises InvalidReference for a shapeless record."""
    records = None
    if wanted.record is not None:
        id = parse_uuid(wanted.record)
        records = [id] if id else await queries_audit.find_records(tx, workspace_id, wanted.record)
    async for entry in queries_audit.walk(tx, workspace_id, records, wanted.since):
        yield entry
