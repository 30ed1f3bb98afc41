"""The work for portals that a worker does every minute."""

from sightline.platform.db import Database, sql
from sightline.platform.jobs import JobsOfRoom, Tick, Tools

# Of all workspaces at once: expired rows are of no use to any.
_FORGET_SESSIONS = sql("DELETE FROM portal_sessions WHERE workspace_id IS NOT NULL AND expires_at < :now")
_FORGET_TOKENS = sql("DELETE FROM portal_used_tokens WHERE workspace_id IS NOT NULL AND valid_until < :now")


async def forget_ended(db: Database, _tools: Tools) -> None:
    """Deletes ended sessions, and used tokens that have expired."""
    async with db.autocommit() as tx:
        await tx.run(_FORGET_SESSIONS)
        await tx.run(_FORGET_TOKENS)


JOBS = JobsOfRoom(ticks=[Tick("portal.forget_ended", forget_ended)])
