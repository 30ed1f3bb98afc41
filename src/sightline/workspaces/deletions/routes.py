"""The operation that lists deleted records."""

from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.wire import Page
from sightline.workspaces.deletions import feed
from sightline.workspaces.deletions.records import Deletion, DeletionFilters


@operation("GET", "/deletions", any_of=feed.READS, paging=Paging(20, 100, cursor=True))
async def list_deletions(call: Call, query: DeletionFilters, window: Window) -> Page[Deletion]:
    """Lists deleted records of the kinds that the key may read, oldest first, so that copies can remove them.

    A client that follows `Link` to its end, and then sends the latest `deletedAt` it received as `since`, misses
    nothing, even during concurrent deletions.
    Records deleted with their owner are not listed: an idea's comments and a product's features. Records created again
    under the same id are not listed either.
    """
    async with call.db.autocommit() as tx:
        return await feed.list_deletions(tx, call.actor, query, window)
