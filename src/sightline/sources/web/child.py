"""The process that reads pages: a hostile page can stop or fill this process, and nothing else.

Tasks come on standard input, outcomes go to standard output, each with its length before it in four bytes. An empty
message says that the process is ready.
"""

import os
import signal
import struct
import sys
from contextlib import suppress
from typing import BinaryIO, Final

import msgspec

from sightline.sources.web.tasks import Outcome, Task

MOST_MEMORY: Final = 1_500_000_000  # bytes of address space
LONGEST_TASK: Final = 30  # seconds after which it ends itself, should nobody be there to end it


def main() -> None:
    """Reads until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the outcomes
    _bound_memory()
    from sightline.sources.web.readings import perform

    _send(target, b"")
    while (message := _receive(source)) is not None:
        signal.alarm(LONGEST_TASK)
        outcome = perform(msgspec.msgpack.decode(message, type=Task))
        signal.alarm(0)
        _send(target, msgspec.msgpack.encode(outcome))


def _bound_memory() -> None:
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _receive(source: BinaryIO) -> bytes | None:
    head = source.read(4)
    if len(head) < 4:
        return None
    return source.read(struct.unpack(">I", head)[0])


def _send(target: BinaryIO, message: bytes) -> None:
    target.write(struct.pack(">I", len(message)) + message)
    target.flush()


def decode_outcome(message: bytes) -> Outcome:
    """What the process sent."""
    return msgspec.msgpack.decode(message, type=Outcome)


if __name__ == "__main__":
    main()
