"""The SQL of workspaces, members and keys."""

from datetime import datetime
from uuid import UUID

from sightline.platform.access import Actor, Role
from sightline.platform.db import Tx
from sightline.platform.ids import new_id
from sightline.workspaces.records import (
    Allowance,
    ApiKey,
    AuthContext,
    Credential,
    Plan,
    StoredKey,
    Workspace,
)

_API_KEY = """
    k.id, k.token_id, k.name, k.scopes, m.email, iso(k.created_at), iso(k.expires_at), iso(k.revoked_at),
    iso(k.last_used_at), k.replaced_by"""

_KEYS = f"""
SELECT {_API_KEY}
  FROM api_keys k
  LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id"""


async def find_workspace(tx: Tx, slug: str) -> Workspace | None:
    row = await tx.row("SELECT id, slug, name FROM workspaces WHERE slug = $1", slug)
    return Workspace(*row) if row else None


ADD_WORKSPACE = """
WITH made AS (
    INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
    ON CONFLICT (slug) DO NOTHING
    RETURNING id
), plan AS (
    INSERT INTO plans (workspace_id) SELECT id FROM made
), told AS (
    INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at)
    SELECT id, $5, 'workspace', id, $2, 'created', $6, $7, $4 FROM made
)
SELECT id FROM made"""


async def add_workspace(tx: Tx, actor: Actor, workspace: Workspace) -> bool:
    """False when the slug is taken."""
    values = (workspace.id, workspace.slug, workspace.name, tx.now, new_id(), actor.kind, actor.id)
    return await tx.value(ADD_WORKSPACE, *values) is not None


ADD_MEMBER = """
WITH told AS (
    INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, actor_id, at)
    VALUES ($1, $7, 'member', $2, 'created', $8, $9, $6)
)
INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)"""


async def add_owner(tx: Tx, actor: Actor, email: str) -> UUID:
    id = new_id()
    name = email.partition("@")[0]
    values = (actor.workspace_id, id, email, name, Role.OWNER, tx.now, new_id(), actor.kind, actor.id)
    await tx.run(ADD_MEMBER, *values)
    return id


async def find_member(tx: Tx, workspace_id: UUID, email: str) -> tuple[UUID, Role, bool] | None:
    """Id, role and whether active; the letter case of the address does not matter."""
    found = "SELECT id, role, active FROM members WHERE workspace_id = $1 AND lower(email) = lower($2)"
    row = await tx.row(found, workspace_id, email)
    return (row[0], Role(row[1]), row[2]) if row else None


STORED_KEY = """
SELECT k.id, k.workspace_id, k.name, k.secret_hash, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.member_id,
       CASE WHEN m.active THEN m.role END
  FROM api_keys k
  LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
 WHERE k.token_id = $1"""


async def find_stored_key(tx: Tx, token_id: str) -> StoredKey | None:
    row = await tx.row(STORED_KEY, token_id)
    return StoredKey(*row) if row else None


# In the order of ids, so that processes that write the same keys at the same time do not wait for each other in a ring.
SAVE_LAST_USED = """
WITH used AS (
    SELECT id FROM api_keys WHERE id = ANY($1) AND (last_used_at IS NULL OR last_used_at < $2)
     ORDER BY id FOR NO KEY UPDATE
)
UPDATE api_keys k SET last_used_at = $2 FROM used WHERE k.id = used.id"""


async def save_last_used(tx: Tx, ids: list[UUID]) -> None:
    await tx.run(SAVE_LAST_USED, ids, tx.now)


ADD_KEY = """
WITH told AS (
    INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, actor_id, at, detail)
    VALUES ($1, $10, 'api_key', $2, 'created', $11, $12, $8, $13)
)
INSERT INTO api_keys (workspace_id, id, token_id, secret_hash, member_id, name, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING iso(created_at), iso(expires_at)"""


async def add_key(tx: Tx, actor: Actor, stored: StoredKey, token_id: str) -> tuple[str, str | None]:
    """When it was made and when it ends, as they are shown."""
    told = {"name": stored.name, "scopes": stored.scopes}
    key = (stored.workspace_id, stored.id, token_id, stored.secret_hash, stored.member_id, stored.name, stored.scopes)
    telling = (new_id(), actor.kind, actor.id, told)
    row = await tx.row(ADD_KEY, *key, stored.created_at, stored.expires_at, *telling)
    assert row is not None  # noqa: S101 - tells mypy that an INSERT without ON CONFLICT returns its row
    return row[0], row[1]


