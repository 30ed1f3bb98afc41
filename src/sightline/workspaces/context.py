"""What a key opens: its workspace, itself, and what the workspace's plan allows."""

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import Unauthorized
from sightline.workspaces import queries
from sightline.workspaces.records import AuthContext


async def read_context(tx: Tx, actor: Actor) -> AuthContext:
    """Raises Unauthorized when the key or its workspace is deleted meanwhile."""
    context = await queries.find_context(tx, actor)
    if context is None:
        raise Unauthorized("The API key is malformed, unknown, revoked or expired.")
    return context
