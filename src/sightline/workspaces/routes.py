"""The operation that shows what a key is for."""

from sightline.platform.http.operations import Call, operation
from sightline.workspaces import queries
from sightline.workspaces.records import AuthContext


@operation("GET", "/auth/context")
async def get_auth_context(call: Call) -> AuthContext:
    """Shows the key's workspace, its scopes, and the limits of the workspace's plan.

    Every valid key may call it. A limit of null means no limit.
    """
    async with call.db.autocommit() as tx:
        return await queries.find_context(tx, call.actor)
