"""`python -m benchmarks.child MODULE ARGUMENTS` runs a module that ends when standard input ends.

So no server outlives the benchmark, even when that is killed; only the database does then. It needs nothing of
Sightline, as the module may be that of another commit.
"""

import os
import signal
import sys
import time
from runpy import run_module
from threading import Thread

PATIENCE = 20  # seconds until it is ended by force


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_parent, daemon=True).start()
    del sys.argv[0]
    run_module(sys.argv[0], run_name="__main__", alter_sys=True)
