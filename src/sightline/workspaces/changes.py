"""The trail of changes, and the counts of records: pieces of SQL that a writing statement includes.

`changes` has one row for each write, added in the transaction of that write. Its values come from `change_by(actor)`.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id


def add_changes(  # noqa: PLR0913 - the columns of a change
    kind: str,
    action: str,
    rows: str,
    *,
    public_id: str = "public_id",
    workspace_id: str = ":workspace_id",
    change_id: str = ":change_id",
    at: str = ":now",
    detail: str = "jsonb_build_object()",
) -> str:
    """Returns the INSERT that adds one change for each of `rows`, a FROM item such as a CTE of written rows.

    The other arguments are SQL expressions over `rows`; `kind` and `action` are plain words.
    """
    return f"""
INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at, detail)
SELECT {workspace_id}, {change_id}, '{kind}', id, {public_id}, '{action}', :actor_kind, :actor_id, {at},
       {detail}
  FROM {rows}"""


def count_rows(kind: str, step: int, rows: str) -> str:
    """Returns the INSERT that adds `step`, 1 or -1, to the stored count of a kind if `rows` has a row."""
    return f"""
INSERT INTO record_counts AS counts (workspace_id, kind, slot, count)
SELECT :workspace_id, '{kind}', :slot, {step} FROM {rows}
ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count + excluded.count"""


def count_of(kind: str) -> str:
    """Returns the expression for the stored count of a kind: how many records of it the workspace has."""
    return f"""
    (SELECT coalesce(sum(count), 0)::bigint FROM record_counts
      WHERE workspace_id = :workspace_id AND kind = '{kind}')"""


def change_by(actor: Actor) -> dict[str, Any]:
    """Returns the values for a statement with `add_changes`: `await tx.run(STATEMENT, **change_by(actor), ...)`."""
    return {
        "workspace_id": actor.workspace_id,
        "change_id": new_id(),
        "actor_kind": actor.kind,
        "actor_id": actor.id,
    }


def slot(tx: Tx) -> int:
    """Returns one of the 16 rows that a count is spread over, so that concurrent writes do not wait for each other.

    It is the same for all of a transaction: two that lock several rows would wait for each other in a circle.
    """
    return tx.connection.get_server_pid() % 16


_HOLD = sql("""
INSERT INTO record_counts AS counts (workspace_id, kind, slot, count)
SELECT :workspace_id, kind, :slot, 0 FROM unnest(:kinds::text[]) AS kind ORDER BY kind
ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count""")


async def hold_counts(tx: Tx, workspace_id: UUID, kinds: Sequence[str]) -> None:
    """Locks the transaction's counts of several kinds in one order. Call it before it adds records of these kinds."""
    await tx.run(_HOLD, workspace_id=workspace_id, slot=slot(tx), kinds=kinds)


_LOG = sql("""
INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at, detail)
VALUES (:workspace_id, :change_id, :kind, :record_id, :public_id, :action, :actor_kind, :actor_id, :now, :detail)""")


async def log_change(
    tx: Tx, actor: Actor, kind: str, record_id: UUID, public_id: str | None, action: str, **detail: Any
) -> None:
    """Adds one change. Call it in the transaction of the write. `detail` has names of fields, no texts."""
    await tx.run(
        _LOG,
        **change_by(actor),
        kind=kind,
        record_id=record_id,
        public_id=public_id,
        action=action,
        detail=detail,
    )


_WAS_DELETED = sql("""
SELECT EXISTS (SELECT FROM changes
                WHERE workspace_id = :workspace_id AND record_id = :id AND action = 'deleted')""")


async def was_deleted(tx: Tx, workspace_id: UUID, id: UUID) -> bool:
    """Whether a record with this id was ever deleted."""
    return bool(await tx.value(_WAS_DELETED, workspace_id=workspace_id, id=id))
