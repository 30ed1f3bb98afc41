"""Commands as forks of a process that has imported Sightline once.

Each command is still a process with arguments, environment, folder, output and exit code of its own. What is saved is
the start of Python and the imports, which take longer than most commands.
"""

import atexit
import gc
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
_idle: list["Forks"] = []


def run_forked(
    words: Sequence[str], environment: Mapping[str, str], folder: str, seconds: float
) -> tuple[int, str, str]:
    """Runs `sightline` with these words; any thread may. Returns exit code, output and error output.

    Raises TimeoutError when the command does not end in time, and kills it.
    """
    forks = _idle.pop() if _idle else Forks()
    try:
        with TemporaryDirectory(prefix="sightline-run-") as outputs:
            order = {"words": words, "environment": environment, "folder": folder, "outputs": outputs}
            code = forks.run(order, seconds)
            return code, Path(outputs, "out").read_text(), Path(outputs, "err").read_text()
    finally:
        _idle.append(forks)


class Forks:
    """A process that forks for one command at a time."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.cli.forks"]
        # Without buffers, so that `select` sees whatever was not read yet.
        self._process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        atexit.register(self._process.communicate)

    def run(self, order: dict[str, Any], seconds: float) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        pid = self._receive()
        try:
            return self._receive(seconds)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._receive()
            raise

    def _receive(self, seconds: float | None = None) -> int:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            raise TimeoutError(f"The command did not end within {seconds} s.")
        return int(self._process.stdout.readline())


def _serve() -> None:
    """Writes the pid and then the exit code of each command that is read from standard input."""
    import sightline
    from sightline.cli import main

    for module in walk_packages(sightline.__path__, "sightline."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.freeze()  # a collection in a fork would copy all pages of memory
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(json.loads(line))
            _end_with(main)
        os.write(1, b"%d\n" % pid)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _become(order: dict[str, Any]) -> None:
    sys.argv = ["sightline", *order["words"]]
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    for number, file in enumerate((os.devnull, f"{order['outputs']}/out", f"{order['outputs']}/err")):
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def _end_with(main: Callable[[], None]) -> None:
    """Ends this process as Python does, but leaves its memory as it is: to free it would copy it."""
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
