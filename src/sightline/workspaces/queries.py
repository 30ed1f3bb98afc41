"""The SQL of workspaces and members."""

from uuid import UUID

from sightline.platform.access import Actor, Role
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Unauthorized
from sightline.platform.ids import new_id
from sightline.workspaces.changes import add_changes, change_by
from sightline.workspaces.keys.tokens import NOT_VALID
from sightline.workspaces.records import Allowance, AuthContext, Credential, Workspace, WorkspacePlan

FIND_WORKSPACE = sql("SELECT id, slug, name FROM workspaces WHERE slug = :slug")


async def find_workspace(tx: Tx, slug: str) -> Workspace | None:
    row = await tx.row(FIND_WORKSPACE, slug=slug)
    return Workspace(*row) if row else None


ADD_WORKSPACE = sql(
    """
    WITH added AS (
        INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES (:workspace_id, :slug, :name, :now, :now)
        ON CONFLICT (slug) DO NOTHING
        RETURNING id, slug
    ), plan AS (
        INSERT INTO plans (workspace_id) SELECT id FROM added
    ), logged AS ({log})
    SELECT id FROM added""",
    log=add_changes("workspace", "created", "added", public_id="slug"),
)


async def add_workspace(tx: Tx, actor: Actor, workspace: Workspace) -> bool:
    """Adds the actor's workspace. Returns False if another workspace has the slug."""
    added = await tx.value(ADD_WORKSPACE, **change_by(actor), slug=workspace.slug, name=workspace.name)
    return added is not None


ADD_MEMBER = sql(
    """
    WITH added AS (
        INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at)
        VALUES (:workspace_id, :id, :email, :name, :role, :now, :now)
        RETURNING id
    )
    {log}""",
    log=add_changes("member", "created", "added", public_id="NULL"),
)


async def add_owner(tx: Tx, actor: Actor, email: str) -> UUID:
    """Adds an owner and returns the member's id. The name is the part of the address before the @."""
    id = new_id()
    await tx.run(ADD_MEMBER, **change_by(actor), id=id, email=email, name=email.partition("@")[0], role=Role.OWNER)
    return id


FIND_MEMBER = sql(
    "SELECT id, role, active FROM members WHERE workspace_id = :workspace_id AND lower(email) = lower(:email)"
)


async def find_member(tx: Tx, workspace_id: UUID, email: str) -> tuple[UUID, Role, bool] | None:
    """Returns id, role and whether active. The letter case of the address does not matter."""
    row = await tx.row(FIND_MEMBER, workspace_id=workspace_id, email=email)
    return (row["id"], Role(row["role"]), row["active"]) if row else None


FIND_CONTEXT = sql("""
    SELECT w.slug, w.name, k.id AS key_id, k.name AS key_name, k.scopes,
           iso(k.created_at) AS created_at, iso(k.expires_at) AS expires_at,
           (SELECT count(*) FROM initiatives WHERE workspace_id = :workspace_id) AS initiatives,
           (SELECT count(*) FROM initiatives WHERE workspace_id = :workspace_id AND is_active) AS active_initiatives,
           coalesce(p.ai_credits_used + p.ai_credits_reserved, 0) AS credits_used,
           p.initiative_limit, p.active_initiative_limit, p.ai_credits, iso(p.trial_ends_at) AS trial_ends_at
      FROM workspaces w
      JOIN api_keys k ON k.workspace_id = :workspace_id
      LEFT JOIN plans p ON p.workspace_id = :workspace_id
     WHERE w.id = :workspace_id AND k.id = :key_id""")


async def find_context(tx: Tx, actor: Actor) -> AuthContext:
    """Returns the context of a key. Reserved credits count as used: no other request can spend them.

    Raises Unauthorized if the key or its workspace was deleted since it was checked.
    """
    row = await tx.row(FIND_CONTEXT, workspace_id=actor.workspace_id, key_id=UUID(actor.id))
    if row is None:
        raise Unauthorized(NOT_VALID)
    return AuthContext(
        Workspace(actor.workspace_id, row["slug"], row["name"]),
        Credential(row["key_id"], row["key_name"], row["scopes"], row["created_at"], row["expires_at"]),
        WorkspacePlan(
            initiatives=Allowance(row["initiatives"], row["initiative_limit"]),
            active_initiatives=Allowance(row["active_initiatives"], row["active_initiative_limit"]),
            ai_credits=Allowance(row["credits_used"], row["ai_credits"]),
            trial_ends_at=row["trial_ends_at"],
        ),
    )
