"""Pruning: removes the records that a list of the file does not name."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.sections import PRUNABLE, all_tables
from sightline.workspace_file.tally import Tally


def check_prune(run: Run, prune: Sequence[str]) -> None:
    """Adds a fault for each list that cannot be pruned. Only lists in the file can be."""
    for index, name in enumerate(prune):
        path = f"prune[{index}]"
        if name not in PRUNABLE:
            run.faults.add(path, f"{name!r} is no list that can be pruned")
        elif name.partition(".")[0] not in run.given:
            run.faults.add(path, f"The file does not give {name}; an empty list would remove everything")


async def prune_list(run: Run, name: str, tally: Tally) -> None:
    """Removes and counts the records of a list that the file does not name."""
    if name not in run.pruned or name not in PRUNABLE or name == "ideaStatuses":
        return
    if run.faults.count:
        return
    table = all_tables()[name]
    if name == "studies":
        await _prune_feedback(run, tally)
    tally.remove(table, await queries.remove_where(run, table, queries.UNSEEN, list=table.path))
    for path in all_tables():
        if path == name or path.startswith(f"{name}."):
            run.lookup.forget(path)


async def _prune_feedback(run: Run, tally: Tally) -> None:
    """Removes the feedback of studies that will be removed, so that it is counted and logged."""
    feedback = all_tables()["feedback"]
    tally.remove(feedback, await queries.remove_where(run, feedback, queries.OF_UNSEEN_STUDIES, list="studies"))


async def prune_inside(
    run: Run, table: Table, parents: Sequence[Entry], entries: Sequence[Entry], tally: Tally
) -> None:
    """Removes the nested records that the file's lists do not name."""
    named: dict[UUID, list[UUID]] = defaultdict(list)
    for entry in entries:
        if entry.parent is not None:
            named[entry.parent.id].append(entry.id)
    giving = [parent.id for parent in parents if not parent.broken and parent.given.get(table.list_name) is not None]
    kept = [id for parent in giving for id in named[parent]]
    condition = f"t.{table.parents[0][0]} = ANY(:parents::uuid[]) AND t.id <> ALL(:kept::uuid[])"
    if giving and not run.faults.count:
        tally.remove(table, await queries.remove_where(run, table, condition, parents=giving, kept=kept))
