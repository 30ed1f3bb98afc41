"""Public numbers. They only grow and are never used twice; an unused one leaves a gap."""

from uuid import UUID

from sightline.platform.db import Tx, sql

_TAKE = """
INSERT INTO public_numbers AS numbers (workspace_id, kind, last) SELECT :workspace_id, :kind, 1 {condition}
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = numbers.last + 1
RETURNING last{also}"""
_UNFLUSHED = "WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL"
TAKE = sql(_TAKE, condition="", also="")
# The number need not be flushed: the record that uses it is committed later, into the same log.
TAKE_UNFLUSHED = sql(_TAKE, condition=_UNFLUSHED, also="")
_TAXONOMY = """,
       (SELECT id FROM taxonomy_versions WHERE workspace_id = :workspace_id AND is_active) AS taxonomy_id"""
TAKE_IDEA = sql(_TAKE, condition="", also=_TAXONOMY)
TAKE_IDEA_UNFLUSHED = sql(_TAKE, condition=_UNFLUSHED, also=_TAXONOMY)


async def take_number(tx: Tx, workspace_id: UUID, kind: str) -> int:
    """Returns the next number of a kind (`idea`, `initiative`, `signal`, `study`).

    Call it outside the transaction that uses the number, so that the row is locked only briefly.
    """
    take = TAKE_UNFLUSHED if tx.commits_alone else TAKE
    number: int = await tx.value(take, workspace_id=workspace_id, kind=kind)
    return number


async def take_idea_number(tx: Tx, workspace_id: UUID) -> tuple[int, UUID | None]:
    """Returns the next number of an idea, and the id of the active taxonomy: a new idea needs both."""
    row = await tx.one(TAKE_IDEA_UNFLUSHED if tx.commits_alone else TAKE_IDEA, workspace_id=workspace_id, kind="idea")
    return row["last"], row["taxonomy_id"]
