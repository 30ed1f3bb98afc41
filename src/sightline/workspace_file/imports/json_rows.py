"""Objects of other tools as records: their members are columns, by dotted names."""

from collections.abc import Iterator
from typing import Any

from sightline.platform.file_section import Faults, Table
from sightline.workspace_file.imports.columns import Column, Headers, completed, put
from sightline.workspace_file.imports.maps import Map

_DEEPEST = 5


class JsonRows:
    """Maps the members of objects to fields. `left_out`: members that name no field, at most 100."""

    def __init__(self, table: Table, map: Map) -> None:
        self.headers = Headers(table, map)
        self.left_out: list[str] = []
        self._columns: dict[str, Column] = {}
        self._constants = self.headers.constants()

    def record(self, given: dict[str, Any], path: str, faults: Faults) -> dict[str, Any]:
        record: dict[str, Any] = {}
        members = [(self._column(name), value) for name, value in _flat(given, "")]
        for column, value in sorted(members, key=lambda member: member[0].is_guessed):
            if column.path and value not in (None, ""):
                self._put(record, column, value, path, faults)
        for fault in self.headers.faults[:1]:
            faults.add(path, f"{fault.path}: {fault.message}")
        return completed(record, self._constants, path, faults)

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            column = self.headers.column(name)
            if self.headers.lacks(column) and len(self.left_out) < 100:
                self.left_out.append(name)
            if len(self._columns) >= 10_000:
                return column
            self._columns[name] = column
        return self._columns[name]

    def _put(self, record: dict[str, Any], column: Column, value: Any, path: str, faults: Faults) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            value = column.read(value, f"{path}.{column.name}", faults)
        at: Any = record
        for name in column.path:
            at = at.get(name) if isinstance(at, dict) else None
        if at is None or column.is_list:
            put(record, column, value)


def _flat(given: dict[str, Any], above: str, level: int = 1) -> Iterator[tuple[str, Any]]:
    """Yields members with dotted names; lists, and objects below the fifth level, are values."""
    for name, value in given.items():
        if isinstance(value, dict) and level < _DEEPEST:
            yield from _flat(value, f"{above}{name}.", level + 1)
        else:
            yield above + name, value
