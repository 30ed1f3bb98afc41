"""Reads pages and files in processes of their own, which are killed when one takes too long."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from signal import SIGHUP, SIGKILL, SIGTERM
from time import clock_gettime, monotonic
from typing import Final

import msgspec
import structlog

from sightline.sources.pages import PageUnavailable
from sightline.sources.web.tasks import Outcome, Task

LONGEST_READING: Final = 5.0  # seconds for one page
LONGEST_START: Final = 60.0  # seconds until a process is ready
MOST_PROCESSES: Final = 2
MOST_PAGES: Final = 300  # that one process reads: memory that libraries keep is given back
MOST_ANSWER: Final = 8_000_000  # bytes of a line

_ENDED: Final = (OSError, EOFError)  # the process has ended or closed its answers
_BROKEN: Final = (*_ENDED, asyncio.LimitOverrunError, msgspec.DecodeError)  # or what it writes is no answer
_LONGEST_END: Final = 1.0  # seconds from its last answer until it has ended
_FROM_OUTSIDE: Final = (SIGHUP, SIGKILL, SIGTERM)  # no page ends it so: the system, or somebody else

Take = Callable[[Outcome], None]

_log = structlog.get_logger()


class ProcessMissing(PageUnavailable):
    """No process can be started: nothing is wrong with the page."""


@dataclass(slots=True, eq=False)
class _Reader:
    """A process, and how many pages it has read."""

    process: Process
    pages: int = 0


class Extractor:
    """Reads pages in up to two processes, started when they are needed. `seconds`: for one page."""

    def __init__(self, *, seconds: float = LONGEST_READING, processes: int = MOST_PROCESSES) -> None:
        self._seconds = seconds
        self._turns = asyncio.Semaphore(processes)
        self._idle: list[_Reader] = []

    @property
    def idle_processes(self) -> list[Process]:
        """The processes that wait for a page."""
        return [reader.process for reader in self._idle]

    async def perform(self, task: Task) -> Outcome:
        """Returns the only outcome. Raises PageUnavailable when the page cannot be read, or takes too long."""
        found: list[Outcome] = []
        await self.perform_all(task, found.append)
        return found[0]

    async def perform_all(self, task: Task, take: Take, seconds: float | None = None) -> None:
        """Gives each outcome to `take` as it comes.

        Raises PageUnavailable, after the outcomes before it, when something cannot be read or all of it takes longer
        than `seconds`; ProcessMissing when no process can be started.
        """
        refusals: list[PageUnavailable] = []
        seconds = seconds or self._seconds
        async with self._turns:
            reader = self._idle.pop() if self._idle else await self._start()
            used = _processor_time(reader.process)
            try:
                async with asyncio.timeout(seconds):
                    await _ask(reader.process, task)
                    while line := await _receive(reader.process):
                        outcome = msgspec.json.decode(line, type=Outcome)
                        if outcome.refusal is None:
                            take(outcome)
                        else:
                            refusals.append(PageUnavailable(outcome.refusal, temporary=outcome.temporary))
            except TimeoutError:
                has_waited = _processor_time(reader.process) - used < seconds / 2
                await self._kill(reader)
                raise PageUnavailable("Reading it took too long.", temporary=has_waited) from None
            except _BROKEN as error:
                was_stopped = await self._kill_broken(reader, error)
                raise PageUnavailable("It cannot be read.", temporary=was_stopped) from None
            except BaseException:
                await self._kill(reader)  # an answer may still be on the way
                raise
            await self._give_back(reader)
        if refusals:
            raise refusals[0]

    async def aclose(self) -> None:
        """Ends the processes."""
        while self._idle:
            await _end(self._idle.pop().process)

    async def _start(self) -> _Reader:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # no modules of the current folder
            "-m",
            "sightline.sources.web.child",
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=MOST_ANSWER,
            env=_environment(),
        )
        try:
            await asyncio.wait_for(_receive(process), LONGEST_START)
        except (TimeoutError, *_BROKEN):
            await _end(process)
            raise ProcessMissing("The process that reads pages does not start.") from None
        except BaseException:
            await _end(process)
            raise
        return _Reader(process)

    async def _give_back(self, reader: _Reader) -> None:
        reader.pages += 1
        if reader.pages < MOST_PAGES:
            self._idle.append(reader)
        else:
            await _end(reader.process)

    async def _kill_broken(self, reader: _Reader, error: Exception) -> bool:
        """Returns whether its process had been ended by the system or somebody else."""
        try:
            return isinstance(error, _ENDED) and await _was_stopped(reader.process)
        finally:
            await self._kill(reader)

    async def _kill(self, reader: _Reader) -> None:
        _log.warning("A process that reads pages was ended", pages=reader.pages)
        await _end(reader.process)


def _environment() -> dict[str, str]:
    """Without the settings: what reads hostile pages knows no secret."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SIGHTLINE_")}


async def _ask(process: Process, task: Task) -> None:
    assert process.stdin  # noqa: S101 - it is a pipe
    if process.stdin.is_closing():  # the process has died; uvloop raises a RuntimeError for a write to it
        raise EOFError
    process.stdin.write(msgspec.json.encode(task) + b"\n")
    await process.stdin.drain()


async def _receive(process: Process) -> bytes:
    """Returns the next line. Raises EOFError at the end, LimitOverrunError for a line that is too long."""
    assert process.stdout  # noqa: S101 - it is a pipe
    return (await process.stdout.readuntil())[:-1]


def _processor_time(process: Process) -> float:
    """Returns the seconds that it has used, or the seconds of the clock where the system does not say."""
    with suppress(OSError):
        return clock_gettime(~process.pid << 3 | 2)  # as clock_getcpuclockid(3) of Linux
    return monotonic()


async def _was_stopped(process: Process) -> bool:
    """Returns whether a process that has closed its answers was ended by the system or somebody else."""
    with suppress(TimeoutError):
        code = await asyncio.wait_for(process.wait(), _LONGEST_END)
        return -code in _FROM_OUTSIDE  # the code of a process that a signal ended is the signal's number, negative
    return False


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()
