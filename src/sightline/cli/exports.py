"""`sightline export`: the records of one kind, as lines."""

import sys
from typing import Annotated

from sightline.cli.imports import LISTS, Format, Kind
from sightline.cli.options import InWorkspace, option
from sightline.cli.site import Site, site_command
from sightline.workspace_file import export_list


@site_command("export", has_json=False)
async def export(
    site: Site,
    kind: Kind,
    workspace: InWorkspace,
    format: Annotated[Format, option("--format", "JSON Lines, or CSV for a spreadsheet.")] = "jsonl",
) -> None:
    """Prints the records of one kind. CSV is safe to open in a spreadsheet; both can be imported."""
    await export_list(site.db, workspace, LISTS.get(kind, kind), format, sys.stdout.buffer.write)
