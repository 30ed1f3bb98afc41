"""SQL with values by name: statements, conditions that filters add to, and which part of a list to read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

# A quoted text and a cast are passed over; what is left of `:word` is a value's name.
_TOKEN = re.compile(r"'[^']*'|::\s*\w+|:([a-z_][a-z0-9_]*)")

_WRITES = re.compile(r"\b(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE)\b")


class Statement:
    """A statement as PostgreSQL takes it, with the names of its values in the order of $1, $2, ..."""

    __slots__ = ("from_transaction", "names", "text", "writes")

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.text, self.names = text, names
        self.writes = _WRITES.search(text) is not None
        # Those that the transaction fills in unless the caller does.
        self.from_transaction = tuple(name for name in ("now", "clock_offset") if name in names)

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in order. Raises TypeError when one is missing or not used."""
        if len(values) != len(self.names):
            self._refuse(values)
        try:
            return [values[name] for name in self.names]
        except KeyError:
            return self._refuse(values)

    def _refuse(self, values: dict[str, Any]) -> list[Any]:
        missing, unused = set(self.names) - values.keys(), values.keys() - set(self.names)
        raise TypeError(f"missing {sorted(missing)}, unused {sorted(unused)} in: {self.text}")


def sql(text: str, /, **pieces: str) -> Statement:
    """Turns `:name` into `$n`, the same name into the same `$n`, after putting the `{pieces}` in.

    `:now`, the transaction's moment, and `:clock_offset` are filled in by the transaction. Pieces are constant SQL;
    input is always a value.
    """
    return _compile(text.format(**pieces) if pieces else text)


@lru_cache(maxsize=4096)
def _compile(text: str) -> Statement:
    places: dict[str, int] = {}

    def place(token: re.Match[str]) -> str:
        name = token[1]
        return token[0] if name is None else f"${places.setdefault(name, len(places) + 1)}"

    return Statement(_TOKEN.sub(place, text), (*places,))


def by_reference(text: str, /, **pieces: str) -> dict[str, Statement]:
    """A statement for each form of a reference, by `Ref.column`; the text contains `{ref} = :ref`."""
    return {column: sql(text, ref=column, **pieces) for column in ("id", "number")}


def columns(names: str) -> tuple[str, ...]:
    """The names of a list of columns, declared once: `columns("id, name, status")`."""
    return tuple(name.strip() for name in names.split(","))


def values(names: Iterable[str]) -> str:
    """The same columns as values: `:id, :name, :status`."""
    return ", ".join(f":{name}" for name in names)


def assignments(names: Iterable[str]) -> str:
    """The same columns as assignments: `name = :name, status = :status`."""
    return ", ".join(f"{name} = :{name}" for name in names)


@dataclass(frozen=True, slots=True)
class Position:
    """A row's place in a list: the order's name, the row's time, and the tie-break between equal times."""

    order: str
    moment: datetime
    tie: int | UUID


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list: at most `limit` rows, after a position or else after the first `offset`."""

    limit: int
    offset: int = 0
    after: Position | None = None


@dataclass(slots=True)
class Where:
    """Conditions joined by AND, and their values by name; the first condition is the workspace's."""

    workspace_id: UUID
    conditions: list[str] = field(default_factory=lambda: ["workspace_id = :workspace_id"])
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values.setdefault("workspace_id", self.workspace_id)

    def add(self, condition: str, **values: Any) -> None:
        """`where.add("status = ANY(:statuses)", statuses=statuses)`."""
        self.conditions.append(condition)
        self.values.update(values)

    def equals(self, **values: Any) -> "Where":
        """Adds `column = :column` for each value that is not None; returns itself."""
        for column, value in values.items():
            if value is not None:
                self.add(f"{column} = :{column}", **{column: value})
        return self

    def value(self, name: str, value: Any) -> str:
        """Adds one value under that name, or `name_2` and on if it is taken, and returns how a condition names it."""
        free, n = name, 1
        while free in self.values:
            n += 1
            free = f"{name}_{n}"
        self.values[free] = value
        return f":{free}"

    def copy(self) -> "Where":
        """Returns a copy: values and conditions that are added to it do not change this one."""
        return Where(self.workspace_id, list(self.conditions), dict(self.values))

    def __str__(self) -> str:
        return " AND ".join(self.conditions)

    @property
    def is_everything(self) -> bool:
        """No condition but the workspace."""
        return len(self.conditions) == 1
