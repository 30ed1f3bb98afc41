"""Creating and finding workspaces."""

import re
from dataclasses import replace

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.workspaces import queries
from sightline.workspaces.records import NAME_LENGTH, Workspace

# Held by whoever creates, applies or deletes a workspace, and shared by imports into it.
LOCK_SLUG = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline workspace ' || :slug, 0))")
SHARE_SLUG = sql("SELECT pg_advisory_xact_lock_shared(hashtextextended('sightline workspace ' || :slug, 0))")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SLUG_LENGTH = 63
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_EMAIL_LENGTH = 254


class SlugTaken(Conflict):
    """409: another workspace has this slug."""

    code = "SLUG_TAKEN"


async def create_workspace(tx: Tx, actor: Actor, slug: str, name: str, owner: str) -> Workspace:
    """Creates an empty workspace with its owner and a plan without limits. Ignores the actor's own workspace.

    Slug: 1-63 lower-case letters, digits and single hyphens. Raises ValidationFailed and SlugTaken.
    """
    _check(slug, name, owner)
    workspace = Workspace(new_id(), slug, name.strip())
    here = replace(actor, workspace_id=workspace.id)
    if not await queries.add_workspace(tx, here, workspace):
        raise SlugTaken(f"There is a workspace {slug} already.")
    await queries.add_owner(tx, here, owner)
    return workspace


async def find_workspace(tx: Tx, slug: str) -> Workspace:
    """Finds a workspace by its slug. Raises NotFound."""
    found = await queries.find_workspace(tx, slug)
    if found is None:
        raise NotFound(f"There is no workspace {slug}.")
    return found


def _check(slug: str, name: str, owner: str) -> None:
    if not _SLUG.fullmatch(slug) or len(slug) > _SLUG_LENGTH:
        raise ValidationFailed.of("slug", "Give 1 to 63 lower-case letters, digits and single hyphens.")
    if not 1 <= len(name.strip()) <= NAME_LENGTH or not name.strip().isprintable():
        raise ValidationFailed.of("name", f"Give 1 to {NAME_LENGTH} printable characters.")
    if not _EMAIL.fullmatch(owner) or len(owner) > _EMAIL_LENGTH:
        raise ValidationFailed.of("owner", "Give the owner's e-mail address.")
