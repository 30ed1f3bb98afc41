"""`sightline usage`: what models were asked for a workspace, and what it took."""

from datetime import datetime
from typing import Annotated, Any

import typer

from sightline.cli.options import InWorkspace, read_moment, single
from sightline.cli.output import note, print_columns
from sightline.cli.site import Site, command_of
from sightline.intelligence.model.usage import TaskUsage, list_usage
from sightline.workspaces.tenants import find_workspace

app = single()


def _show(usage: dict[str, Any]) -> None:
    tasks: list[TaskUsage] = usage["tasks"]
    if not tasks:
        note("No model was asked.")
        return
    heads = ("TASK", "MODEL", "RUNS", "FALLBACKS", "REQUESTS", "TOKENS IN", "TOKENS OUT", "SECONDS", "COST")
    print_columns(
        heads,
        (
            (
                *(one.task, one.model, one.runs, one.fallbacks, one.requests, one.input_tokens, one.output_tokens),
                *(one.seconds, None if one.cost is None else f"{one.cost:.4f}"),
            )
            for one in tasks
        ),
    )


@command_of(app, "usage", show=_show)
async def usage(
    site: Site,
    workspace: InWorkspace,
    since: Annotated[
        datetime | None, typer.Option("--since", parser=read_moment, metavar="DATE", help="Nothing older.")
    ] = None,
) -> dict[str, Any]:
    """Shows what models were asked for a workspace, and what it took."""
    async with site.db.snapshot() as tx:
        found = await find_workspace(tx, workspace)
        return {"workspace": found.slug, "tasks": await list_usage(tx, found.id, since)}
