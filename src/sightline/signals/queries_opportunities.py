"""The SQL of opportunities: reading."""

from uuid import UUID
from zlib import crc32

from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals.records_insights import Opportunity, OpportunityFilters
from sightline.workspaces.changes import COUNT

# In the order of Opportunity's fields; the version comes last.
_OPPORTUNITY = """
    id, name, description,
    ARRAY(SELECT l.idea_id FROM idea_opportunities AS l
           WHERE l.workspace_id = opportunities.workspace_id AND l.opportunity_id = opportunities.id ORDER BY l.link),
    iso(created_at), iso(updated_at), version"""
_FIND = f"SELECT {_OPPORTUNITY} FROM opportunities WHERE workspace_id = $1 AND id = $2"
_LISTING = Listing("opportunities", _OPPORTUNITY, COUNT.format(kind="opportunity"))


async def find_opportunity(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[Opportunity]:
    """Ideas move no version of the opportunity's: so they have a part in the tag. Raises NotFound."""
    row = await tx.row(_FIND, workspace_id, id)
    if row is None:
        raise NotFound
    ideas = crc32(b"".join(idea.bytes for idea in row[3]))
    return Versioned(Opportunity(*row[:6]), version_tag(row[0], row[6], f".{ideas:x}"))


async def page_of_opportunities(
    tx: Tx, workspace_id: UUID, wanted: OpportunityFilters, window: Window
) -> Page[Opportunity]:
    """Newest first; with `updated_since` the oldest change first, and none that a change still under way precedes."""
    where, order = Where(workspace_id), "created_at DESC, id DESC"
    if wanted.updated_since is not None:
        where.add("updated_at >= {}", wanted.updated_since)
        where.add("updated_at <= {}", await find_horizon(tx))
        order = "updated_at, id"
    rows, total = await read_page(tx, _LISTING, where, order, window)
    return Page([Opportunity(*row[:6]) for row in rows], total, window)
