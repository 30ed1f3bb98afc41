"""Finding and ending the processes of one embedded server.

They are known by the name the server was started with, which every process of it carries in its title, and by
their user; never by a number in a file alone: numbers are given again.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
A_SERVER = re.compile(r"(^|/)postgres( |$)")
STOP_SECONDS = 10  # a fast shutdown writes a checkpoint
QUIT_SECONDS = 4


def find_titled(title: str, uid: int) -> set[int]:
    """The live processes of the server with this title; one that has ended but was not reaped is none."""
    child, postmaster = f"postgres: {title}: ", f"/postgres -c cluster_name={title}"
    lines = _command_lines(uid)
    return {pid for pid, line in lines.items() if line.startswith(child) or line.endswith(postmaster)}


def is_strangers(pid: int, uid: int) -> bool:
    """Whether the number went to a process that is no server; a server somebody started by hand is none."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    line = _command_lines(uid).get(pid, "")
    return not A_SERVER.search(line) or "cluster_name=sightline_" in line


def _command_lines(uid: int) -> dict[int, str]:
    """What each process of this user was started with, or the title that it has given itself."""
    if not (PROC / "self/cmdline").exists():
        return _command_lines_of_ps(uid)
    lines = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if folder.stat().st_uid == uid and (line := (folder / "cmdline").read_bytes()):
                    lines[int(folder.name)] = line.replace(b"\0", b" ").decode(errors="replace").strip()
    return lines


def _command_lines_of_ps(uid: int) -> dict[int, str]:
    words = ["/bin/ps", "-ww", "-U", str(uid), "-o", "pid=,command="]
    listed = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words, a number
    pairs = (line.split(maxsplit=1) for line in listed.stdout.splitlines())
    return {int(pair[0]): pair[1].strip() for pair in pairs if len(pair) == 2}


def end_titled(title: str, uid: int, postmaster: int | None) -> None:
    """Stops the server: fast, after 10 s at once; without a postmaster ends what it left behind.

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


def wait_until(seconds: float, is_so: Callable[[], bool]) -> bool:
    """Asks every 10 ms until it is so; False when it is not within these seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
