"""`sightline init`: a real, empty workspace."""

from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.workspaces.records import CreatedKey, Workspace


def register(app: typer.Typer) -> None:
    app.command("init", cls=Command)(init)


def init(
    slug: Annotated[str, typer.Option("--slug", help="Short name: lower-case letters, digits, hyphens.")],
    name: Annotated[str, typer.Option("--name", help="Full name.")],
    owner: Annotated[str, typer.Option("--owner", help="The owner's e-mail address.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Creates an empty workspace with its owner and an API key with all scopes, shown once."""
    from sightline.cli.data import read_settings, with_database
    from sightline.cli.output import print_json, print_pairs

    async def work(db: "Database") -> "tuple[Workspace, CreatedKey]":
        return await _create(db, slug, name, owner)

    workspace, key = with_database(read_settings(data_dir, database_url), work, is_first_use=True)
    shown = {"workspace": workspace, "owner": owner, "keyId": key.id, "key": key.key, "scopes": key.scopes}
    if as_json:
        print_json(shown)
    else:
        print_pairs([("workspace", workspace.slug), ("id", workspace.id), ("owner", owner), ("key", key.key)])


async def _create(db: "Database", slug: str, name: str, owner: str) -> "tuple[Workspace, CreatedKey]":
    """All or nothing."""
    from sightline.catalog.defaults import add_default_statuses
    from sightline.cli.data import operator
    from sightline.workspaces.keys import create_key
    from sightline.workspaces.records import NewKey
    from sightline.workspaces.tenants import create_workspace

    async with db.write() as tx:
        workspace = await create_workspace(tx, operator(), slug, name, owner)
        await add_default_statuses(tx, workspace.id)
        key = await create_key(tx, operator(workspace.id), NewKey(name="init", scopes=["all"], member=owner))
    return workspace, key
