"""A command on a terminal of its own, whose every wait ends."""

import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.command import WORDS, environment
from tests.waiting import wait_until

SECONDS = 20.0


class Terminal:
    """What the command shows, and the keyboard before it."""

    def __init__(self, ours: int, process: subprocess.Popen[bytes]) -> None:
        self._ours = ours
        self.process = process
        self.shown = ""

    def read_until(self, words: str) -> None:
        deadline = time.monotonic() + SECONDS
        while words not in self.shown:
            left = max(0.0, deadline - time.monotonic())
            assert select.select([self._ours], [], [], left)[0], f"No {words!r} within {SECONDS} s in {self.shown!r}"
            self.shown += self._read()

    def type_hidden(self, line: str) -> None:
        """Once nothing typed is shown: what comes before the command hides its input, it throws away."""
        wait_until(lambda: not termios.tcgetattr(self._ours)[3] & termios.ECHO, SECONDS)
        os.write(self._ours, line.encode() + b"\n")

    def _read(self) -> str:
        try:
            return os.read(self._ours, 1000).decode(errors="replace")
        except OSError:  # so ends the terminal of a process that has ended, on Linux
            raise AssertionError(f"The command ended after {self.shown!r}") from None


@contextmanager
def on_a_terminal(*words: str | Path, **settings: str) -> Iterator[Terminal]:
    """The command is killed where it has not ended."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [*WORDS, *map(str, words)],
            env=environment(**settings),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            process.wait(SECONDS)
    finally:
        os.close(ours)
