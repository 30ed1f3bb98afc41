"""A whole run of few requests, as `make bench` starts it. No time is ever asserted."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from rich.console import Console

from benchmarks.measure import QUICK, measure
from benchmarks.report import show
from benchmarks.rows import ROWS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROMISED = {
    *("name", "size", "connections", "processes", "requestsPerSecond", "p50Ms", "p99Ms", "limitPerSecond", "ratio"),
}
QUICK_ROWS = [row for row in ROWS if row.is_quick]
SETTLED = 1_000  # milliseconds in which further edits of an initiative may follow


@pytest_asyncio.fixture(scope="module")
async def report() -> dict[str, Any]:
    plan = replace(QUICK, size=3_000, rounds=1, seconds=0, documents=6)
    return await measure([plan], QUICK_ROWS, lambda line: None)


async def test_every_row_is_there_with_every_number_of_connections(report: dict[str, Any]) -> None:
    rows = [(row["name"], row["connections"]) for row in report["rows"]]
    assert rows == [(row.name, connections) for row in QUICK_ROWS for connections in row.connections]
    assert {"get_idea", "create_idea", "regenerate_document_3_workers", "portal_vote"} <= {name for name, _ in rows}
    assert len(rows) == len(set(rows))


async def test_a_row_says_what_is_promised(report: dict[str, Any]) -> None:
    assert json.loads(json.dumps(report)) == report
    for row in report["rows"]:
        assert row.keys() >= PROMISED
        assert row["size"] == 3_000
        assert 0 < row["p50Ms"] <= row["p99Ms"]
        if row["limitPerSecond"] is None:
            assert row["ratio"] is None
        else:
            assert row["ratio"] == pytest.approx(row["requestsPerSecond"] / row["limitPerSecond"], rel=0.05)
            assert row["statements"]


async def test_documents_count_from_the_request_until_they_are_written(report: dict[str, Any]) -> None:
    rows = [row for row in report["rows"] if row["name"].startswith("regenerate")]
    assert [(row["processes"], row["documents"]) for row in rows] == [(1, 6), (3, 6)]
    for row in rows:
        assert row["p50Ms"] >= SETTLED
        assert row["requestsPerSecond"] < row["documents"] * 1000 / SETTLED


async def test_the_machine_the_server_and_the_client_are_described(report: dict[str, Any]) -> None:
    assert report["machine"].keys() == {"processor", "cores", "memoryMegabytes", "system", "python", "load"}
    memory = {"residentMegabytesAtStart", "residentMegabytes", "stuckReadersMegabytes"}
    assert report["server"].keys() == {"startSeconds"} | memory
    assert report["client"]["name"] in ("wrk", "asyncio")
    assert report["besideFaultyBodies"]["faultyBodies"] > 0
    assert report["besideFaultyBodies"]["longestMs"] >= report["besideFaultyBodies"]["p50Ms"] > 0


def test_nothing_that_was_started_remains(report: dict[str, Any]) -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    if not children.exists():
        pytest.skip("the system does not list children")
    commands = [Path(f"/proc/{pid}/cmdline") for pid in children.read_text().split()]
    assert not [one for one in commands if one.exists() and "benchmarks" in one.read_text()]


async def test_people_get_a_table(report: dict[str, Any]) -> None:
    printed = StringIO()
    show(report, Console(file=printed, width=80))
    lines = printed.getvalue().splitlines()
    assert any("create_idea" in line and "0.65, 0.70" in line for line in lines)
    assert any("portal_vote" in line for line in lines)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_wrong_usage_is_refused_before_anything_starts() -> None:
    for arguments in (("--quick", "--full"), ("--only", "fly_to_moon"), ("--fast",)):
        refused = run(*arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "usage: make bench" in refused.stderr


def test_make_prints_what_the_benchmark_prints_and_nothing_else(tmp_path: Path) -> None:
    """Programs of the same names stand in for the environment's Python and for wrk."""
    for name in ("bin/python", "bin/pip", "wrk"):
        program = tmp_path / name
        program.parent.mkdir(exist_ok=True)
        program.write_text('#!/bin/sh\necho "ran $*"\n')
        program.chmod(0o755)
    (tmp_path / ".runtime-installed").touch()
    made = subprocess.run(
        ["make", "bench", f"VENV={tmp_path}", "ARGS=--json --quick"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stdout) == (0, "ran -m benchmarks --json --quick\n"), made.stderr
