"""The SQL behind each request: its key, and the last use of keys."""

from collections.abc import Iterable
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.workspaces.keys.records import StoredKey

FIND_STORED_KEYS = sql("""
    SELECT k.id, k.workspace_id, k.name, k.secret_hash, k.scopes, k.created_at, k.expires_at, k.revoked_at,
           k.member_id, k.last_used_at IS NOT NULL, CASE WHEN m.active THEN m.role END, k.token_id
      FROM api_keys k
      LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
     WHERE k.token_id = ANY(:token_ids)""")


async def find_stored_keys(tx: Tx, token_ids: Iterable[str]) -> dict[str, StoredKey]:
    """Returns the keys that exist, by the id in their text."""
    found = {}
    for row in await tx.rows(FIND_STORED_KEYS, token_ids=[*token_ids]):
        *fields, token_id = row
        found[token_id] = StoredKey(*fields)
    return found


# In the order of ids, so that processes that write the same keys at the same time do not deadlock.
SAVE_LAST_USED = sql("""
    WITH due AS (
        SELECT id FROM api_keys WHERE id = ANY(:ids) AND (last_used_at IS NULL OR last_used_at < :now)
    ), free AS (
        SELECT id FROM api_keys WHERE id IN (SELECT id FROM due) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), saved AS (
        UPDATE api_keys k SET last_used_at = :now FROM free WHERE k.id = free.id RETURNING k.id
    )
    SELECT id FROM due WHERE id NOT IN (SELECT id FROM saved)""")


async def save_last_used(tx: Tx, ids: list[UUID]) -> list[UUID]:
    """Returns the keys left out since another transaction has them locked, such as one that removes their creator."""
    return [row["id"] for row in await tx.rows(SAVE_LAST_USED, ids=ids)]
