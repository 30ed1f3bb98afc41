"""What shows the name of a team or the external id of an account changes with it. Decisions: Copies miss nothing.

Triggers change what they see at the end of the transaction that renames, and keep the rename in `renames`.
"""

from sightline.platform.db import Database, sql
from sightline.platform.db.retries import until_answered

_FOLLOW = sql("SELECT follow_renames(:now)")


async def follow_once(db: Database, _tools: object = None) -> None:
    """Changes what was committed beside the transactions that renamed.

    A worker does so each minute, since a command that renames may be killed before it does.
    """
    async with db.transaction() as tx:
        await tx.run(_FOLLOW)


@until_answered
async def follow_renames(db: Database) -> None:
    """Does the same for whoever has renamed, and waits until the database answers."""
    await follow_once(db)
