"""How far a long command is: a bar on a terminal, and waiting for a worker. Shown on standard error."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TimeRemainingColumn

from sightline.cli.output import note
from sightline.platform.db import Database, Tx

LOOK_SECONDS = 0.2
WONDER_SECONDS = 5.0  # a worker usually begins within this time
STILL_WAITING = "Still waiting for a worker: `sightline serve` runs one, and `sightline worker` runs one alone."


class HasStatus(Protocol):
    @property
    def status(self) -> str: ...


Seen = TypeVar("Seen", bound=HasStatus)


class Bar:
    """A bar that is drawn on a terminal while a block runs."""

    def __init__(self, title: str, *columns: ProgressColumn, total: int | None = None) -> None:
        console = Console(stderr=True)
        columns = (BarColumn(), *columns, TimeRemainingColumn())
        is_hidden = not console.is_terminal
        self._bars = Progress("{task.description}", *columns, console=console, transient=True, disable=is_hidden)
        self._task = self._bars.add_task(title, total=total)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def begin(self, total: int) -> None:
        self._bars.update(self._task, total=total)

    def advance(self, steps: int) -> None:
        self._bars.advance(self._task, steps)

    def reach(self, completed: int) -> None:
        self._bars.update(self._task, completed=completed)


async def watch(db: Database, look: Callable[[Tx], Awaitable[Seen]], active: Sequence[str]) -> AsyncIterator[Seen]:
    """Yields what `look` reads, five times a second, until its status is none of `active`.

    The first of `active` is the status of a job that waits for a worker; after 5 seconds of it a note is printed.
    """
    reminder = asyncio.get_running_loop().call_later(WONDER_SECONDS, note, STILL_WAITING)
    while True:
        async with db.autocommit() as tx:
            seen = await look(tx)
        if seen.status != active[0]:
            reminder.cancel()
        yield seen
        if seen.status not in active:
            return
        await asyncio.sleep(LOOK_SECONDS)
