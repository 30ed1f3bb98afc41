"""The SQL of API keys."""

from datetime import datetime
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, sql
from sightline.workspaces.changes import add_changes, change_by
from sightline.workspaces.keys.records import ApiKey, NewKey
from sightline.workspaces.keys.tokens import Token

_KEYS = """
    SELECT k.id, k.token_id, k.name, k.scopes, m.email, iso(k.created_at), iso(k.expires_at), iso(k.revoked_at),
           iso(k.last_used_at), k.replaced_by
      FROM api_keys k
      LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id"""

ADD_KEY = sql(
    """
    WITH added AS (
        INSERT INTO api_keys (workspace_id, id, token_id, secret_hash, member_id, name, scopes, created_at, expires_at)
        VALUES (:workspace_id, :id, :token_id, :secret_hash, :member_id, :name, :scopes, :now, :expires_at)
        RETURNING id, created_at, expires_at
    ), logged AS ({log})
    SELECT iso(created_at), iso(expires_at) FROM added""",
    log=add_changes("api_key", "created", "added", public_id="NULL", detail=":detail::jsonb"),
)


async def add_key(tx: Tx, actor: Actor, id: UUID, token: Token, new_key: NewKey, member_id: UUID | None) -> Row:
    """Adds a key. Returns when it was created and when it expires, as text."""
    return await tx.one(
        ADD_KEY,
        **change_by(actor),
        id=id,
        token_id=token.id,
        secret_hash=token.digest,
        member_id=member_id,
        name=new_key.name,
        scopes=new_key.scopes,
        expires_at=new_key.expires_at,
        detail={"name": new_key.name, "scopes": new_key.scopes},
    )


LIST_KEYS = sql("{keys} WHERE k.workspace_id = :workspace_id ORDER BY k.created_at DESC, k.id DESC", keys=_KEYS)


async def list_keys(tx: Tx, workspace_id: UUID) -> list[ApiKey]:
    """Returns all keys, newest first, with revoked ones."""
    return [ApiKey(*row) for row in await tx.rows(LIST_KEYS, workspace_id=workspace_id)]


FIND_KEY = sql("{keys} WHERE k.id = :id OR k.token_id = :token_id", keys=_KEYS)


async def find_key(tx: Tx, id: UUID | None, token_id: str) -> ApiKey | None:
    row = await tx.row(FIND_KEY, id=id, token_id=token_id)
    return ApiKey(*row) if row else None


LOCK_KEY = sql("""
    SELECT workspace_id, member_id, created_at, expires_at, revoked_at
      FROM api_keys WHERE id = :id FOR NO KEY UPDATE""")


async def lock_key(tx: Tx, id: UUID) -> Row:
    """Locks the key until the transaction ends. Raises NotFound."""
    return await tx.found(LOCK_KEY, id=id)


REVOKE_KEYS = sql(
    """
    WITH revoked AS (
        UPDATE api_keys SET revoked_at = :now WHERE id = ANY(:ids) AND revoked_at IS NULL
        RETURNING workspace_id, id, name
    )
    {log}""",
    log=add_changes(
        "api_key",
        "revoked",
        "revoked",
        workspace_id="workspace_id",
        change_id="gen_random_uuid()",
        public_id="NULL",
        detail="jsonb_build_object('name', name)",
    ),
)


async def revoke_keys(tx: Tx, actor: Actor, ids: list[UUID]) -> int:
    """Revokes keys. Returns how many were not revoked before."""
    return await tx.run(REVOKE_KEYS, ids=ids, actor_kind=actor.kind, actor_id=actor.id)


FIND_VALID_KEYS_NAMED = sql(
    "SELECT id FROM api_keys WHERE workspace_id = :workspace_id AND name = :name AND revoked_at IS NULL"
)


async def find_valid_keys_named(tx: Tx, workspace_id: UUID, name: str) -> list[UUID]:
    return [row["id"] for row in await tx.rows(FIND_VALID_KEYS_NAMED, workspace_id=workspace_id, name=name)]


REPLACE_KEY = sql(
    """
    WITH replaced AS (
        UPDATE api_keys SET replaced_by = :replaced_by, expires_at = least(expires_at, :ends)
         WHERE workspace_id = :workspace_id AND id = :id RETURNING id
    )
    {log}""",
    log=add_changes(
        "api_key",
        "rolled",
        "replaced",
        public_id="NULL",
        detail="jsonb_build_object('replacedBy', :replaced_by::uuid)",
    ),
)


async def replace_key(tx: Tx, actor: Actor, old: UUID, new: UUID, ends: datetime) -> None:
    """Marks a key of the actor's workspace as replaced. It expires at `ends`, or earlier if it did so already."""
    await tx.run(REPLACE_KEY, **change_by(actor), id=old, replaced_by=new, ends=ends)
