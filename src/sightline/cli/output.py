"""What commands print: results on standard output, everything else on standard error."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import typer


def print_json(value: Any) -> None:
    """Prints one JSON document."""
    typer.echo(msgspec.json.encode(value).decode())


def print_columns(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Prints aligned columns; an absent value is a dash."""
    shown = [list(heads), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[place]) for row in shown) for place in range(len(heads))]
    for row in shown:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def table(**columns: str | Callable[[Any], object]) -> Callable[[Iterable[Any]], None]:
    """Returns a function that prints records: `table(ID="id", LAST_USED="last_used_at", SCOPES=_scopes)`."""
    heads = [name.replace("_", " ") for name in columns]
    getters = [attrgetter(column) if isinstance(column, str) else column for column in columns.values()]
    return lambda records: print_columns(heads, ([get(one) for get in getters] for one in records))


def print_pairs(pairs: Iterable[tuple[str, object]]) -> None:
    shown = list(pairs)
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        typer.echo(f"{name.ljust(width)}  {_cell(value)}")


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 quote" or "2 quotes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def note(text: str) -> None:
    """Prints progress and remarks, which are not meant for programs."""
    typer.echo(text, err=True)


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
