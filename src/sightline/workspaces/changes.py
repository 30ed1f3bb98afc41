"""The trail of writes, and the counts that go with it: pieces that a writing statement takes along."""

from random import getrandbits
from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.ids import new_id

# For a statement whose CTE `added` holds at most one row (id, public_id): trail and count only of what was inserted.
# The parameters are those of `addition` below, from $1 on: workspace, moment, change, kind, slot, actor kind, actor.
LOG_ADDED = """
    logged AS (
        INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at)
        SELECT $1, $3, $4, added.id, added.public_id, 'created', $6, $7, $2 FROM added),
    counted AS (
        INSERT INTO record_counts AS counts (workspace_id, kind, slot, count)
        SELECT $1, $4, $5, 1 FROM added
        ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count + 1)"""

COUNT = "(SELECT coalesce(sum(count), 0)::bigint FROM record_counts WHERE workspace_id = $1 AND kind = '{kind}')"

_LOG = """
INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"""


def addition(tx: Tx, actor: Actor, kind: str) -> tuple[Any, ...]:
    """The first seven values of a statement with LOG_ADDED."""
    return (actor.workspace_id, tx.now, new_id(), kind, getrandbits(4), actor.kind, actor.id)


async def log_change(
    tx: Tx, actor: Actor, kind: str, record_id: UUID, public_id: str | None, action: str, **detail: Any
) -> None:
    """Adds one line to the trail, in the transaction of what it tells. `detail` holds names of fields, no texts."""
    await tx.run(
        _LOG, actor.workspace_id, new_id(), kind, record_id, public_id, action, actor.kind, actor.id, tx.now, detail
    )
