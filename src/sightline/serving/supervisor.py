"""Processes that run until their parent is asked to stop, and are started again when they die.

The standard input of each is a socket: the child writes a byte to it when it is ready, and ends when the socket ends,
which means that the parent is gone.
"""

import asyncio
import signal
import socket
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from prometheus_client.multiprocess import mark_process_dead

from sightline.platform.refused import Refused

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
STEADY_SECONDS = 10.0  # after running this long it is started again at once
STOP_SECONDS = 15  # with the embedded database's own end, still below 20

_log = structlog.get_logger()


@dataclass(eq=False)
class Child:
    """`python -m <module>`, with its settings in the environment; it may accept on a socket of the parent."""

    name: str
    module: str
    environment: Mapping[str, str]
    listening: socket.socket | None = None
    was_ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def supervise(self) -> None:
        """Runs it until cancelled. Raises Refused if it was never ready: another start would not help."""
        pause = FIRST_PAUSE
        while True:
            started = time.monotonic()
            code = await self._run()
            if not self.was_ready.is_set():
                raise Refused(f"The {self.name} ended while it started (exit code {code}); see above.")
            cause = f"signal {-code}" if code < 0 else f"exit code {code}"
            _log.warning(f"The {self.name} died ({cause}) and is started again.")
            is_steady = time.monotonic() - started > STEADY_SECONDS
            pause = FIRST_PAUSE if is_steady else min(pause * 2, LONGEST_PAUSE)
            await asyncio.sleep(pause)

    async def _run(self) -> int:
        """Runs it once and returns its exit code; when cancelled, ends it."""
        files = [] if self.listening is None else [self.listening.fileno()]
        # -P: a module of the current folder does not take the place of one of ours.
        words = (sys.executable, "-P", "-m", self.module, *map(str, files))
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with ours:
            with theirs:
                # Of a group of its own: Ctrl+C reaches the parent alone, which then ends its children in order.
                process = await asyncio.create_subprocess_exec(
                    *words, env=self.environment, stdin=theirs.fileno(), pass_fds=files, process_group=0
                )
            try:
                if await asyncio.get_running_loop().sock_recv(ours, 1):
                    self.was_ready.set()
                return await process.wait()
            finally:
                await _end(process)
                if folder := self.environment.get("PROMETHEUS_MULTIPROC_DIR"):  # it has no connections any more
                    mark_process_dead(process.pid, folder)  # type: ignore[no-untyped-call]  # the library's own lack


async def _end(process: Process) -> None:
    """Lets it finish its requests or hand back its jobs. Kills it after 15 s, or at once when cancelled again."""
    with suppress(ProcessLookupError):  # it has ended
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except (TimeoutError, asyncio.CancelledError):
            process.kill()
            await process.wait()


async def keep_running(children: Sequence[Child], say_ready: Callable[[], None]) -> None:
    """Runs them until SIGTERM or SIGINT, then ends them; a second signal kills them. Call it in run_until_asked().

    `say_ready` is called when all are ready. Raises Refused when one ends before it is ready.
    """
    loop = asyncio.get_running_loop()

    async def wait_ready() -> None:
        for child in children:
            await child.was_ready.wait()
        say_ready()

    def stop() -> None:
        for task in tasks:
            task.cancel()

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in (wait_ready(), *(child.supervise() for child in children))]
            _on_signals(lambda *_: loop.call_soon_threadsafe(stop))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    finally:
        _on_signals(signal.SIG_IGN)  # this process ends by itself now, within seconds


def run_until_asked(service: Coroutine[Any, Any, None]) -> None:
    """Runs a service that calls keep_running(). Before that, SIGTERM and SIGINT end this process with exit code 0."""

    def leave(*_: object) -> None:
        _on_signals(signal.SIG_IGN)
        sys.exit(0)

    _on_signals(leave)
    asyncio.run(service)


def _on_signals(handler: Callable[..., object] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)
