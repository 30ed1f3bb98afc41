"""The SQL of deleted records."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.listing import Listing, Order, Selection, changed_since
from sightline.platform.lists.read import read_selection
from sightline.platform.wire import Page
from sightline.workspaces.deletions.records import DeletedKind, Deletion

_ORDER = Order("deletions", "at", "id", UUID)


async def page_of_deletions(
    tx: Tx, workspace_id: UUID, sources: Mapping[DeletedKind, tuple[str, str]], since: datetime | None, window: Window
) -> Page[Deletion]:
    """Returns a page, oldest first. Raises ValidationFailed. `sources`: name in `changes`, and table."""
    where = Where(workspace_id)
    times = " AND ".join(await changed_since(tx, where, _ORDER.moment, since))
    kinds = [f"{_of_kind(name, table)} AND {times}" for name, table in sources.values()]
    ranges = [f"workspace_id = :workspace_id AND {one}" for one in kinds]
    count = " + ".join(f"(SELECT count(*) FROM changes WHERE workspace_id = :workspace_id AND {one})" for one in kinds)
    cases = " ".join(f"WHEN '{name}' THEN '{kind}'" for kind, (name, _) in sources.items())
    columns = f"CASE kind {cases} END AS kind, record_id AS id, public_id, iso(at) AS deleted_at"
    selection = Selection(where, _ORDER, "changes", ranges, count)
    return await read_selection(tx, Listing("changes", Deletion, columns, _ORDER), selection, window)


def _of_kind(name: str, table: str) -> str:
    """Returns the condition for deletions of a kind. Records that were created again are not deleted in copies."""
    return f"""kind = '{name}' AND action = 'deleted'
       AND NOT EXISTS (SELECT FROM {table} AS present
                        WHERE present.workspace_id = :workspace_id AND present.id = changes.record_id)"""
