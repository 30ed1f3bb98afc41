"""The SQL of the context of a key."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Unauthorized
from sightline.workspaces.keys.tokens import NOT_VALID
from sightline.workspaces.records import Allowance, AuthContext, Credential, Workspace, WorkspacePlan

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
