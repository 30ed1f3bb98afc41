"""`sightline usage`: what models were asked for a workspace, and what it took."""

from typing import Any

from sightline.cli.options import InWorkspace, Since
from sightline.cli.output import note, table
from sightline.cli.site import Site, site_command
from sightline.intelligence.model.usage import TaskUsage, list_usage


def _cost(task: TaskUsage) -> str | None:
    return None if task.cost is None else f"{task.cost:.4f}"


_print_tasks = table(
    "task", "model", "runs", "fallbacks", "requests", "input_tokens", "output_tokens", "seconds", "cost", cost=_cost
)


def _print(usage: dict[str, Any]) -> None:
    if usage["tasks"]:
        _print_tasks(usage["tasks"])
    else:
        note("No model was asked.")


@site_command("usage", show=_print)
async def usage(site: Site, workspace: InWorkspace, since: Since = None) -> dict[str, Any]:
    """Shows what models were asked for a workspace, and what it took."""
    async with site.transaction(workspace) as (tx, actor):
        return {"workspace": workspace, "tasks": await list_usage(tx, actor.workspace_id, since)}
