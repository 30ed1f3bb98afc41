"""The SQL of opportunities."""

from uuid import UUID
from zlib import crc32

from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page, Versioned, versioned
from sightline.signals.opportunities.records import Opportunity, OpportunityFilters
from sightline.workspaces.changes import count_of

# The fields of an Opportunity in order, then the version.
_OPPORTUNITY = """
    id, name, description,
    array_to_json(ARRAY(
        SELECT l.idea_id FROM idea_opportunities AS l
         WHERE l.workspace_id = :workspace_id AND l.opportunity_id = opportunities.id ORDER BY l.link)) AS idea_ids,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""
_LINKS = """(
    SELECT count(*) FROM idea_opportunities AS counted
     WHERE counted.workspace_id = :workspace_id AND counted.opportunity_id = opportunities.id)"""
_SIZE = f"{stored_size('description')} + {_LINKS} * 40"
_ONE = SingleRecord.of("opportunities WHERE workspace_id = :workspace_id AND id = :id", _OPPORTUNITY, _SIZE)
_LISTING = Listing(
    "opportunities",
    Opportunity,
    _OPPORTUNITY,
    Order("opportunities.newest", "created_at", "id", UUID, is_descending=True),
    count_of("opportunity"),
    _SIZE,
)


async def find_opportunity(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool) -> Versioned[Opportunity]:
    """Returns the opportunity. Its tag covers the links to ideas, which do not change the version.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`.
    """
    row = await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, id=id)
    return versioned(Opportunity, row, f".{crc32(row['idea_ids']):x}")


async def page_of_opportunities(
    tx: Tx, workspace_id: UUID, filters: OpportunityFilters, window: Window
) -> Page[Opportunity]:
    """Returns a page, newest first; with `updated_since` the oldest change first."""
    return await read_list(tx, _LISTING, Where(workspace_id), window, filters.updated_since)
