"""What shows the name of a team or the external id of an account changes with it. Decisions: Copies miss nothing.

Triggers change what they see at the end of the transaction that renames, and keep the rename in `renames`.
"""

from sightline.platform.db import Database, sql
from sightline.platform.db.retries import until_answered

_FOLLOW = sql("SELECT follow_renames(:now)")


@until_answered
async def follow_renames(db: Database, _tools: object = None) -> None:
    """Changes what was committed beside the transactions that renamed.

    Whoever renames calls it afterwards; a worker does so each minute, since a command may be killed before.
    """
    async with db.transaction() as tx:
        await tx.run(_FOLLOW)
