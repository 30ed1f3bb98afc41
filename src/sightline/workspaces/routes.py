"""What can be asked of a workspace and its keys."""

from sightline.platform.http.operations import Call, operation
from sightline.workspaces import context
from sightline.workspaces.records import AuthContext


@operation("GET", "/auth/context")
async def get_auth_context(call: Call) -> AuthContext:
    """Tells what the key opens: its workspace, its scopes, and what the workspace's plan allows.

    Any valid key may ask. A limit of null means that there is none.
    """
    async with call.db.read() as tx:
        return await context.read_context(tx, call.actor)
