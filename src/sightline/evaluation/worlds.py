"""The files of a world: labelled tickets and ideas, and what every measurement of a world has in common."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from sightline.evaluation.marks import Kept, Marks, Output, count_kept
from sightline.platform.errors import BadRequest
from sightline.platform.json_lines import read_json_lines

Read = TypeVar("Read")
_MOST_WRONG: Final = 10


class Label(Struct, frozen=True):
    """A part of a ticket: the kind of statement that it is, or `none` for one that only looks like a statement."""

    quote: str
    kind: Literal["problem", "wish", "praise", "none"]
    statement: str | None = None


class Ticket(Struct, frozen=True):
    """A text with its labels."""

    id: str
    type: Literal["support_ticket", "review", "transcript"]
    text: str
    labels: tuple[Label, ...]
    account: str | None = None


class LabelledIdea(Struct, frozen=True):
    """An idea and the points that its description lacks, such as `how_often`."""

    id: str
    description: str
    lacks: frozenset[str]
    name: str = ""


class _Ideas(Struct):
    ideas: list[LabelledIdea]


class Quality(Struct, rename="camel", kw_only=True):
    """Figures of a world. A share of nothing is null; `wrong` has up to ten outputs that the labels do not allow."""

    wrong: list[str] = []
    kept: Kept | None = None

    in_order: ClassVar[bool] = False  # whether readers get the outputs in their order, or shuffled

    def __post_init__(self) -> None:
        del self.wrong[_MOST_WRONG:]

    def count_marks(self, outputs: Sequence[Output], marks: Marks) -> None:
        self.kept = count_kept(outputs, marks)


class Measured(NamedTuple):
    """The figures, and the outputs as readers see them."""

    quality: Quality
    outputs: list[Output]


def share(part: float, whole: int) -> float | None:
    """Returns the quotient with four digits, None of nothing."""
    return round(part / whole, 4) if whole else None


def read_json(path: Path, type: type[Read]) -> Read:
    """Raises BadRequest if the file is not of the type, and OSError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=type)
    except msgspec.DecodeError as error:
        raise BadRequest(f"{path}: {error}") from None


def read_ideas(folder: Path) -> list[LabelledIdea]:
    """Reads `ideas.json`. Raises BadRequest and OSError."""
    return read_json(folder / "ideas.json", _Ideas).ideas


def read_tickets(folder: Path) -> list[Ticket]:
    """Reads `tickets.jsonl`. Raises BadRequest at the first line that is not right, and OSError."""
    path = folder / "tickets.jsonl"
    with path.open("rb") as lines:
        read = list(read_json_lines(str(path), lines, Ticket))
    for place, ticket in read:
        if missing := [label.quote for label in ticket.labels if label.quote not in ticket.text]:
            raise BadRequest(f"{place}: the text does not have {missing[0]!r}.")
    return [ticket for _, ticket in read]
