"""Processes of the benchmark: each is asked in lines of JSON on its standard input and answers likewise.

A child ends when its standard input does, so none outlives the benchmark, however that ends.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from sightline.bench.failure import BenchFailed

STOP_SECONDS = 10


class Child:
    """`python -m <module>`; what it prints goes to the end of `log`."""

    def __init__(
        self, module: str, log: Path, environment: Mapping[str, str] | None = None, sock: socket.socket | None = None
    ) -> None:
        self._module, self._log, self._received = module, log, b""
        with log.open("ab") as file:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and a module of ours
                [sys.executable, "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                cwd=log.parent,  # no sightline.toml lies there
                env={**os.environ, **(environment or {})},
                pass_fds=[sock.fileno()] if sock else [],
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def ask(self, within: float, **question: Any) -> Any:
        """Refuses with BenchFailed when no answer comes within these seconds, or a refusal."""
        assert self._process.stdin is not None  # noqa: S101 - tells mypy that it is a pipe
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        answer = json.loads(self._line(time.monotonic() + within))
        if "refused" in answer:
            raise BenchFailed(f"{self._module}: {answer['refused']}")
        return answer["answer"]

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - tells mypy that it is a pipe
        while b"\n" not in self._received:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise BenchFailed(f"{self._module} did not answer in time. {self._last_words()}")
            received = os.read(self._process.stdout.fileno(), 1 << 20)
            if not received:
                raise BenchFailed(f"{self._module} ended. {self._last_words()}")
            self._received += received
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _last_words(self) -> str:
        said = self._log.read_text(errors="replace").strip().splitlines()
        return f"It said: {said[-1]}" if said else ""

    def stop(self) -> None:
        """Lets it end by itself, then makes it. Harmless when it has ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self._process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
                return


def answer_questions(handle: Callable[[dict[str, Any]], Any]) -> None:
    """In a child: answers until standard input ends. A failed question is refused, its traceback logged."""
    tell = open_answers()
    for line in sys.stdin:
        try:
            tell({"answer": handle(json.loads(line))})
        except Exception as error:  # whatever it is, the one who asked has to know
            traceback.print_exc()
            tell({"refused": str(error) or type(error).__name__})


def open_answers() -> Callable[[dict[str, Any]], None]:
    """In a child: the way to answer. What else is printed goes to the log from now on."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return lambda answer: cast(None, answers.write(json.dumps(answer).encode() + b"\n"))
