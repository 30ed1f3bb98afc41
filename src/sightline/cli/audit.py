"""`sightline audit`: who changed or deleted what, when, with which key."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.keys import read_moment
from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, InWorkspace

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.workspaces.audit import Wanted
    from sightline.workspaces.records import AuditEntry


def register(app: typer.Typer) -> None:
    app.command("audit", cls=Command)(audit)


def audit(
    workspace: InWorkspace,
    record: Annotated[str | None, typer.Option("--record", metavar="REF", help="UUID or public id.")] = None,
    since: Annotated[
        datetime | None, typer.Option("--since", parser=read_moment, metavar="DATE", help="Nothing older.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Shows the trail of a workspace or of one record, oldest first."""
    from sightline.cli.data import read_settings, with_database
    from sightline.workspaces.audit import Wanted

    async def work(db: "Database") -> None:
        await _print_trail(db, workspace, Wanted(record, since), as_json)

    with_database(read_settings(data_dir, database_url), work)


async def _print_trail(db: "Database", slug: str, wanted: "Wanted", as_json: bool) -> None:
    """As it comes from the database: a trail may be long."""
    import msgspec

    from sightline.workspaces.audit import walk_changes
    from sightline.workspaces.tenants import find_workspace

    between = "["
    async with db.snapshot() as tx:
        found = await find_workspace(tx, slug)
        async for entry in walk_changes(tx, found.id, wanted):
            if as_json:
                typer.echo(between + msgspec.json.encode(entry).decode(), nl=False)
                between = ",\n"
            else:
                typer.echo(_line(entry))
    if as_json:
        typer.echo("[]" if between == "[" else "]")


def _line(entry: "AuditEntry") -> str:
    import msgspec

    who = f"{entry.actor_kind} {entry.actor_name or entry.actor_id or '-'}"
    if entry.actor_name:
        who += f" ({entry.actor_id})"
    detail = msgspec.json.encode(entry.detail).decode()
    what = f"{entry.kind} {entry.public_id or entry.record_id}"
    return f"{entry.at}  {who}  {entry.action}  {what}" + (f"  {detail}" if detail != "{}" else "")
