"""Pruning: removes the records that a list of the file does not name."""

from collections.abc import Sequence

from sightline.platform.file_section.entries import Run
from sightline.workspace_file import queries
from sightline.workspace_file.sections import PRUNABLE, all_tables
from sightline.workspace_file.storing import Store

_OTHERS = "t.id <> ALL(:kept::uuid[])"
_OF_OTHER_STUDIES = (
    "t.study_id IN (SELECT id FROM studies WHERE workspace_id = :workspace_id AND id <> ALL(:kept::uuid[]))"
)


def check_prune(run: Run, prune: Sequence[str]) -> None:
    """Adds a fault for each list that cannot be pruned. Only lists in the file can be."""
    for index, name in enumerate(prune):
        path = f"prune[{index}]"
        if name not in PRUNABLE:
            run.faults.add(path, f"{name!r} is no list that can be pruned")
        elif name.partition(".")[0] not in run.given:
            run.faults.add(path, f"The file does not give {name}; an empty list would remove everything")


async def prune_list(run: Run, name: str, store: Store) -> None:
    """Removes and counts the records of a list that the file does not name."""
    if name not in run.pruned or name not in PRUNABLE or name == "ideaStatuses" or run.faults.count:
        return
    table, kept = all_tables()[name], list(run.seen[name])
    if name == "studies":  # so that their feedback is counted and logged
        feedback = all_tables()["feedback"]
        store.tally.remove(feedback, await queries.remove_where(run, feedback, _OF_OTHER_STUDIES, kept=kept))
    store.tally.remove(table, await queries.remove_where(run, table, _OTHERS, kept=kept))
    for path in all_tables():
        if path == name or path.startswith(f"{name}."):
            store.lookup.forget(path)
