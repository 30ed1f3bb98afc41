"""The SQL of signals: taking in, changing, deleting."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import NotFound
from sightline.platform.refs import SignalRef
from sightline.signals.queries import SIGNAL
from sightline.workspaces.changes import LOG_ADDED, addition

_STORED = f"{SIGNAL}, source_key, processing_id, 'SIGNAL-' || number AS public_id"
_LOCK = f"SELECT {_STORED} FROM signals WHERE workspace_id = $1 AND {{}} = $2 FOR UPDATE"
_LOCK_KNOWN = (
    f"SELECT {_STORED} FROM signals WHERE workspace_id = $1 AND source_key = $2 AND external_id = $3 FOR UPDATE"
)
_IS_KNOWN = "SELECT EXISTS (SELECT FROM signals WHERE workspace_id = $1 AND source_key = $2 AND external_id = $3)"
_RAW = "SELECT raw FROM signal_raw WHERE workspace_id = $1 AND signal_id = $2"
_SAVE_RAW = """
INSERT INTO signal_raw (workspace_id, signal_id, raw) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, signal_id) DO UPDATE SET raw = excluded.raw"""

COLUMNS = (
    *("id", "number", "name", "status", "context", "signal_type", "processor_type", "provider_type", "evidence_kind"),
    *("analysis_profile", "source_label", "source_type", "external_data", "source_links", "data", "transcript"),
    *("import", "integration_id", "source_key", "external_id", "account_id", "process_after", "processing_id"),
)
_ADD = f"""
WITH added AS (
    INSERT INTO signals (workspace_id, updated_at, {", ".join(COLUMNS)}, created_at)
    SELECT $1, $2, {", ".join(f"${place}" for place in range(8, 9 + len(COLUMNS)))}
    ON CONFLICT DO NOTHING
    RETURNING id, 'SIGNAL-' || number AS public_id),
    {LOG_ADDED}
SELECT id FROM added"""

_FIND_NAMED = """
SELECT EXISTS (SELECT FROM integrations WHERE workspace_id = $1 AND id = $2) AS has_integration,
       ARRAY(SELECT unnest($3::uuid[]) EXCEPT
             SELECT id FROM accounts WHERE workspace_id = $1 AND id = ANY($3)) AS no_accounts"""
_ADD_ACCOUNTS = """
INSERT INTO signal_accounts (workspace_id, signal_id, account_id)
SELECT $1, $2, link.id FROM unnest($3::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""
_DROP_ACCOUNTS = "DELETE FROM signal_accounts WHERE workspace_id = $1 AND signal_id = $2 AND account_id <> ALL($3)"

_REMOVE_INSIGHTS = """
DELETE FROM insights WHERE workspace_id = $1 AND origin = 'processing' AND review_state = 'unreviewed'
   AND id IN (SELECT insight_id FROM insight_signals WHERE workspace_id = $1 AND signal_id = $2)
   AND signal_ids = ARRAY[$2::uuid]
RETURNING id"""
_REMOVE = "DELETE FROM signals WHERE workspace_id = $1 AND id = $2"


async def lock_signal(tx: Tx, workspace_id: UUID, ref: SignalRef) -> Row:
    """The columns of SIGNAL, and `source_key`, `processing_id`, `public_id`. Raises NotFound."""
    row = await tx.row(_LOCK.format(ref.column), workspace_id, ref.value)
    if row is None:
        raise NotFound
    return row


async def lock_known(tx: Tx, workspace_id: UUID, source_key: str, external_id: str) -> Row | None:
    return await tx.row(_LOCK_KNOWN, workspace_id, source_key, external_id)


async def is_known(tx: Tx, workspace_id: UUID, source_key: str | None, external_id: str | None) -> bool:
    return bool(await tx.value(_IS_KNOWN, workspace_id, source_key, external_id))


async def find_raw(tx: Tx, workspace_id: UUID, id: UUID) -> dict[str, Any] | None:
    stored = await tx.value(_RAW, workspace_id, id)
    return None if stored is None else msgspec.json.decode(stored)


async def save_raw(tx: Tx, workspace_id: UUID, id: UUID, raw: Mapping[str, Any]) -> None:
    await tx.run(_SAVE_RAW, workspace_id, id, raw)


async def find_named(tx: Tx, workspace_id: UUID, integration_id: UUID | None, accounts: Sequence[UUID]) -> Row:
    """`has_integration`, and `no_accounts`: those that the workspace has not."""
    row = await tx.row(_FIND_NAMED, workspace_id, integration_id, list(accounts))
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    return row


async def add_signal(tx: Tx, actor: Actor, columns: Mapping[str, Any], created_at: Any) -> UUID | None:
    """The signal with its line in the trail and its count; None when its identity is taken."""
    values = (*addition(tx, actor, "signal"), *(columns[name] for name in COLUMNS), created_at)
    id: UUID | None = await tx.value(_ADD, *values)
    return id


async def change_signal(tx: Tx, workspace_id: UUID, id: UUID, columns: Mapping[str, Any]) -> None:
    """Moves the version and `updated_at`."""
    places = ", ".join(f"{name} = ${place}" for place, name in enumerate(columns, 4))
    statement = (
        f"UPDATE signals SET {places}, updated_at = $3, version = version + 1 WHERE workspace_id = $1 AND id = $2"
    )
    await tx.run(statement, workspace_id, id, tx.now, *columns.values())


async def add_accounts(tx: Tx, workspace_id: UUID, id: UUID, accounts: Sequence[UUID]) -> int:
    return await tx.run(_ADD_ACCOUNTS, workspace_id, id, list(accounts)) if accounts else 0


async def drop_other_accounts(tx: Tx, workspace_id: UUID, id: UUID, accounts: Sequence[UUID]) -> int:
    return await tx.run(_DROP_ACCOUNTS, workspace_id, id, list(accounts))


async def remove_signal(tx: Tx, workspace_id: UUID, id: UUID) -> list[UUID]:
    """Which insights went with it: those that processing found, that rest on it alone and nobody has reviewed."""
    gone = [row[0] for row in await tx.rows(_REMOVE_INSIGHTS, workspace_id, id)]
    await tx.run(_REMOVE, workspace_id, id)
    return gone
