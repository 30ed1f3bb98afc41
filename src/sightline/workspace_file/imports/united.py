"""Several rows of one idea, for example one for each vote or customer, as one record."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sightline.platform.file_section.entries import Faults
from sightline.workspace_file.cells import CsvRows
from sightline.workspace_file.lines import path_of

_IDENTITIES = ("id", "key", "number", "sourceKey", "integration", "externalId")
Identity = tuple[Any, ...]


class Rows:
    """The rows of one record: the first one's number, what they give together, their numbers and texts."""

    def __init__(self, number: int, given: dict[str, Any]) -> None:
        self.number = number
        self.given = given
        self.texts: dict[int, str] = {}


class Held:
    """Holds the rows of records that have several, until the last one is read.

    `names`: the fields that identify records. `counts`: how many rows the records have that have several.
    """

    def __init__(self, names: tuple[str, ...] = (), counts: Mapping[Identity, int] | None = None) -> None:
        self.names = names
        self.left = dict(counts or {})
        self.rows: dict[Identity, Rows] = {}

    def add(self, number: int, given: dict[str, Any], text: str, faults: Faults) -> Rows | None:
        """Returns the row as it is, or all rows of its record if it is the last one; None if further rows follow."""
        identity = tuple(given.get(name) or (name == "id" and given.get("externalId")) or None for name in self.names)
        if identity not in self.left:
            return Rows(number, given)
        rows = self.rows.setdefault(identity, Rows(number, given))
        if name := _difference(rows.given, given):
            faults.add(f"{path_of(number)}.{name}", f"Is not as in line {rows.number}, which has the same identity")
        else:
            _unite(rows.given, given)
            rows.texts[number] = text
        self.left[identity] -= 1
        return None if self.left[identity] else self.rows.pop(identity)


def find_several(rows: CsvRows) -> Held:
    """Reads a file to its end, and returns what holds its rows. Of files without lists nothing is held."""
    counts: Counter[Identity] = Counter()
    columns: list[tuple[str, int]] = []
    for _, row in rows.rows():
        if rows.head and not counts:
            places = {column.path: place for place, column in enumerate(rows.head.columns)}
            names = rows.head.known_by or _IDENTITIES
            columns = [(name, places[name,]) for name in names if (name,) in places]
            if not columns or not any(column.is_list for column in rows.head.columns):
                return Held()
        if isinstance(row, list):
            counts[tuple(row[place] or None if place < len(row) else None for _, place in columns)] += 1
    several = {identity: count for identity, count in counts.items() if count > 1 and any(identity)}
    return Held(tuple(name for name, _ in columns), several)


def _difference(first: Mapping[str, Any], further: Mapping[str, Any]) -> str | None:
    """Returns the name of a field that two rows give differently and that is no list."""
    for name in further.keys() & first.keys():
        before, value = first[name], further[name]
        if isinstance(before, dict) and isinstance(value, dict):
            if inside := _difference(before, value):
                return f"{name}.{inside}"
        elif before != value and not isinstance(before, list):
            return name
    return None


def _unite(first: dict[str, Any], further: Mapping[str, Any]) -> None:
    for name, value in further.items():
        before = first.setdefault(name, value)
        if isinstance(before, list):
            before += [item for item in value if item not in before]
        elif isinstance(before, dict):
            _unite(before, value)
