"""Records of other lists that lines bring along, such as accounts, people and votes."""

from collections.abc import Sequence
from typing import Any

from sightline.platform.file_section.entries import Entry
from sightline.workspace_file.lines import path_of
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.storing import Store
from sightline.workspace_file.values import check


async def add_records(store: Store, path: str, records: Sequence[tuple[int, dict[str, Any]]]) -> None:
    """Stores records of a list, each with the number of its line. Adds their faults."""
    table = all_tables()[path]
    checked = [(n, given, check(given, table.record, path_of(n), store.run.faults)) for n, given in records]
    entries = [Entry(path_of(n), given, record) for n, given, record in checked if record is not None]
    if entries:
        await store.store(table, entries)
