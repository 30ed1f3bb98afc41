"""Processes that are started again when they die."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

FIRST_WAIT = 0.1
LONGEST_WAIT = 5.0
STEADY_SECONDS = 10.0  # who lived so long is started again at once


class Child:
    """One such process: `python -m <module>`, told its place on the command line and its settings in the environment.

    It learns of its parent's end by the end of its standard input, and tells that it is ready by a byte on the file
    whose number is its last word.
    """

    def __init__(
        self, name: str, module: str, words: Sequence[str], environment: Mapping[str, str], files: Sequence[int] = ()
    ) -> None:
        self.name = name
        self._words = [sys.executable, "-m", module, *words]
        self._environment = environment
        self._files = files
        self._process: subprocess.Popen[bytes] | None = None
        self._ready_file = -1
        self._started_at = 0.0
        self._start_at = 0.0
        self._wait = FIRST_WAIT
        self.is_ready = False
        self.was_ready = False

    def start(self) -> None:
        self._ready_file, theirs = os.pipe()
        os.set_blocking(self._ready_file, False)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program with words of our own
                [*self._words, str(theirs)],
                env=self._environment,
                stdin=subprocess.PIPE,
                pass_fds=(*self._files, theirs),
                process_group=0,  # Ctrl+C reaches the parent alone, which then ends its children in order
            )
        finally:
            os.close(theirs)
        self._started_at = time.monotonic()

    def look_after(self) -> int | None:
        """Starts it again when it died and the pause is over; its exit code at the moment its death is seen."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._start_at:
                self.start()
            return None
        self._see_readiness()
        code = self._process.poll()
        if code is not None:
            self._bury()
            self._wait = FIRST_WAIT if now - self._started_at > STEADY_SECONDS else min(self._wait * 2, LONGEST_WAIT)
            self._start_at = now + self._wait
        return code

    def end(self) -> None:
        """Asks it to finish."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def wait(self, seconds: float) -> bool:
        """Whether it has ended; waits for that."""
        if self._process is None:
            return True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(seconds, 0))
            self._bury()
        return self._process is None

    def _see_readiness(self) -> None:
        if not self.is_ready:
            with suppress(BlockingIOError):
                self.is_ready = os.read(self._ready_file, 1) != b""
                self.was_ready |= self.is_ready

    def _bury(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        os.close(self._ready_file)
        self._process = None
        self.is_ready = False

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
