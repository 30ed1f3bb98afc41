"""The work for portals that a worker does every minute."""

from sightline.platform.db import Database, sql
from sightline.platform.jobs import JobsOfRoom, Tick, Tools
from sightline.portal.waiting.queries import FORGET_ENDED

# Of all workspaces at once: expired rows are of no use to any.
_FORGET_SESSIONS = sql("DELETE FROM portal_sessions WHERE workspace_id IS NOT NULL AND expires_at < :now")
_FORGET_TOKENS = sql("DELETE FROM portal_used_tokens WHERE workspace_id IS NOT NULL AND valid_until < :now")


async def forget_ended(db: Database, _tools: Tools) -> None:
    """Deletes ended sessions, used tokens that have expired, and forms whose sender did not sign in."""
    async with db.autocommit() as tx:
        await tx.run(_FORGET_SESSIONS)
        await tx.run(_FORGET_TOKENS)
        await tx.run(FORGET_ENDED)


JOBS = JobsOfRoom(ticks=[Tick("portal.forget_ended", forget_ended)])
