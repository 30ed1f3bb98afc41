"""`sightline keys`: API keys."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from sightline.cli.options import InWorkspace, argument, option, read_moment
from sightline.cli.output import note, print_columns, table
from sightline.cli.site import Site, operator, site_command
from sightline.platform.scopes import Scope
from sightline.workspaces.keys import lifecycle
from sightline.workspaces.keys.records import ApiKey, CreatedKey, NewKey

KeyId = Annotated[str, argument("ID", "The key's id, or the part of the key between underscores.")]


def _print_created(key: CreatedKey) -> None:
    shown = [("id", key.id), ("key", key.key), ("scopes", key.scopes), ("member", key.member)]
    print_columns([*shown, ("expires", key.expires_at)])
    note("Keep the key now: it is not shown again.")


@site_command("keys create", show=_print_created)
async def create(
    site: Site,
    workspace: InWorkspace,
    name: Annotated[str, option("What the key is for.")],
    scopes: Annotated[str, option(f"Comma-separated, or `all`: {', '.join(Scope)}.")],
    member: Annotated[str | None, option("E-mail of its creator, an owner or admin.")] = None,
    expires: Annotated[datetime | None, option("When it stops working.", parser=read_moment, metavar="DATE")] = None,
) -> CreatedKey:
    """Creates an API key and prints it; the key is never shown again."""
    listed = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    async with site.transaction(workspace) as (tx, actor):
        new_key = NewKey(name=name, scopes=listed, member=member, expires_at=expires)
        key = await lifecycle.create_key(tx, actor, new_key)
    writing = [scope for scope in key.scopes if not scope.endswith(":read")]
    if key.member is None and writing:
        note(f"Warning: without --member the key has no creator and only reads. Without effect: {', '.join(writing)}.")
    return key


def _scopes(key: ApiKey) -> object:
    return "all" if len(key.scopes) == len(Scope) else key.scopes


_print_keys = table(
    "id", "name", "member", "created_at", "expires_at", "revoked_at", "last_used_at", "scopes", scopes=_scopes
)


@site_command("keys list", show=_print_keys)
async def list_(site: Site, workspace: InWorkspace) -> list[ApiKey]:
    """Lists the keys of a workspace, newest first, revoked ones too."""
    async with site.transaction(workspace) as (tx, actor):
        return await lifecycle.list_keys(tx, actor.workspace_id)


def _print_revoked(key: ApiKey) -> None:
    typer.echo(f"{key.name} ({key.id}) has been revoked since {key.revoked_at}.")


@site_command("keys revoke", show=_print_revoked)
async def revoke(site: Site, key: KeyId) -> ApiKey:
    """Revokes a key at once, on every running server."""
    async with site.db.transaction() as tx:
        return await lifecycle.revoke_key(tx, operator(), key)


@site_command("keys roll", show=_print_created)
async def roll(
    site: Site,
    key: KeyId,
    overlap: Annotated[float, option("How long the old key still works.", min=0, max=2160, metavar="HOURS")] = 24,
) -> CreatedKey:
    """Replaces a key with a new one. Name, scopes, creator and lifetime stay the same."""
    async with site.db.transaction() as tx:
        return await lifecycle.roll_key(tx, operator(), key, timedelta(hours=overlap))
