"""Public numbers: they only grow and are never used twice; one that was taken and not used leaves a hole."""

from uuid import UUID

from sightline.platform.db import Tx

_TAKE = """
INSERT INTO public_numbers AS numbers (workspace_id, kind, last) SELECT $1, $2, 1{}
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = numbers.last + 1
RETURNING last"""
TAKE = _TAKE.format("")
# The number need not reach the disk by itself: what uses it is committed after it, into the same log.
TAKE_UNFLUSHED = _TAKE.format(" WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL")


async def take_number(tx: Tx, workspace_id: UUID, kind: str) -> int:
    """The next number of a kind (`idea`, `initiative`, `signal`, `study`).

    Call it outside the transaction that uses the number: the row is then held for a moment only.
    """
    number: int = await tx.value(TAKE_UNFLUSHED if tx.commits_alone else TAKE, workspace_id, kind)
    return number
