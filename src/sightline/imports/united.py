"""Several rows of one idea, for example one for each vote or customer, as one record."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from sightline.imports.csv_rows import CsvRows
from sightline.imports.lines import path_of
from sightline.platform.file_parts.entries import Faults

_IDENTITIES = ("id", "key", "number", "sourceKey", "integration", "externalId")
_NAMED = (*_IDENTITIES, "name")  # an idea without any of these is known by its name
Identity = tuple[Any, ...]
Text = list[str] | str  # a row as it is in the file, as cells if it has them


class Rows:
    """The rows of one record: the first one's number, what they give together, their numbers and texts."""

    def __init__(self, number: int, given: Any) -> None:
        self.number = number
        self.given = given
        self.texts: dict[int, Text] = {}
        self._known: dict[str, set[str]] = defaultdict(set)  # items of the lists, by path

    def unite(self, first: dict[str, Any], further: Mapping[str, Any], path: str = "") -> None:
        """Adds what a further row gives to `first`, the record or an object in it."""
        for name, value in further.items():
            before = first.setdefault(name, value)
            if isinstance(before, list):
                known = self._known[f"{path}.{name}"]
                if before is not value:
                    before += [item for item in value if json.dumps(item, sort_keys=True) not in known]
                known.update(json.dumps(item, sort_keys=True) for item in value)
            elif isinstance(before, dict):
                self.unite(before, value, f"{path}.{name}")


class Held:
    """Holds the rows of records that have several, until the last one is read. `left`: how many rows are to come."""

    def __init__(self, left: dict[Identity, int]) -> None:
        self.left = left
        self.rows: dict[Identity, Rows] = {}

    def add(self, number: int, given: Any, text: Text, faults: Faults) -> Rows | None:
        """Returns the row as it is, or all rows of its record if it is the last one; None if further rows follow."""
        if not self.left or (identity := _identity(given)) not in self.left:
            return Rows(number, given)
        rows = self.rows.setdefault(identity, Rows(number, given))
        if name := _difference(rows.given, given):
            faults.add(f"{path_of(number)}.{name}", f"Is not as in line {rows.number}, which has the same identity")
        else:
            rows.unite(rows.given, given)
            rows.texts[number] = text
        self.left[identity] -= 1
        return None if self.left[identity] else self.rows.pop(identity)


def _identity(given: Any) -> Identity:
    return tuple(given.get(name) for name in _IDENTITIES) if given else ()


def find_several(rows: CsvRows) -> Held:
    """Reads a file to its end, and returns what holds its rows. Of files without lists nothing is held."""
    counts: Counter[Identity] = Counter()
    for row in rows.rows():
        if rows.head and not any(column.is_list for column in rows.head.columns):
            break
        counts[_identity(rows.record(row.cells, "", Faults(), _NAMED))] += 1
    return Held({identity: count for identity, count in counts.items() if count > 1 and any(identity)})


def _difference(first: Mapping[str, Any], further: Mapping[str, Any]) -> str | None:
    """Returns the name of the first field that two rows give differently and that is no list."""
    for name in (name for name in further if name in first):
        before, value = first[name], further[name]
        if isinstance(before, dict) and isinstance(value, dict):
            if inside := _difference(before, value):
                return f"{name}.{inside}"
        elif before != value and not isinstance(before, list):
            return name
    return None
