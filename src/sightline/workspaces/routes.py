"""What can be asked of a workspace and its keys."""

from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.wire import Page
from sightline.workspaces import context, deletions
from sightline.workspaces.records import AuthContext
from sightline.workspaces.records_deletions import Deletion, DeletionFilters


@operation("GET", "/auth/context")
async def get_auth_context(call: Call) -> AuthContext:
    """Tells what the key opens: its workspace, its scopes, and what the workspace's plan allows.

    Any valid key may ask. A limit of null means that there is none.
    """
    async with call.db.read() as tx:
        return await context.read_context(tx, call.actor)


@operation("GET", "/deletions", any_of=[deletions.READS], paging=Paging(20, 100))
async def list_deletions(call: Call, query: DeletionFilters, window: Window) -> Page[Deletion]:
    """Lists what was deleted of the kinds that the key may read, oldest first, so that copies can forget it.

    Who passes on the latest `deletedAt` received misses nothing, whatever others delete meanwhile. What goes with its
    record is not told of its own: an idea's comments and a product's features. What was made again under its id is
    not told either.
    """
    async with call.db.read() as tx:
        return await deletions.list_deletions(tx, call.actor, query, window)
