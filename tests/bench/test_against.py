"""Two commits beside each other. No time is ever asserted."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.against import Comparison, Spent, compare, describe
from benchmarks.operations import call
from benchmarks.report import show_comparison
from benchmarks.rounds import BenchFailed
from benchmarks.rows import ROWS, Row
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
FIGURES = {"requestsPerSecond", "apiMicroseconds", "databaseMicroseconds"}
TINY = Comparison(size=60, connections=2, pairs=2, round_seconds=0.1)


def test_a_ratio_is_the_median_of_the_pairs() -> None:
    row = describe([(Spent(200, 50, 30), Spent(100, 100, 10)), (Spent(100, 100, 20), Spent(100, 100, 10))])
    assert row["pairs"] == 2
    assert row["this"] == {"requestsPerSecond": 150, "apiMicroseconds": 75, "databaseMicroseconds": 25}
    assert row["ref"] == {"requestsPerSecond": 100, "apiMicroseconds": 100, "databaseMicroseconds": 10}
    assert row["ratio"] == {"requestsPerSecond": 1.5, "apiMicroseconds": 0.75, "databaseMicroseconds": 2.5}
    assert row["quartiles"]["requestsPerSecond"] == [1.25, 1.75]


async def test_an_unknown_commit_is_refused() -> None:
    with pytest.raises(BenchFailed, match="no-such-commit"):
        await compare("no-such-commit", ROWS[:1], TINY, print)


@pytest.mark.slow
async def test_each_row_is_compared_with_another_commit() -> None:
    known = [row for row in ROWS if row.requests]
    report = await compare("HEAD", known, TINY, lambda line: None)
    assert [row["name"] for row in report["rows"]] == [row.name for row in known]
    for row in report["rows"]:
        assert row["pairs"] == 2, row
        assert row["ref"].keys() == row["this"].keys() == row["ratio"].keys() == FIGURES
        assert all(row[side][name] > 0 for side in ("ref", "this", "ratio") for name in FIGURES)
    assert json.loads(json.dumps(report)) == report


@pytest.mark.slow
async def test_a_row_that_the_other_commit_does_not_know_is_shown_as_such() -> None:
    paths = iter(["teams", "no-such-resource"])  # ours is asked first
    row = Row("teams", ROWS[0].prepare, requests=lambda world: [call(world, "GET", next(paths))])
    report = await compare("HEAD", [row], TINY, lambda line: None)
    assert [one["name"] for one in report["rows"]] == ["teams"]
    assert "404" in report["rows"][0]["missing"]
    printed = StringIO()
    show_comparison(report, Console(file=printed, width=110))
    assert "teams" in printed.getvalue()


@pytest.mark.slow
def test_nothing_remains_after_ctrl_c(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "benchmarks", "--against", "HEAD", "--only", "get_idea"]
    run = subprocess.Popen(words, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, process_group=0)
    wait_until(lambda: list(tmp_path.rglob("postmaster.pid")) or run.poll() is not None, 120)
    assert run.poll() is None
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    assert list(tmp_path.iterdir()) == []
    assert not [process for process in Path("/proc").glob("[0-9]*") if _is_in(process, tmp_path)]


def _is_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink().is_relative_to(folder)
    except OSError:
        return False  # it has ended


@pytest.mark.parametrize("words", [("--against", "HEAD", "--quick"), ("--against", "HEAD", "--only", "research_pages")])
def test_what_cannot_be_compared_is_refused(words: tuple[str, ...]) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "benchmarks", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (2, "")
