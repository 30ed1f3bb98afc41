"""Workers as processes: started with a module of the tests, ended with the test."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Workers:
    """Processes whose errors go to `log`."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, *words: str) -> "subprocess.Popen[bytes]":
        """Starts one more, and waits until it is ready."""
        with open(self._log, "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=log
            )
        self._started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n", self.said
        return process

    @property
    def said(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def end(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        print(self.said)  # noqa: T201 - for who reads a failure
