"""Creating and finding workspaces, and their members."""

import re
from dataclasses import replace
from uuid import UUID

from sightline.platform.access import Actor, Role
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.workspaces.changes import add_changes, change_by
from sightline.workspaces.records import Workspace

# Held by whoever creates, applies or deletes a workspace, and shared by imports into it.
LOCK_SLUG = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline workspace ' || :slug, 0))")
SHARE_SLUG = sql("SELECT pg_advisory_xact_lock_shared(hashtextextended('sightline workspace ' || :slug, 0))")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SLUG_LENGTH = 63
NAME_LENGTH = 255
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_EMAIL_LENGTH = 254

_FIND = sql("SELECT id, slug, name FROM workspaces WHERE slug = :slug")
_ADD = sql(
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
_ADD_OWNER = sql(
    """
    WITH added AS (
        INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at)
        VALUES (:workspace_id, :id, :email, :name, :role, :now, :now)
        RETURNING id
    )
    {log}""",
    log=add_changes("member", "created", "added", public_id="NULL"),
)
_FIND_MEMBER = sql(
    "SELECT id, role, active FROM members WHERE workspace_id = :workspace_id AND lower(email) = lower(:email)"
)


class SlugTaken(Conflict):
    """409: another workspace has this slug."""

    code = "SLUG_TAKEN"


async def create_workspace(tx: Tx, actor: Actor, slug: str, name: str, owner: str) -> Workspace:
    """Creates an empty workspace with its owner and a plan without limits. Ignores the actor's own workspace.

    Slug: 1-63 lower-case letters, digits and single hyphens. Raises ValidationFailed and SlugTaken.
    """
    if not _SLUG.fullmatch(slug) or len(slug) > _SLUG_LENGTH:
        raise ValidationFailed.of("slug", "Give 1 to 63 lower-case letters, digits and single hyphens.")
    workspace = Workspace(new_id(), slug, checked_name(name))
    if not _EMAIL.fullmatch(owner) or len(owner) > _EMAIL_LENGTH:
        raise ValidationFailed.of("owner", "Give the owner's e-mail address.")
    here = replace(actor, workspace_id=workspace.id)
    if await tx.value(_ADD, **change_by(here), slug=slug, name=workspace.name) is None:
        raise SlugTaken(f"There is a workspace {slug} already.")
    member = {"id": new_id(), "email": owner, "name": owner.partition("@")[0], "role": Role.OWNER}
    await tx.run(_ADD_OWNER, **change_by(here), **member)
    return workspace


def checked_name(name: str) -> str:
    """Returns the name of a workspace or a key, trimmed. Raises ValidationFailed."""
    name = name.strip()
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
        raise ValidationFailed.of("name", f"Give 1 to {NAME_LENGTH} printable characters.")
    return name


async def find_workspace(tx: Tx, slug: str) -> Workspace:
    """Finds a workspace by its slug. Raises NotFound."""
    row = await tx.row(_FIND, slug=slug)
    if row is None:
        raise NotFound(f"There is no workspace {slug}.")
    return Workspace(*row)


async def find_member(tx: Tx, workspace_id: UUID, email: str) -> tuple[UUID, Role, bool] | None:
    """Returns id, role and whether active. The letter case of the address does not matter."""
    row = await tx.row(_FIND_MEMBER, workspace_id=workspace_id, email=email)
    return (row["id"], Role(row["role"]), row["active"]) if row else None
