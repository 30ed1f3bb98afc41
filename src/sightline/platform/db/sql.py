"""The pieces a statement is put together from. Values always travel as $1, $2, ..., never in the text."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Position:
    """A row's place in a list: the order's name, the row's moment, and what tells equal moments apart."""

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
    """Conditions joined by AND, with their values numbered as they come: the workspace first, always."""

    workspace_id: Any
    conditions: list[str] = field(default_factory=lambda: ["workspace_id = $1"])
    values: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.values = [self.workspace_id]

    def add(self, condition: str, *values: Any) -> None:
        """`{}` stands for each value in turn: `where.add("status = ANY({})", statuses)`."""
        self.conditions.append(condition.format(*(self.value(value) for value in values)))

    def value(self, value: Any) -> str:
        """Adds one value and gives its place in the statement, like `$4`."""
        self.values.append(value)
        return f"${len(self.values)}"

    def copy(self) -> "Where":
        """The same, to which values and conditions can be added without touching this one."""
        copied = Where(self.workspace_id, list(self.conditions))
        copied.values = list(self.values)
        return copied

    def __str__(self) -> str:
        return " AND ".join(self.conditions)

    @property
    def is_everything(self) -> bool:
        """No condition but the workspace."""
        return len(self.conditions) == 1
