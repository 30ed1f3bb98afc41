"""The SQL of opportunities."""

from uuid import UUID
from zlib import crc32

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals.opportunities.records import Opportunity, OpportunityFilters
from sightline.workspaces.changes import count_of

# The fields of an Opportunity in order, then the version.
_OPPORTUNITY = """
    id, name, description,
    ARRAY(SELECT l.idea_id FROM idea_opportunities AS l
           WHERE l.workspace_id = :workspace_id AND l.opportunity_id = opportunities.id ORDER BY l.link) AS idea_ids,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""
_FIND = sql("SELECT {columns} FROM opportunities WHERE workspace_id = :workspace_id AND id = :id", columns=_OPPORTUNITY)
_LISTING = Listing("opportunities", _OPPORTUNITY, count_of("opportunity"))


async def find_opportunity(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[Opportunity]:
    """Returns the opportunity. Its tag covers the links to ideas, which do not change the version. Raises NotFound."""
    row = await tx.row(_FIND, workspace_id=workspace_id, id=id)
    if row is None:
        raise NotFound
    *fields, version = row
    ideas = crc32(b"".join(idea.bytes for idea in row["idea_ids"]))
    return Versioned(Opportunity(*fields), version_tag(id, version, f".{ideas:x}"))


async def page_of_opportunities(
    tx: Tx, workspace_id: UUID, filters: OpportunityFilters, window: Window
) -> Page[Opportunity]:
    """Returns a page, newest first; with `updated_since` the oldest change first, up to the horizon of open writes."""
    where, order = Where(workspace_id), "opportunities.created_at DESC, opportunities.id DESC"
    if filters.updated_since is not None:
        where.add("updated_at >= :updated_since", updated_since=filters.updated_since)
        where.add("updated_at <= :horizon", horizon=await find_horizon(tx))
        order = "opportunities.updated_at, opportunities.id"
    rows, total = await read_page(tx, _LISTING, where, order, window)
    return Page([Opportunity(*fields) for *fields, _, _ in rows], total, window)
