"""`make bench`: prints a table, or with `--json` one JSON document and nothing else on standard output."""

import argparse
import json
import signal
import sys
from functools import partial
from typing import Any

import uvloop
from rich.console import Console

from benchmarks.against import Comparison, compare
from benchmarks.measure import FULL, QUICK, STANDARD, measure
from benchmarks.plot import draw
from benchmarks.report import show, show_comparison
from benchmarks.rounds import BenchFailed
from benchmarks.rows import ROWS

say = partial(print, file=sys.stderr, flush=True)


def main() -> int:
    """Returns the exit code, 1 for a refusal."""
    given = _read_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything started here is ended
    plans = FULL if given.full else [QUICK if given.quick else STANDARD]
    rows = [row for row in ROWS if (row.name in given.only if given.only else row.is_quick or not given.quick)]
    if given.against:
        rows = [row for row in rows if row.requests]
    try:
        work = compare(given.against, rows, Comparison(), say) if given.against else measure(plans, rows, say)
        report = uvloop.run(work)
    except KeyboardInterrupt:
        return 130
    except (BenchFailed, OSError) as failure:
        say(failure)
        return 1
    if given.full:
        _draw(report, given.plot)
    if given.json:
        sys.stdout.write(json.dumps(report) + "\n")
    else:
        (show_comparison if given.against else show)(report, Console())
    return 0


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="Measures requests beside the machine's limit.")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="end within 60 s")
    length.add_argument("--against", metavar="REF", help="beside another commit, under 15 minutes")
    length.add_argument("--full", action="store_true", help="at 10,000 and 1,000,000 ideas, some 30 minutes")
    parser.add_argument("--plot", default="bench.svg", metavar="FILE", help="where --full draws cost against size")
    names = [row.name for row in ROWS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    given = parser.parse_args()
    if alone := [row.name for row in ROWS if row.name in (given.only or ()) and given.against and not row.requests]:
        parser.error(f"--against: {', '.join(alone)} cannot be compared")
    return given


def _draw(report: dict[str, Any], file: str) -> None:
    try:
        draw(report["rows"], file)
    except ImportError:
        say("Nothing is drawn: matplotlib is not installed (benchmarks/requirements.lock).")


if __name__ == "__main__":
    sys.exit(main())
