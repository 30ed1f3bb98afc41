"""Reads the trail: which actor changed which record, when and how."""

from collections.abc import AsyncIterator
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.refs import parse_uuid
from sightline.workspaces.audit import queries
from sightline.workspaces.audit.records import AuditEntry, AuditFilters


async def walk_changes(tx: Tx, workspace_id: UUID, filters: AuditFilters) -> AsyncIterator[AuditEntry]:
    """Yields all entries, oldest first. Needs a transaction. Raises InvalidReference for a malformed reference."""
    records = None
    if filters.record is not None:
        id = parse_uuid(filters.record)
        records = [id] if id else await queries.find_records(tx, workspace_id, filters.record)
        records += await queries.find_parts(tx, workspace_id, records)
    async for entry in queries.walk(tx, workspace_id, records, filters.since):
        yield entry
