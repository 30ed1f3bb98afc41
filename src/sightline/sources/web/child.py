"""The process that reads pages: a hostile page can stop or fill this process, and nothing else.

Tasks come on standard input, outcomes go to standard output, each a line of JSON. An empty line says that the process
is ready, at its start and after the outcomes of each task.
"""

import gc
import os
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import BinaryIO, Final

import msgspec

from sightline.sources.web.tasks import Fetched, ReadPage, Task

MOST_MEMORY: Final = 600_000_000  # bytes of address space; a page of 2 MB takes 140
LONGEST_TASK: Final = 30  # seconds after which it ends itself, should nobody be there to end it
_PAGE: Final = b"<p>The first page has a sentence that is long enough to be read.</p>"
# Loads what pages are read with, so that no other page takes the time for it.
FIRST: Final = ReadPage(
    Fetched(urls=("https://first.invalid/",), content=_PAGE, media_type="text/html", charset=None),
    datetime(2026, 1, 1, tzinfo=UTC),
)


def main() -> None:
    """Reads until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the outcomes
    _bound_memory()
    gc.disable()  # what is loaded stays: to look for garbage in it takes a seventh of the start
    from sightline.sources.web.readings import perform

    for _ in perform(FIRST):
        pass
    gc.freeze()
    gc.enable()
    _send(target, b"")
    for line in source:
        signal.alarm(LONGEST_TASK)
        for outcome in perform(msgspec.json.decode(line, type=Task)):
            _send(target, msgspec.json.encode(outcome))
        signal.alarm(0)
        _send(target, b"")


def _bound_memory() -> None:
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _send(target: BinaryIO, line: bytes) -> None:
    target.write(line + b"\n")
    target.flush()


if __name__ == "__main__":
    main()
