"""The SQL of what was deleted."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.horizon import find_horizon
from sightline.platform.wire import Page
from sightline.workspaces.records_deletions import Deletion, Kind

# A record that was made again under its id, by a file or a client's own id, is there: nobody has to forget it.
_OF_KIND = """
    SELECT workspace_id, '{kind}' AS kind, record_id, public_id, at, id FROM changes
     WHERE {where} AND kind = '{word}' AND action = 'deleted'
       AND NOT EXISTS (SELECT FROM {table} AS again WHERE again.workspace_id = $1 AND again.id = changes.record_id)"""
_COUNT = "(SELECT count(*) FROM ({all}) AS gone WHERE workspace_id = $1)"

# Each kind is a range of its own in the index: of none is more read than the page may need.
_PAGE = """
SELECT kind, record_id, public_id, iso(at), {total} FROM ({streams}) AS gone WHERE workspace_id = $1
 ORDER BY at, id LIMIT {limit} OFFSET {offset}"""


async def page_of_deletions(
    tx: Tx, workspace_id: UUID, sources: Mapping[Kind, tuple[str, str]], since: datetime | None, window: Window
) -> Page[Deletion]:
    """Oldest first, and none that a deletion still under way precedes. `sources`: the trail's word and the table."""
    where = Where(workspace_id)
    if since is not None:
        where.add("at >= {}", since)
    where.add("at <= {}", await find_horizon(tx))
    kinds = [_OF_KIND.format(kind=kind, where=where, word=word, table=table) for kind, (word, table) in sources.items()]
    total = _COUNT.format(all=" UNION ALL ".join(kinds))
    counted = list(where.values)
    longest = where.value(window.limit + window.offset)
    streams = " UNION ALL ".join(f"({kind} ORDER BY at, id LIMIT {longest})" for kind in kinds)
    bounds = {"limit": where.value(window.limit), "offset": where.value(window.offset)}
    rows = await tx.rows(_PAGE.format(total=total, streams=streams, **bounds), *where.values)
    if rows:
        return Page([Deletion(*row[:4]) for row in rows], rows[0][4], window)
    return Page([], 0 if window.offset == 0 else await tx.value(f"SELECT {total}", *counted), window)
