"""What a child process owes its parent: to tell when it is ready, and to end when the parent is gone."""

import os
import signal
import sys
import threading
import time

END_SECONDS = 20.0


def tell_ready(file: int) -> None:
    """Once; `file` is the number that the parent gave."""
    os.write(file, b"1")
    os.close(file)


def end_with_parent() -> None:
    """Standard input ends when the parent is gone, however it went; then this process finishes too, within 20 s."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()
