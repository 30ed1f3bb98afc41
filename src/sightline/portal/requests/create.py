"""Turning a request into an idea of the workspace."""

from sightline.ideas.create_from_portal import RequestedIdea, add_requested_idea
from sightline.intelligence.engine import Engine
from sightline.platform.db import sql
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.ids import derived_id
from sightline.platform.lists.single import ANY_BYTES
from sightline.platform.refs import IdeaRef
from sightline.portal.accounts.resolve import accounts_of
from sightline.portal.problems import SentBefore
from sightline.portal.requests.queries import find_own_request
from sightline.portal.visits import Visit
from sightline.workspaces.changes import was_deleted
from sightline.workspaces.numbers import take_number

_ADD = sql("""
    INSERT INTO portal_requests (workspace_id, idea_id, user_id, created_at)
    VALUES (:workspace_id, :idea_id, :user_id, :now)""")


async def create_request(visit: Visit, title: str, text: str) -> str:
    """Adds the idea with all accounts of the person, hidden unless the portal shows requests at once.

    `text` may be empty. Returns the public id. The same words sent again with the same form are the same request.
    Raises SentBefore if that was deleted.
    """
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    engine: Engine = visit.site.tools()[Engine]
    id = derived_id(visit.form_id, user_id, title, text)

    async def attempt() -> str | None:
        async with visit.db.autocommit() as tx:
            if (sent := await find_own_request(tx, workspace_id, IdeaRef(id=id), user_id, ANY_BYTES)) is not None:
                return sent.public_id
            number = await take_number(visit.db, tx, workspace_id, "idea")
        async with visit.db.transaction() as tx:
            accounts = await accounts_of(tx, workspace_id, user_id)
            requested = RequestedIdea(id, number, title, text, accounts, visit.portal.requests_visible)
            if not await add_requested_idea(tx, engine, visit.actor, requested):
                return None
            if await was_deleted(tx, workspace_id, id):
                raise SentBefore
            await tx.run(_ADD, workspace_id=workspace_id, idea_id=id, user_id=user_id)
            return f"IDEA-{number}"

    return await retry_when_overtaken(attempt, Conflict("The accounts of the person keep changing. Try again."))
