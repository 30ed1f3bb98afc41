"""How far a long command is: a bar on a terminal, nothing elsewhere. Drawn on standard error."""

import sys
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)


class _Bar:
    """A bar that is drawn while a block runs."""

    def __init__(self, title: str, total: int | None, *columns: ProgressColumn, **shown: Any) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *columns,
            console=Console(file=sys.stderr),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bars.add_task(title, total=total, **shown)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


class RowBar(_Bar):
    """A bar that counts rows."""

    def __init__(self, title: str) -> None:
        super().__init__(title, None, TaskProgressColumn(), TimeRemainingColumn())

    def begin(self, rows: int) -> None:
        self._bars.update(self._task, total=rows)

    def advance(self, rows: int) -> None:
        self._bars.advance(self._task, rows)


class LineBar(_Bar):
    """A bar that counts the bytes of a file, and its lines a second. `size`: None if it is unknown."""

    def __init__(self, title: str, size: int | None) -> None:
        speed = TextColumn("{task.fields[speed]} lines/s")
        super().__init__(title, size, DownloadColumn(), speed, TimeRemainingColumn(), speed="-")
        self._lines = 0

    def reach(self, bytes: int, lines: int) -> None:
        """Moves the bar to this byte of the file, and counts so many more lines."""
        self._lines += lines
        seconds = self._bars.tasks[self._task].elapsed
        self._bars.update(self._task, completed=bytes, speed=f"{self._lines / seconds:,.0f}" if seconds else "-")
