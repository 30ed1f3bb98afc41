"""Reads the trail: which actor changed which record, when and how."""

from collections.abc import AsyncIterator
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.errors import NotFound
from sightline.platform.refs import parse_uuid
from sightline.workspaces.audit import queries
from sightline.workspaces.audit.records import AuditEntry, AuditFilters


async def walk_changes(tx: Tx, workspace_id: UUID, filters: AuditFilters) -> AsyncIterator[AuditEntry]:
    """Yields all entries, oldest first. Needs a transaction.

    Raises InvalidReference for a malformed reference, NotFound for a record that is not there and never was.
    """
    records = None
    if filters.record is not None:
        records = await _find_records(tx, workspace_id, filters.record)
        records += await queries.find_parts(tx, workspace_id, records)
    async for entry in queries.walk(tx, workspace_id, records, filters.since):
        yield entry


async def _find_records(tx: Tx, workspace_id: UUID, record: str) -> list[UUID]:
    id = parse_uuid(record)
    if id is None:
        found = await queries.find_records(tx, workspace_id, record)
    else:
        found = [id] if await queries.has_record(tx, workspace_id, id) else []
    if not found:
        raise NotFound(f"There is no record {record} in this workspace.")
    return found
