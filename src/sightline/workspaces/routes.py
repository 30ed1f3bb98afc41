"""What can be asked about one's own key. Decisions: Credential context."""

from sightline.platform.http.operations import Call, operation
from sightline.workspaces import context
from sightline.workspaces.records import AuthContext


@operation("GET", "/auth/context")
async def get_auth_context(call: Call) -> AuthContext:
    """Tells which workspace and plan the key works with, and what it may do.

    Any valid key may ask, whatever its scopes.
    """
    async with call.db.read() as tx:
        return await context.read_context(tx, call.actor)
