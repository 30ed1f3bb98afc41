"""What can be asked of insights and opportunities. Decisions: Signals."""

from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, CreatorNotAllowed
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import RecordId
from sightline.platform.wire import Page, Versioned
from sightline.signals import insights, queries_insights, queries_opportunities
from sightline.signals.insights import InsightMerged
from sightline.signals.records_insights import (
    Insight,
    InsightChanges,
    InsightFilters,
    Opportunity,
    OpportunityFilters,
)


@operation("GET", "/insights", scopes=[Scope.INSIGHTS_READ], paging=Paging(20, 100))
async def list_insights(call: Call, query: InsightFilters, window: Window) -> Page[Insight]:
    """Lists insights, also merged ones, newest first; with `updatedSince` the oldest change first."""
    async with call.db.read() as tx:
        return await queries_insights.page_of_insights(tx, call.actor.workspace_id, query, window)


@operation("GET", "/insights/{id}", scopes=[Scope.INSIGHTS_READ])
async def get_insight(call: Call, id: RecordId) -> Versioned[Insight]:
    """Gets one insight."""
    async with call.db.read() as tx:
        return await queries_insights.find_insight(tx, call.actor.workspace_id, id)


@operation(
    "PATCH",
    "/insights/{id}",
    scopes=[Scope.INSIGHTS_WRITE],
    refuses=[CreatorNotAllowed, InsightMerged, Conflict],
    example={"title": "Exports of large tables time out", "category": "problem", "reviewState": "accepted"},
)
async def change_insight(call: Call, id: RecordId, wish: InsightChanges) -> Versioned[Insight]:
    """Accepts an insight, words it better, or merges it into another one.

    With `mergedIntoId` the other insight gathers the signals, accounts and quotes of this one, which keeps its words
    and quotes and can no longer be changed; what was merged into this one leads to the other then. A merge is not
    undone. Ideas that this insight inspired stay linked to it.
    """
    return await insights.change_insight(call.db, call.actor, id, wish, call.expect)


@operation("GET", "/opportunities", scopes=[Scope.OPPORTUNITIES_READ], paging=Paging(20, 100))
async def list_opportunities(call: Call, query: OpportunityFilters, window: Window) -> Page[Opportunity]:
    """Lists opportunities, newest first; with `updatedSince` the oldest change first."""
    async with call.db.read() as tx:
        return await queries_opportunities.page_of_opportunities(tx, call.actor.workspace_id, query, window)


@operation("GET", "/opportunities/{id}", scopes=[Scope.OPPORTUNITIES_READ])
async def get_opportunity(call: Call, id: RecordId) -> Versioned[Opportunity]:
    """Gets one opportunity with the ideas that address it."""
    async with call.db.read() as tx:
        return await queries_opportunities.find_opportunity(tx, call.actor.workspace_id, id)
