"""Accepts a token once: stores the person, their accounts and a session in one transaction."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.portal.accounts.resolve import link_accounts
from sightline.portal.sessions.queries import add_session
from sightline.portal.sign_in.tokens import Claims
from sightline.portal.sign_in.used_tokens import use_token
from sightline.portal.users.identity import find_or_add_user
from sightline.workspaces.changes import log_change


async def accept_token(db: Database, workspace_id: UUID, claims: Claims) -> str:
    """Returns the token of a new session. Of concurrent uses of one token, one succeeds.

    Raises TokenRefused if the `jti` was used before.
    """

    async def attempt() -> str:
        async with db.transaction() as tx:
            await use_token(tx, workspace_id, claims)
            user, is_new = await find_or_add_user(tx, workspace_id, claims)
            actor = Actor(workspace_id, "portal_user", str(user.id))
            if is_new:
                await log_change(tx, actor, "portal_user", user.id, None, "created")
            await link_accounts(tx, actor, user.id, claims)
            return await add_session(tx, workspace_id, user.id)

    return await retry_when_overtaken(attempt, Conflict("Another sign-in is changing the same person. Try again."))
