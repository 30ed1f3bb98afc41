"""What shows the name of a team or the external id of an account changes with it. Decisions: Copies miss nothing."""

from datetime import datetime
from uuid import UUID

from sightline.platform.db import Database, sql
from sightline.platform.db.retries import until_answered

_FOLLOW = sql("SELECT follow_renames(:workspace_id, :renamed_at, :now)")


@until_answered
async def follow_renames(db: Database, workspace_id: UUID, renamed_at: datetime) -> None:
    """Changes what was written beside a transaction that renamed. Call it after that, with its moment."""
    async with db.autocommit(writes=True) as tx:
        await tx.run(_FOLLOW, workspace_id=workspace_id, renamed_at=renamed_at)
