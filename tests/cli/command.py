"""The command as people run it: a process with a folder and an environment of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.cli.runner import run_in_runner
from tests.waiting import wait_until

WORDS = (sys.executable, "-P", "-m", "sightline")  # as the command does, without modules of the current folder
SECRET = "the secret of a server"


def environment(**settings: str) -> dict[str, str]:
    """No setting of the machine that runs the tests reaches the command."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("SIGHTLINE_")}
    return mine | {f"SIGHTLINE_{name}": value for name, value in settings.items()}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one line that a refusal is."""
        assert (self.code, self.out) == (1, ""), self
        [line] = self.err.splitlines()
        assert line.startswith("sightline: ")
        return line


def run(*words: str | Path, cwd: Path | None = None, **settings: str) -> Done:
    """Runs a command in a process that runs others before and after it; `run_alone` starts Python for it."""
    return Done(*run_in_runner([*map(str, words)], environment(**settings), str(cwd or "/"), seconds=60))


def run_alone(*words: str) -> Done:
    done = subprocess.run(
        [*WORDS, *words], env=environment(), cwd="/", capture_output=True, text=True, timeout=60, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


class Serving:
    """A running `serve`, or another command that serves."""

    def __init__(self, log: Path, *words: str | Path, cwd: str = "/", **settings: str) -> None:
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [*WORDS, *map(str, words)], env=environment(**settings), cwd=cwd, stdout=out, stderr=out
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def wait_ready(self) -> str:
        """The address it serves on."""
        wait_until(lambda: "Sightline serves on" in self.said or self.process.poll() is not None, seconds=60)
        found = re.search(r"Sightline serves on (http://\S+)", self.said)
        assert found, self.said
        return found[1]

    def children(self) -> list[int]:
        """The API processes."""
        return self._running("sightline.serving.api_process")

    def workers(self) -> list[int]:
        """The background worker, when it runs."""
        return self._running("sightline.serving.worker_process")

    def _running(self, module: str) -> list[int]:
        listed = subprocess.run(
            ["ps", "--ppid", str(self.process.pid), "-o", "pid=,args="], capture_output=True, text=True, check=False
        )
        lines = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
        return [int(pid) for pid, words in lines if module in words]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(25)


@contextmanager
def serving(log: Path, *words: str | Path, **settings: str) -> Iterator[Serving]:
    """Serves meanwhile, on a free port unless the words say another."""
    one = Serving(log, *words, **{"PORT": "0", **settings})
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.stop()


def status(address: str, key: str | None) -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx2.get(f"{address}/api/external/v1/auth/context", headers=headers, timeout=30, verify=False).status_code


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
