"""What a child process does with its standard input, a socket of its parent."""

import os
import signal
import sys
import time
from threading import Thread

ORPHAN_SECONDS = 20.0


def report_ready() -> None:
    """Reports to the parent that this child is ready."""
    os.write(sys.stdin.fileno(), b"1")


def end_with_parent() -> None:
    """Ends this process, within 20 s, when standard input ends: the parent is gone, for whatever reason."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(ORPHAN_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True, name="parent").start()
