"""Processes that run until this one is asked to stop, and are started again when they die.

The standard input of each is a socket: the child writes a byte to it when it is ready, and ends when the socket ends,
which means that the parent is gone.
"""

import asyncio
import signal
import socket
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import structlog

from sightline.cli.refusals import CommandRefused

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
STEADY_SECONDS = 10.0  # after running this long it is started again at once
STOP_SECONDS = 15  # with the embedded database's own end, still below 20

_log = structlog.get_logger()


class Child:
    """`python -m <module>`, with its settings in the environment; it may accept on a socket of the parent."""

    def __init__(
        self, name: str, module: str, environment: Mapping[str, str], listening: socket.socket | None = None
    ) -> None:
        self.name = name
        self.was_ready = asyncio.Event()
        self._environment = environment
        self._files = () if listening is None else (listening.fileno(),)
        self._words = (sys.executable, "-m", module, *map(str, self._files))
        self._process: Process | None = None

    async def supervise(self) -> None:
        """Runs it until cancelled. Raises CommandRefused if it was never ready: another start would not help."""
        pause = FIRST_PAUSE
        while True:
            started = time.monotonic()
            code = await self._run()
            if not self.was_ready.is_set():
                raise CommandRefused(f"The {self.name} ended while it started (exit code {code}); see above.")
            cause = f"signal {-code}" if code < 0 else f"exit code {code}"
            _log.warning(f"The {self.name} died ({cause}) and is started again.")
            is_steady = time.monotonic() - started > STEADY_SECONDS
            pause = FIRST_PAUSE if is_steady else min(pause * 2, LONGEST_PAUSE)
            await asyncio.sleep(pause)

    def kill(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def _run(self) -> int:
        """Runs it once and returns its exit code; when cancelled, ends it."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with ours:
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    *self._words,
                    env=self._environment,
                    stdin=theirs.fileno(),
                    pass_fds=self._files,
                    process_group=0,  # Ctrl+C reaches the parent alone, which then ends its children in order
                )
            try:
                if await asyncio.get_running_loop().sock_recv(ours, 1):
                    self.was_ready.set()
                return await self._process.wait()
            finally:
                await self._end(self._process)

    async def _end(self, process: Process) -> None:
        """Lets it finish its requests or hand back its jobs, and kills it if it takes too long."""
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            ended = asyncio.ensure_future(process.wait())
            await asyncio.wait([ended], timeout=STOP_SECONDS)
            self.kill()
            await ended
        self._process = None


async def keep_running(children: Sequence[Child], say_ready: Callable[[], None]) -> None:
    """Runs them until SIGTERM or SIGINT, then ends them; a second signal kills them. Call it once in a process.

    `say_ready` is called when all are ready. Raises CommandRefused when one ends before it is ready.
    """
    this, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert this is not None  # noqa: S101 - a coroutine runs in a task

    def stop() -> None:
        if this.cancelling():
            for child in children:
                child.kill()
        this.cancel()

    _on_signals(lambda *_: loop.call_soon_threadsafe(stop))
    try:
        async with asyncio.TaskGroup() as group:
            for child in children:
                group.create_task(child.supervise())
            for child in children:
                await child.was_ready.wait()
            say_ready()
    except asyncio.CancelledError:
        pass  # asked to stop
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    finally:
        _on_signals(signal.SIG_IGN)  # this process ends by itself now, within seconds


def exit_when_asked() -> None:
    """Until keep_running() is called, SIGTERM and SIGINT end this process with exit code 0."""

    def leave(*_: object) -> None:
        _on_signals(signal.SIG_IGN)
        sys.exit(0)

    _on_signals(leave)


def _on_signals(handler: Callable[..., object] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)
