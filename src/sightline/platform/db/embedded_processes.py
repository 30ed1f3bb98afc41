"""Finding and ending the processes of one embedded server.

They are known by the name the server was started with, which every process of it carries in its title, and by
their user; never by a number in a file alone: numbers are given again.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
STOP_SECONDS = 15  # a fast shutdown writes a checkpoint
QUIT_SECONDS = 5  # as PostgreSQL itself waits after a crash


def find_titled(title: str, uid: int) -> set[int]:
    """The live processes of the server with this title; a process that has ended but was not reaped is none."""
    child = f"postgres: {title}: "
    postmaster = f"postgres -c cluster_name={title}"
    return {
        pid
        for pid, line in _command_lines(uid)
        if line.startswith(child) or line.endswith((f"/{postmaster}", f"/{postmaster} "))
    }


def _command_lines(uid: int) -> Iterator[tuple[int, str]]:
    if not (PROC / "self/cmdline").exists():
        yield from _command_lines_of_ps(uid)
        return
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                if line.startswith((b"postgres: ", b"/")) and folder.stat().st_uid == uid:
                    yield int(folder.name), line.decode(errors="replace").rstrip() + " "


def _command_lines_of_ps(uid: int) -> Iterator[tuple[int, str]]:
    words = ["ps", "-ww", "-U", str(uid), "-o", "pid=,command="]
    for line in subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines():  # noqa: S603 - fixed words and a number
        pid, _, command = line.strip().partition(" ")
        yield int(pid), command.strip() + " "


def end_titled(title: str, uid: int, postmaster: int | None) -> None:
    """Stops the server: fast, after 15 s at once; without a postmaster ends what it left behind.

    PostgreSQL recovers from each of these; a process that even SIGKILL leaves (stuck in the kernel) stays.
    """
    if postmaster is not None:
        _signal({postmaster}, signal.SIGINT)
        if wait_until(STOP_SECONDS, lambda: not find_titled(title, uid)):
            return
    for number in (signal.SIGQUIT, signal.SIGKILL):
        _signal(find_titled(title, uid), number)
        if wait_until(QUIT_SECONDS, lambda: not find_titled(title, uid)):
            return


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def is_taken(pid: int) -> bool:
    """Whether any process has this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def wait_until(seconds: float, is_so: Callable[[], bool]) -> bool:
    """Asks every 10 ms until it is so; False when it is not within these seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
