"""The routes of insights. Decisions: Signals."""

from sightline.platform.db import Window
from sightline.platform.errors import Conflict
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned
from sightline.signals.insights import queries, review
from sightline.signals.insights.records import Insight, InsightChanges, InsightDeletion, InsightFilters
from sightline.signals.insights.review import InsightMerged
from sightline.signals.insights.similar import add_similar, add_similar_to_page


@operation("GET", "/insights", scopes=[Scope.INSIGHTS_READ], paging=Paging(20, 100, cursor=True))
async def list_insights(call: Call, query: InsightFilters, window: Window) -> Page[Insight]:
    """Lists insights with rejected and merged ones, newest first; with `updatedSince` the oldest change first.

    With `order=accounts` insights of the most accounts come first; `Link` of that order has `offset` only.
    """
    async with call.db.autocommit() as tx:
        page = await queries.page_of_insights(tx, call.actor.workspace_id, query, window)
    await add_similar_to_page(call.db, call.actor.workspace_id, page)
    return page


@operation("GET", "/insights/{id}", scopes=[Scope.INSIGHTS_READ])
async def get_insight(call: Call, id: RecordId) -> Versioned[Insight]:
    """Gets one insight."""
    async with call.db.autocommit() as tx:
        found = await queries.find_insight(tx, call.actor.workspace_id, id, at_once=call.at_once)
    await add_similar(call.db, call.actor.workspace_id, [found.record])
    return found


@operation(
    "PATCH",
    "/insights/{id}",
    scopes=[Scope.INSIGHTS_WRITE],
    refuses=[InsightMerged, Conflict],
    example={"title": "Exports of large tables time out", "category": "problem", "reviewState": "accepted"},
)
async def change_insight(call: Call, id: RecordId, changes: InsightChanges) -> Versioned[Insight]:
    """Accepts or rejects an insight, changes its wording, or merges it into another one.

    A rejected insight is kept, but not used in documents and evidence, and processing does not create it again.
    With `mergedIntoId` the other insight receives the signals, accounts and quotes of this one, which keeps its words
    and quotes and can no longer be changed; insights that were merged into this one then lead to the other. A merge
    cannot be undone. Ideas that this insight inspired stay linked to it.
    """
    changed = await review.change_insight(call.db, call.actor, id, changes, call.expect, at_once=call.at_once)
    await add_similar(call.db, call.actor.workspace_id, [changed.record])
    return changed


@operation("DELETE", "/insights/{id}", scopes=[Scope.INSIGHTS_WRITE], refuses=[Conflict])
async def delete_insight(call: Call, id: RecordId) -> InsightDeletion:
    """Deletes an insight and its links for good.

    Processing its signals again may find the statement again: reject an insight instead to prevent that.
    """
    return await review.delete_insight(call.db, call.actor, id, call.expect)
