"""Public numbers. They only grow and are never used twice; an unused one leaves a gap."""

from uuid import UUID

from sightline.platform.db import Database, Tx, sql

# The number need not be flushed: the record that uses it is committed later, into the same log.
_TAKE = """
INSERT INTO public_numbers AS numbers (workspace_id, kind, last)
SELECT :workspace_id, :kind, 1 WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = numbers.last + 1
RETURNING last{also}"""
TAKE = sql(_TAKE, also="")
_TAXONOMY = """,
       (SELECT id::text || xmin::text FROM taxonomy_versions
         WHERE workspace_id = :workspace_id AND is_active) AS taxonomy"""
TAKE_IDEA = sql(_TAKE, also=_TAXONOMY)


async def take_number(db: Database, tx: Tx, workspace_id: UUID, kind: str) -> int:
    """Returns the next number of a kind (`idea`, `initiative`, `signal`, `study`).

    `tx` is of `db.autocommit()`. The row is locked only for this statement: all creations of the workspace need it.
    """
    row = await db.alone(tx, TAKE, workspace_id=workspace_id, kind=kind)
    number: int = row["last"]
    return number


async def take_idea_number(db: Database, tx: Tx, workspace_id: UUID) -> tuple[int, str | None]:
    """Likewise for an idea, with the result of the taxonomy's FIND_VERSION: a new idea needs both."""
    row = await db.alone(tx, TAKE_IDEA, workspace_id=workspace_id, kind="idea")
    return row["last"], row["taxonomy"]
