"""What commands print: results on standard output, everything else on standard error."""

import re
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import typer


def print_json(value: Any) -> None:
    """Prints one JSON document."""
    typer.echo(msgspec.json.encode(value).decode())


def print_columns(rows: Iterable[Sequence[object]]) -> None:
    """Prints aligned columns; an absent value is a dash."""
    shown = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def table(*names: str, **computed: Callable[[Any], object]) -> Callable[[Iterable[Any]], None]:
    """Returns a function that prints these attributes of records; `table("id", "scopes", scopes=_scopes)` computes one.

    The heads are their names: LAST USED of `last_used_at`.
    """
    heads = [re.sub("_(at|id)$", "", name).replace("_", " ").upper() for name in names]
    getters = [computed.get(name, attrgetter(name)) for name in names]
    return lambda records: print_columns([heads, *([get(one) for get in getters] for one in records)])


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
