"""The routes of opportunities. Decisions: Signals."""

from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned
from sightline.signals.opportunities import queries
from sightline.signals.opportunities.records import Opportunity, OpportunityFilters


@operation("GET", "/opportunities", scopes=[Scope.OPPORTUNITIES_READ], paging=Paging(20, 100, cursor=True))
async def list_opportunities(call: Call, query: OpportunityFilters, window: Window) -> Page[Opportunity]:
    """Lists opportunities, newest first; with `updatedSince` the oldest change first."""
    async with call.db.autocommit() as tx:
        return await queries.page_of_opportunities(tx, call.actor.workspace_id, query, window)


@operation("GET", "/opportunities/{id}", scopes=[Scope.OPPORTUNITIES_READ])
async def get_opportunity(call: Call, id: RecordId) -> Versioned[Opportunity]:
    """Gets one opportunity with the ideas that address it."""
    async with call.db.autocommit() as tx:
        return await queries.find_opportunity(tx, call.actor.workspace_id, id, at_once=call.at_once)
