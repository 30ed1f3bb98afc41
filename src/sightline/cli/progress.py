"""How far a long command is: a bar on a terminal, nothing elsewhere. Drawn on standard error."""

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class RowBar:
    """A bar that counts rows."""

    def __init__(self, title: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self._bars = Progress(
            *columns, console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()
        )
        self._task = self._bars.add_task(title, total=None)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, rows: int) -> None:
        self._bars.update(self._task, total=rows)

    def advance(self, rows: int) -> None:
        self._bars.advance(self._task, rows)
