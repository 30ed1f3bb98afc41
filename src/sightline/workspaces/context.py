"""The context of a key: its workspace, its scopes, and the limits of the plan."""

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import Unauthorized
from sightline.workspaces import queries
from sightline.workspaces.records import AuthContext


async def read_context(tx: Tx, actor: Actor) -> AuthContext:
    """Returns the context. Raises Unauthorized if the key or its workspace was deleted since it was checked."""
    context = await queries.find_context(tx, actor)
    if context is None:
        raise Unauthorized("The API key is malformed, unknown, revoked or expired.")
    return context
