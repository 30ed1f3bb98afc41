"""`sightline workspace`: whole workspaces, as files."""

import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.workspace_file import Applied, WorkspaceLine

app = typer.Typer(help="Whole workspaces, as files.", no_args_is_help=True, rich_markup_mode=None)

Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The workspace's slug.")]


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="workspace")


@app.command("apply", cls=Command)
def apply(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A workspace file, YAML or JSON; - for standard input.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Creates or updates the workspace that a file describes, all or nothing; a second time changes nothing."""
    from sightline.cli.data import operator, read_settings, with_database
    from sightline.cli.output import print_json
    from sightline.workspace_file import apply_file

    settings = read_settings(data_dir, database_url)
    with _opened(file) as source:

        async def work(db: "Database") -> "Applied":
            return await apply_file(db, source, actor_id=operator().id)

        applied = with_database(settings, work, is_first_use=True)
    if as_json:
        print_json(applied)
    else:
        _print_applied(applied)


def _opened(file: str) -> BinaryIO:
    return sys.stdin.buffer if file == "-" else open(file, "rb")


def _print_applied(applied: "Applied") -> None:
    from sightline.cli.output import print_columns

    typer.echo(f"{applied.slug} ({applied.workspace_id})")
    rows = (
        (name, count.added, count.changed, count.unchanged, count.removed) for name, count in applied.counts.items()
    )
    print_columns(("LIST", "ADDED", "CHANGED", "UNCHANGED", "REMOVED"), rows)


@app.command("export", cls=Command)
def export(slug: Slug, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Prints a workspace as a workspace file; applied elsewhere, it gives the same workspace."""
    from sightline.cli.data import read_settings, with_database
    from sightline.workspace_file import export_workspace

    async def work(db: "Database") -> None:
        await export_workspace(db, slug, sys.stdout.buffer.write)

    with_database(read_settings(data_dir, database_url), work)


@app.command("list", cls=Command)
def list_(as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Lists the workspaces."""
    from sightline.cli.data import read_settings, with_database
    from sightline.cli.output import print_columns, print_json
    from sightline.workspace_file import list_workspaces

    async def work(db: "Database") -> "list[WorkspaceLine]":
        return await list_workspaces(db)

    found = with_database(read_settings(data_dir, database_url), work)
    if as_json:
        print_json(found)
    else:
        rows = (
            (one.slug, one.name, one.id, [f"{count} {kind}" for kind, count in one.counts.items()]) for one in found
        )
        print_columns(("SLUG", "NAME", "ID", "RECORDS"), rows)


@app.command("delete", cls=Command)
def delete(
    slug: Slug,
    yes: Annotated[bool, typer.Option("--yes", help="Yes, delete everything in it, for good.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Deletes a workspace with everything in it."""
    from sightline.cli.data import read_settings, with_database
    from sightline.cli.output import print_json
    from sightline.workspace_file import delete_workspace

    if not yes:
        raise typer.BadParameter(f"add --yes to delete {slug} and everything in it", param_hint="--yes")

    async def work(db: "Database") -> dict[str, int]:
        return await delete_workspace(db, slug)

    removed = with_database(read_settings(data_dir, database_url), work)
    if as_json:
        print_json({"slug": slug, "removed": removed})
    else:
        typer.echo(f"{slug} is deleted.")
