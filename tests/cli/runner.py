"""Commands in a process that has imported Sightline once, one after another.

Each command has arguments, environment, folder, output and exit code of its own. What is saved is the start of Python
and the imports, which take longer than most commands.
"""

import atexit
import gc
import json
import os
import select
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
_idle: list["Runner"] = []


def run_in_runner(
    words: Sequence[str], environment: Mapping[str, str], folder: str, seconds: float
) -> tuple[int, str, str]:
    """Runs `sightline` with these words; any thread may. Returns exit code, output and error output.

    Raises TimeoutError when the command does not end in time, and kills it.
    """
    runner = _idle.pop() if _idle else Runner()
    with TemporaryDirectory(prefix="sightline-run-") as outputs:
        order = {"words": words, "environment": environment, "folder": folder, "outputs": outputs}
        code = runner.run(order, seconds)
        _idle.append(runner)
        return code, Path(outputs, "out").read_text(), Path(outputs, "err").read_text()


class Runner:
    """A process that runs one command at a time."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.cli.runner"]
        # Without buffers, so that `select` sees whatever was not read yet.
        self._process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        atexit.register(self._process.communicate)

    def run(self, order: dict[str, Any], seconds: float) -> int:
        """Returns the exit code of the command."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self._process.kill()
            raise TimeoutError(f"The command did not end within {seconds} s.")
        return int(self._process.stdout.readline())


def _serve() -> None:
    """Writes the exit code of each command that is read from standard input."""
    gc.disable()  # what is imported stays
    from sightline import cli

    for module in walk_packages(cli.__path__, "sightline.cli."):
        import_module(module.name)  # the commands import the rest, when the first of them needs it
    gc.freeze()
    gc.enable()
    with open(os.dup(0)) as orders, open(os.dup(1), "w") as codes:
        for line in orders:
            _become(json.loads(line))
            code = _code_of(cli.main)
            gc.collect()  # what is said about a lost object belongs to this command
            gc.freeze()  # what it leaves, such as caches, is not looked at again
            sys.stdout.flush()
            sys.stderr.flush()
            print(code, file=codes, flush=True)


def _become(order: dict[str, Any]) -> None:
    sys.argv = ["sightline", *order["words"]]
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    for number, file in enumerate((os.devnull, f"{order['outputs']}/out", f"{order['outputs']}/err")):
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def _code_of(main: Callable[[], None]) -> int:
    """Runs a command. Returns the exit code that Python would end with."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int) or end.code is None:
            return int(end.code or 0)
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve()