async def page_of_keys(tx: Tx, workspace_id: UUID) -> list[ApiKey]:
    """Newest first, the revoked ones too."""
    rows = await tx.rows(f"{_KEYS} WHERE k.workspace_id = $1 ORDER BY k.created_at DESC, k.id DESC", workspace_id)
    return [ApiKey(*row) for row in rows]


async def find_key(tx: Tx, id: UUID | None, token_id: str | None) -> ApiKey | None:
    row = await tx.row(f"{_KEYS} WHERE k.id = $1 OR k.token_id = $2", id, token_id)
    return ApiKey(*row) if row else None


async def lock_key(tx: Tx, id: UUID) -> StoredKey | None:
    """The key, locked until the transaction ends; `role` is not read."""
    row = await tx.row(
        "SELECT id, workspace_id, name, secret_hash, scopes, created_at, expires_at, revoked_at, member_id, NULL"
        " FROM api_keys WHERE id = $1 FOR NO KEY UPDATE",
        id,
    )
    return StoredKey(*row) if row else None


REVOKE_KEYS = """
WITH gone AS (
    UPDATE api_keys SET revoked_at = $2 WHERE id = ANY($1) AND revoked_at IS NULL RETURNING workspace_id, id, name
)
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, actor_id, at, detail)
SELECT workspace_id, gen_random_uuid(), 'api_key', id, 'revoked', $3, $4, $2, jsonb_build_object('name', name)
  FROM gone"""


async def revoke_keys(tx: Tx, actor: Actor, ids: list[UUID]) -> int:
    """How many were not revoked before."""
    return await tx.run(REVOKE_KEYS, ids, tx.now, actor.kind, actor.id)


async def find_valid_keys_named(tx: Tx, workspace_id: UUID, name: str) -> list[UUID]:
    found = "SELECT id FROM api_keys WHERE workspace_id = $1 AND name = $2 AND revoked_at IS NULL"
    return [row[0] for row in await tx.rows(found, workspace_id, name)]


REPLACE_KEY = """
WITH replaced AS (
    UPDATE api_keys SET replaced_by = $2, expires_at = least(expires_at, $3) WHERE id = $1 RETURNING workspace_id, id
)
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, actor_id, at, detail)
SELECT workspace_id, $4, 'api_key', id, 'rolled', $5, $6, $7, jsonb_build_object('replacedBy', $2::uuid)
  FROM replaced"""


async def replace_key(tx: Tx, actor: Actor, old: UUID, new: UUID, ends: datetime) -> None:
    """The old key ends then, unless it does before."""
    await tx.run(REPLACE_KEY, old, new, ends, new_id(), actor.kind, actor.id, tx.now)


CONTEXT = """
SELECT w.id, w.slug, w.name, k.id, k.name, k.scopes, iso(k.created_at), iso(k.expires_at),
       (SELECT count(*) FROM initiatives i WHERE i.workspace_id = $1), p.initiative_limit,
       (SELECT count(*) FROM initiatives i WHERE i.workspace_id = $1 AND i.is_active), p.active_initiative_limit,
       coalesce(p.ai_credits_used + p.ai_credits_reserved, 0), p.ai_credits, iso(p.trial_ends_at)
  FROM workspaces w
  JOIN api_keys k ON k.workspace_id = w.id
  LEFT JOIN plans p ON p.workspace_id = w.id
 WHERE w.id = $1 AND k.id = $2"""


async def find_context(tx: Tx, actor: Actor) -> AuthContext | None:
    """Reserved credits count as used: nobody else can have them."""
    row = await tx.row(CONTEXT, actor.workspace_id, UUID(actor.id))
    if row is None:
        return None
    plan = Plan(Allowance(row[8], row[9]), Allowance(row[10], row[11]), Allowance(row[12], row[13]), row[14])
    return AuthContext(Workspace(row[0], row[1], row[2]), Credential(*row[3:8]), plan)
