"""`sightline audit`: who changed or deleted what, when, with which key."""

from typing import Annotated

import msgspec
import typer

from sightline.cli.options import InWorkspace, Since, option
from sightline.cli.output import note
from sightline.cli.site import Site, site_command
from sightline.workspaces.audit.trail import AuditEntry, walk_changes
from sightline.workspaces.tenants import find_workspace


@site_command("audit")
async def audit(
    site: Site,
    workspace: InWorkspace,
    record: Annotated[str | None, option("UUID or public id.", metavar="REF")] = None,
    since: Since = None,
) -> None:
    """Shows the trail of a workspace or of one record, oldest first."""
    is_empty = True
    async with site.db.snapshot() as tx:
        found = await find_workspace(tx, workspace)
        # Printed as it comes, as it may be long.
        async for entry in walk_changes(tx, found.id, record, since):
            if site.as_json:
                typer.echo(("[" if is_empty else ",\n") + msgspec.json.encode(entry).decode(), nl=False)
            else:
                typer.echo(_line(entry))
            is_empty = False
    if site.as_json:
        typer.echo("[]" if is_empty else "]")
    elif is_empty:
        note("No changes are recorded.")


def _line(entry: AuditEntry) -> str:
    who = f"{entry.actor_kind} {entry.actor_name or entry.actor_id or '-'}"
    if entry.actor_name:
        who += f" ({entry.actor_id})"
    detail = msgspec.json.encode(entry.detail).decode()
    what = f"{entry.kind} {entry.public_id or entry.record_id}"
    return f"{entry.at}  {who}  {entry.action}  {what}" + (f"  {detail}" if detail != "{}" else "")
