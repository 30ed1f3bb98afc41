"""`sightline keys`: API keys."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, InWorkspace

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.workspaces.records import ApiKey, CreatedKey, NewKey

app = typer.Typer(help="API keys.", no_args_is_help=True, rich_markup_mode=None)

KeyId = Annotated[str, typer.Argument(metavar="ID", help="The key's id, or the part between its underscores.")]


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="keys")


def read_moment(text: str) -> datetime:
    from sightline.platform.wire import Moment

    try:
        return Moment.read(text)
    except ValueError:
        raise typer.BadParameter("expected a date or an ISO 8601 timestamp") from None


@app.command("create", cls=Command)
def create(  # noqa: PLR0913 - each is an option
    workspace: InWorkspace,
    name: Annotated[str, typer.Option("--name", help="What the key is for.")],
    scopes: Annotated[str, typer.Option("--scopes", help="Comma-separated, or `all`.")],
    member: Annotated[str | None, typer.Option("--member", help="E-mail of its creator, an owner or admin.")] = None,
    expires: Annotated[
        datetime | None, typer.Option("--expires", parser=read_moment, metavar="DATE", help="When it stops working.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Creates an API key and prints it; it is never shown again."""
    from sightline.cli.data import read_settings, with_database
    from sightline.workspaces.records import NewKey

    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    wish = NewKey(name=name, scopes=wanted, member=member, expires_at=expires)

    async def work(db: "Database") -> "CreatedKey":
        return await _create(db, workspace, wish)

    _print_created(with_database(read_settings(data_dir, database_url), work), as_json)


async def _create(db: "Database", slug: str, wish: "NewKey") -> "CreatedKey":
    from sightline.cli.data import operator
    from sightline.workspaces.keys import create_key
    from sightline.workspaces.tenants import find_workspace

    async with db.write() as tx:
        workspace = await find_workspace(tx, slug)
        return await create_key(tx, operator(workspace.id), wish)


@app.command("list", cls=Command)
def list_(
    workspace: InWorkspace, as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Lists the keys of a workspace, newest first, the revoked ones too."""
    from sightline.cli.data import read_settings, with_database
    from sightline.workspaces.keys import list_keys
    from sightline.workspaces.tenants import find_workspace

    async def work(db: "Database") -> "list[ApiKey]":
        async with db.read() as tx:
            return await list_keys(tx, (await find_workspace(tx, workspace)).id)

    _print_keys(with_database(read_settings(data_dir, database_url), work), as_json)


@app.command("revoke", cls=Command)
def revoke(key: KeyId, as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Ends a key at once, on every running server."""
    from sightline.cli.data import operator, read_settings, with_database
    from sightline.cli.output import print_json
    from sightline.workspaces.keys import revoke_key

    async def work(db: "Database") -> "ApiKey":
        async with db.write() as tx:
            return await revoke_key(tx, operator(), key)

    revoked = with_database(read_settings(data_dir, database_url), work)
    if as_json:
        print_json(revoked)
    else:
        typer.echo(f"{revoked.name} ({revoked.id}) is revoked since {revoked.revoked_at}.")


@app.command("roll", cls=Command)
def roll(
    key: KeyId,
    overlap: Annotated[
        float, typer.Option("--overlap", min=0, max=2160, metavar="HOURS", help="How long the old key still works.")
    ] = 24,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Replaces a key by a new one with the same name, scopes, creator and lifetime."""
    from sightline.cli.data import operator, read_settings, with_database
    from sightline.workspaces.keys import roll_key

    async def work(db: "Database") -> "CreatedKey":
        async with db.write() as tx:
            return await roll_key(tx, operator(), key, timedelta(hours=overlap))

    _print_created(with_database(read_settings(data_dir, database_url), work), as_json)


def _print_created(key: Any, as_json: bool) -> None:
    from sightline.cli.output import note, print_json, print_pairs

    if as_json:
        print_json(key)
        return
    shown = [("id", key.id), ("key", key.key), ("scopes", key.scopes), ("member", key.member)]
    print_pairs([*shown, ("expires", key.expires_at)])
    note("Keep the key now: it is not shown again.")


def _print_keys(keys: "list[ApiKey]", as_json: bool) -> None:
    from sightline.cli.output import print_columns, print_json
    from sightline.platform.access import Scope

    if as_json:
        print_json(keys)
        return
    everything = len(Scope)
    heads = ("ID", "NAME", "MEMBER", "CREATED", "EXPIRES", "REVOKED", "LAST USED", "SCOPES")
    rows = (
        (
            *(key.id, key.name, key.member, key.created_at, key.expires_at, key.revoked_at, key.last_used_at),
            "all" if len(key.scopes) == everything else key.scopes,
        )
        for key in keys
    )
    print_columns(heads, rows)
