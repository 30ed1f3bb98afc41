"""`sightline workspace`: whole workspaces, as files."""

import sys
from functools import partial
from io import BufferedReader
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Annotated, Any

import msgspec
import typer

from sightline.cli.options import argument, command, input_file, option
from sightline.cli.output import note, print_columns, print_json, table
from sightline.cli.site import Site, operator, site_command
from sightline.platform.errors import Fault
from sightline.platform.refused import Refused
from sightline.workspace_file import Applied, FileUnreadable, RecordChange, apply_file, export_workspace, schema
from sightline.workspaces.operating import WorkspaceLine, delete_workspace, list_workspaces

LONGEST_SHOWN = 60  # characters of a value in the diff of a dry run


Slug = Annotated[str, argument("SLUG", "The workspace's slug.")]


def _print_applied(applied: Applied) -> None:
    typer.echo(f"{applied.slug} ({applied.workspace_id})")
    rows = ((name, *msgspec.structs.astuple(count)) for name, count in applied.counts.items())
    print_columns([("LIST", "ADDED", "CHANGED", "UNCHANGED", "REMOVED"), *rows])


def _print_change(change: RecordChange) -> None:
    """Prints a change on standard error, as standard output has the counts. The values of links are not known."""
    note(f"{_MARKS[change.action]} {change.list} {change.name}")
    for name, (before, after) in change.fields.items():
        note(f"    {name}" if before == after else f"    {name}: {_shown(before)} -> {_shown(after)}")


_MARKS = {"added": "+", "changed": "~", "removed": "-"}


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


@site_command("workspace apply", show=_print_applied, is_first_use=True)
async def apply(
    site: Site,
    file: Annotated[BufferedReader, input_file("A workspace file, YAML or JSON; - for standard input.")],
    dry_run: Annotated[
        bool, option("Show what would change, record by record, and store nothing.", "--dry-run")
    ] = False,
    prune: Annotated[
        bool, option("Remove the records that the lists of the file do not name, after a question.", "--prune")
    ] = False,
    yes: Annotated[bool, option("Remove them without a question.", "--yes")] = False,
) -> Applied:
    """Creates or updates the workspace that a file describes. All or nothing; a second time changes nothing."""
    asks = prune and not (yes or dry_run)
    if asks and not (sys.stdin and sys.stdin.isatty()):
        raise typer.BadParameter("standard input is no terminal; add --yes to remove records", param_hint="--yes")
    name = file.name if isinstance(file.name, str) else "standard input"
    applying = partial(apply_file, site.db, actor_id=operator().id, prune=prune)
    with file, TemporaryFile() as copy:
        try:
            if not asks:
                return await applying(file, report=_print_change if dry_run else None, dry_run=dry_run)
            copyfileobj(file, copy)
            copy.seek(0)
            _confirm(await applying(copy, dry_run=True))
            copy.seek(0)
            return await applying(copy)
        except FileUnreadable as refused:
            faults = [Fault(f"{name}: {fault.path}" if fault.path else name, fault.message) for fault in refused.faults]
            raise FileUnreadable(faults, refused.more) from None


def _confirm(tried: Applied) -> None:
    """Asks whether records may be removed, if any would be. Raises Refused after a no."""
    removing = {name: count for name, count in tried.counts.items() if count.removed}
    for name, count in removing.items():
        note(f"{name}: {count.removed} removed, {count.added} added, {count.changed} changed")
    if removing and not typer.confirm("Go on?", err=True):
        raise Refused("Nothing was applied.")


@site_command("workspace export", has_json=False)
async def export(site: Site, slug: Slug) -> None:
    """Prints a workspace as a workspace file. Applied elsewhere, it gives the same workspace."""
    await export_workspace(site.db, slug, sys.stdout.buffer.write)


@command("workspace schema")
def schema_() -> None:
    """Prints the JSON Schema of the workspace file."""
    print_json(schema())


def _counts(line: WorkspaceLine) -> str:
    return ", ".join(f"{kind}: {count}" for kind, count in line.counts.items())


@site_command("workspace list", show=table("slug", "name", "id", "records", records=_counts))
async def list_(site: Site) -> list[WorkspaceLine]:
    """Lists the workspaces."""
    return await list_workspaces(site.db)


def _confirmed(is_given: bool) -> bool:
    if not is_given:
        raise typer.BadParameter("add --yes to delete the workspace and everything in it", param_hint="--yes")
    return is_given


@site_command("workspace delete", show=lambda deleted: typer.echo(f"{deleted['slug']} is deleted."))
async def delete(
    site: Site,
    slug: Slug,
    yes: Annotated[bool, option("Yes, delete everything in it, for good.", "--yes", callback=_confirmed)] = False,
) -> dict[str, Any]:
    """Deletes a workspace with everything in it."""
    return {"slug": slug, "removed": await delete_workspace(site.db, slug)}
