"""`python -m benchmarks.child MODULE ARGUMENTS` runs a module that ends when standard input ends.

So no server outlives the benchmark, even when that is killed; only the database does then.
"""

import sys
from runpy import run_module

from sightline.cli.children import end_with_parent

if __name__ == "__main__":
    end_with_parent()
    del sys.argv[0]
    run_module(sys.argv[0], run_name="__main__", alter_sys=True)
