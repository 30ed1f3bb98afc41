"""`python -m benchmarks.child MODULE ARGUMENTS`: runs a module, and ends it when standard input ends.

So no process outlives the benchmark, however that ends.
"""

import os
import signal
import sys
from runpy import run_module
from threading import Thread


def _end_with_input() -> None:
    while os.read(0, 4096):  # sys.stdin would be locked while this waits, also when the interpreter ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    Thread(target=_end_with_input, daemon=True).start()
    del sys.argv[0]
    run_module(sys.argv[0], run_name="__main__", alter_sys=True)
