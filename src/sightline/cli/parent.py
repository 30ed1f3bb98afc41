"""What a child process does for its parent: it reports that it is ready, and ends when the parent is gone."""

import os
import signal
import sys
import threading
import time

END_SECONDS = 20.0


def report_ready() -> None:
    """Reports it through standard input, which is a socket to the parent."""
    os.write(sys.stdin.fileno(), b"1")


def end_with_parent() -> None:
    """Ends this process, within 20 s, when standard input ends: the parent is gone, for whatever reason."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()
