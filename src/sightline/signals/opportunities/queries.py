"""The SQL of opportunities."""

from uuid import UUID
from zlib import crc32

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.wire import Page, Versioned, versioned
from sightline.signals.opportunities.records import Opportunity, OpportunityFilters
from sightline.workspaces.changes import count_of

# The fields of an Opportunity in order, then the version.
_OPPORTUNITY = """
    id, name, description,
    ARRAY(SELECT l.idea_id FROM idea_opportunities AS l
           WHERE l.workspace_id = :workspace_id AND l.opportunity_id = opportunities.id ORDER BY l.link) AS idea_ids,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""
_FIND = sql("SELECT {columns} FROM opportunities WHERE workspace_id = :workspace_id AND id = :id", columns=_OPPORTUNITY)
_LINKS = """(
    SELECT count(*) FROM idea_opportunities AS counted
     WHERE counted.workspace_id = :workspace_id AND counted.opportunity_id = opportunities.id)"""
_LISTING = Listing(
    "opportunities",
    Opportunity,
    _OPPORTUNITY,
    Order("opportunities.newest", "created_at", "id", UUID, is_descending=True),
    count_of("opportunity"),
    f"{stored_size('description')} + {_LINKS} * 40",
)


async def find_opportunity(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[Opportunity]:
    """Returns the opportunity. Its tag covers the links to ideas, which do not change the version. Raises NotFound."""
    row = await tx.found(_FIND, workspace_id=workspace_id, id=id)
    ideas = crc32(b"".join(idea.bytes for idea in row["idea_ids"]))
    return versioned(Opportunity, row, f".{ideas:x}")


async def page_of_opportunities(
    tx: Tx, workspace_id: UUID, filters: OpportunityFilters, window: Window
) -> Page[Opportunity]:
    """Returns a page, newest first; with `updated_since` the oldest change first."""
    return await read_list(tx, _LISTING, Where(workspace_id), window, filters.updated_since)
