"""`sightline usage`: what models were asked for a workspace, and what it took."""

from typing import Any

from sightline.cli.options import InWorkspace, Since, single
from sightline.cli.output import note, table
from sightline.cli.site import Site, command_of
from sightline.intelligence.model.usage import list_usage

app = single()

_print_tasks = table(
    TASK="task",
    MODEL="model",
    RUNS="runs",
    FALLBACKS="fallbacks",
    REQUESTS="requests",
    TOKENS_IN="input_tokens",
    TOKENS_OUT="output_tokens",
    SECONDS="seconds",
    COST=lambda one: None if one.cost is None else f"{one.cost:.4f}",
)


def _print(usage: dict[str, Any]) -> None:
    if usage["tasks"]:
        _print_tasks(usage["tasks"])
    else:
        note("No model was asked.")


@command_of(app, "usage", show=_print)
async def usage(site: Site, workspace: InWorkspace, since: Since = None) -> dict[str, Any]:
    """Shows what models were asked for a workspace, and what it took."""
    async with site.transaction(workspace) as (tx, actor):
        return {"workspace": workspace, "tasks": await list_usage(tx, actor.workspace_id, since)}
