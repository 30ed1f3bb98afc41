"""Checks a token without using it, for the people who build the product's side."""

from uuid import UUID

from msgspec import Struct

from sightline.platform.db import Tx
from sightline.platform.errors import Conflict
from sightline.platform.server_secret import ServerSecret, WrongServerSecret
from sightline.portal.portals.configure import find_portal
from sightline.portal.sign_in.tokens import TokenRefused, read_token
from sightline.portal.sign_in.used_tokens import refuse_used_token


class PortalNotSetUp(Conflict):
    """409: the workspace has no portal with a secret that this server can read."""

    code = "PORTAL_NOT_SET_UP"


class Trial(Struct):
    """The result. `claim` is the part of the token that is wrong, null if it would be accepted."""

    accepted: bool
    claim: str | None
    message: str


async def try_token(tx: Tx, workspace_id: UUID, server_secret: ServerSecret, token: str) -> Trial:
    """Returns what a callback would respond to the token. Raises PortalNotSetUp."""
    portal = await find_portal(tx, workspace_id)
    if portal is None or portal.secret is None:
        raise PortalNotSetUp("The workspace has no portal secret: run `sightline portal configure`.")
    try:
        claims = read_token(token.strip(), server_secret.decrypt(workspace_id, portal.secret), tx.now)
        await refuse_used_token(tx, workspace_id, claims)
    except WrongServerSecret as error:
        raise PortalNotSetUp(str(error)) from None
    except TokenRefused as refusal:
        return Trial(False, refusal.claim, refusal.message)
    return Trial(True, None, "The token would be accepted.")
