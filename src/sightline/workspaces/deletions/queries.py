"""The SQL of deleted records."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.db.horizon import find_horizon
from sightline.platform.wire import Page
from sightline.workspaces.deletions.records import DeletedKind, Deletion

# Each kind is a range of the index, of which at most one page is read.
_PAGE = """
SELECT kind, record_id, public_id, iso(at), {total} AS total FROM ({streams}) AS deleted
 WHERE workspace_id = :workspace_id
 ORDER BY at, id LIMIT :limit OFFSET :offset"""
_TOTAL = "SELECT {total}"


async def page_of_deletions(
    tx: Tx, workspace_id: UUID, sources: Mapping[DeletedKind, tuple[str, str]], since: datetime | None, window: Window
) -> Page[Deletion]:
    """Returns a page, oldest first, up to the first deletion still open. `sources`: name in `changes`, and table."""
    where = Where(workspace_id)
    if since is not None:
        where.add("at >= :since", since=since)
    where.add("at <= :horizon", horizon=await find_horizon(tx))
    kinds = [_of_kind(where, kind, name, table) for kind, (name, table) in sources.items()]
    total = f"(SELECT count(*) FROM ({' UNION ALL '.join(kinds)}) AS deleted WHERE workspace_id = :workspace_id)"
    streams = " UNION ALL ".join(f"({kind} ORDER BY at, id LIMIT :last)" for kind in kinds)
    bounds = {"limit": window.limit, "offset": window.offset, "last": window.limit + window.offset}
    rows = await tx.rows(sql(_PAGE, total=total, streams=streams), **where.values, **bounds)
    if rows:
        *_, total_rows = rows[0]
        return Page([Deletion(*fields) for *fields, _ in rows], total_rows, window)
    return Page([], 0 if window.offset == 0 else await tx.value(sql(_TOTAL, total=total), **where.values), window)


def _of_kind(where: Where, kind: DeletedKind, name: str, table: str) -> str:
    """Returns the deletions of a kind, but not of records that were created again: copies keep those."""
    return f"""
    SELECT workspace_id, '{kind}' AS kind, record_id, public_id, at, id FROM changes
     WHERE {where} AND kind = '{name}' AND action = 'deleted'
       AND NOT EXISTS (SELECT FROM {table} AS present
                        WHERE present.workspace_id = :workspace_id AND present.id = changes.record_id)"""
