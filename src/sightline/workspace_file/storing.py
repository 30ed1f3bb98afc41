"""Stores lists in batches, with the nested lists of their records."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from uuid import UUID

from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.linking import compare_links, write_links
from sightline.workspace_file.matching import match, merge, note_changes, stamp
from sightline.workspace_file.positions import place
from sightline.workspace_file.pruning import prune_inside
from sightline.workspace_file.resolving import read_fields, read_links
from sightline.workspace_file.sections import all_tables, lists
from sightline.workspace_file.seen import Seen
from sightline.workspace_file.spool import BATCH_RECORDS, NAMES
from sightline.workspace_file.tally import Tally
from sightline.workspace_file.writing import write_rows
from sightline.workspaces.bulk import Numbers


class Records(Protocol):
    """The source of a list's records."""

    def batches(self, list: str) -> Iterator[Sequence[tuple[int, str, int, dict[str, Any]]]]:
        """Yields records with their place, path and the enclosing record's place. Can be iterated again."""


class Store:
    """Stores lists of records. `ids`: the ids of each list's records by their place, for late fields and links."""

    def __init__(self, run: Run, records: Records, seen: Seen, numbers: Numbers, tally: Tally) -> None:
        self.run = run
        self.records = records
        self.seen = seen
        self.numbers = numbers
        self.tally = tally
        self.ids: dict[str, dict[int, UUID]] = {}

    async def store_list(self, name: str) -> None:
        """Stores the fields, and the links to records that are already stored."""
        table = lists()[name]
        keeps_ids = table.path in {"research"} or has_late_parts(table)
        for batch in self.records.batches(name):
            entries = [self._entry(table, *line) for line in batch]
            await self._store(table, entries)
            if keeps_ids:
                self.ids.setdefault(name, {}).update({e.index: e.id for e in entries if not e.broken})
        self.run.lookup.forget(name)

    def _entry(self, table: Table, index: int, path: str, parent: int, given: dict[str, Any]) -> Entry:
        entry = Entry(path, given, index=index)
        if table.spilled and parent >= 0:
            above = self.ids.get(table.path.rpartition(".")[0], {}).get(parent)
            entry.parent = Entry("", {}, row={"id": above}, broken=above is None)
            entry.broken = above is None
        return entry

    async def _store(self, table: Table, entries: list[Entry]) -> None:
        run = self.run
        await read_fields(run, table, entries)
        whole = [entry for entry in entries if not (entry.parent and entry.parent.broken)]
        await match(run, table, whole)
        for entry in whole:
            merge(run, table, entry)
        await read_links(run, table, whole)
        if table.settle:
            await table.settle(run, whole)
        await self._see(table, whole)
        await compare_links(run, table, whole)
        await place(run, table, whole)
        for entry in whole:
            self._conclude(table, entry)
        await write_rows(run, table, whole, self.numbers, self.tally)
        await write_links(run, table, whole)
        for child in table.children:
            if not child.spilled:
                await self._store_inside(table, child, entries)
        if table.after:
            await table.after(run, [entry for entry in whole if not entry.broken])

    def _conclude(self, table: Table, entry: Entry) -> None:
        if entry.broken:
            names = (entry.given.get(name) for name in NAMES)
            self.run.faulty_records.update((table.path, name) for name in names if name)
        elif not entry.is_new:
            note_changes(table, entry)
            if entry.changed:
                stamp(self.run, entry)

    async def _see(self, table: Table, entries: Sequence[Entry]) -> None:
        """Refuses a record that the file names twice, at any distance."""
        if table.parents or table.primary != ("id",):
            return
        sound = {entry.id: entry for entry in entries if not entry.broken}
        for id, path in (await self.seen.note(table.path, {id: entry.path for id, entry in sound.items()})).items():
            self.run.refuse(sound[id], "", f"Is the same as {path}")

    async def _store_inside(self, table: Table, child: Table, entries: Sequence[Entry]) -> None:
        inside = [
            Entry(f"{entry.path}.{child.list_name}[{index}]", given, entry, index, broken=entry.broken)
            for entry in entries
            for index, given in enumerate(entry.given.get(child.list_name) or ())
        ]
        for start in range(0, len(inside), BATCH_RECORDS * 10):
            await self._store(child, inside[start : start + BATCH_RECORDS * 10])
        if child.path in self.run.pruned:
            await prune_inside(self.run, child, entries, inside, self.tally)
        if inside:
            self.run.lookup.forget(child.path)

    async def store_late(self, name: str) -> None:
        """Stores fields and links that name records of lists that are stored later."""
        table = all_tables().get(name)
        if table is None or not has_late_parts(table):
            return
        for batch in self.records.batches(name):
            ids = self.ids.get(name, {})
            entries = [Entry(path, given, index=index) for index, path, _, given in batch if index in ids]
            for entry in entries:
                entry.row["id"] = ids[entry.index]
            await self._store_late(table, [entry for entry in entries if _gives_late(table, entry)])

    async def _store_late(self, table: Table, entries: list[Entry]) -> None:
        run = self.run
        if not entries:
            return
        await read_fields(run, table, entries, late=True)
        rows = await queries.find_by(run.tx, table, run.workspace_id, ("id",), [(entry.id,) for entry in entries])
        stored = {row["id"]: row for row in rows}
        entries = [entry for entry in entries if entry.id in stored]
        for column in (field.column for field in table.fields if field.late):
            becomes = {e.id: e.values[column] for e in entries if column in e.values and not e.broken}
            becomes = {id: value for id, value in becomes.items() if stored[id][column] != value}
            if becomes:
                await queries.change_column(run, table, column, becomes)
        await read_links(run, table, entries, late=True)
        await compare_links(run, table, entries, late=True)
        await write_links(run, table, entries, late=True)


def has_late_parts(table: Table) -> bool:
    return any(field.late for field in table.fields) or any(link.late for link in table.links)


def _gives_late(table: Table, entry: Entry) -> bool:
    parts = [field.name for field in table.fields if field.late] + [link.name for link in table.links if link.late]
    return any(name in entry.given for name in parts)
