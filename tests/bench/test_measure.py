"""Whole runs: of a small application whose statements are known. No time is ever asserted."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sightline.bench import main, measure
from sightline.bench.failure import BenchFailed
from sightline.bench.measure import Plan, plan_of
from sightline.bench.operations import OPERATIONS
from sightline.bench.report import show
from sightline.bench.wire import API, Request
from tests.bench import stand_in
from tests.bench.test_figures import CONTRACT

ROOT = Path(__file__).parents[2]
MEASURED = [
    operation for operation in OPERATIONS if operation.name in ("get_idea", "list_ideas_filtered", "create_idea")
]
TINY = Plan(
    size=200,
    rounds=2,
    seconds=5,
    longest=0.05,
    operations=MEASURED,
    regenerations=(),
    factory=f"{stand_in.__name__}:create_app",
)
NOWHERE = Request("GET", f"{API}/ideas/00000000-0000-0000-0000-000000000000")


@pytest.fixture(scope="module", autouse=True)
def _importable_by_children() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """A run of a read, a list and a write."""
    return measure.measure(TINY, lambda line: None)


def test_each_operation_is_measured_with_each_number_of_connections(report: dict[str, Any]) -> None:
    rows = [(row["name"], row["connections"]) for row in report["rows"]]
    assert rows == [(operation.name, connections) for operation in MEASURED for connections in (1, 32)]
    assert {(row["size"], row["processes"]) for row in report["rows"]} == {(200, 1)}


def test_the_report_keeps_the_contract(report: dict[str, Any]) -> None:
    assert report.keys() >= {"machine", "rows", "client", "aims"}
    for row in report["rows"]:
        assert row.keys() >= CONTRACT
        assert row["ratio"] == pytest.approx(row["requestsPerSecond"] / row["limitPerSecond"], abs=0.01)
    assert json.loads(json.dumps(report)) == report


def test_the_clients_own_speed_is_told(report: dict[str, Any]) -> None:
    assert report["client"].keys() == {"requestsPerSecond", "cpuMicroseconds", "headroom", "headroomOverOurs"}


@pytest.mark.parametrize(
    ("name", "statements"),
    [
        ("get_idea", [stand_in.FIND]),
        ("list_ideas_filtered", [stand_in.PAGE]),
        (
            "create_idea",
            [stand_in.WORKSPACE, stand_in.NUMBER, "BEGIN;", stand_in.ADD, stand_in.LOG, "COMMIT;"],
        ),
    ],
)
def test_exactly_the_statements_of_an_operation_are_replayed(
    report: dict[str, Any], name: str, statements: list[str]
) -> None:
    found = [row for row in report["rows"] if row["name"] == name]
    assert [row["statements"] for row in found] == [statements] * 2
    assert {(row["share"], row["poolSize"]) for row in found} == {(1.0, 4)}


def test_nothing_that_was_started_remains(report: dict[str, Any]) -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    assert not children.exists() or "sightline.bench" not in _command_lines(children.read_text().split())


def _command_lines(pids: list[str]) -> str:
    return " ".join(Path(f"/proc/{pid}/cmdline").read_text() for pid in pids if Path(f"/proc/{pid}/cmdline").exists())


def test_an_answer_that_is_no_2xx_fails_the_run() -> None:
    get_idea = replace(OPERATIONS[0], requests=lambda world: [NOWHERE])
    with pytest.raises(BenchFailed, match="404"):
        measure.measure(replace(TINY, operations=[get_idea]), lambda line: None)


def test_the_command_prints_the_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(measure, "QUICK", TINY)
    assert main(json=True, quick=True, only=["get_idea"], size=100) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["size"]) for row in printed["rows"]] == [("get_idea", 100)] * 2


def test_people_get_a_table(report: dict[str, Any]) -> None:
    printed = StringIO()
    show(report, Console(file=printed, width=80))
    lines = printed.getvalue().splitlines()
    assert any("create_idea" in line and "0.65, 0.70" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_row_that_is_not_measured_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(json=False, quick=True, only=["fly_to_moon"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Not measured: fly_to_moon.")
    assert said.count("\n") == 1


def test_a_quick_run_is_planned_to_end_within_a_minute() -> None:
    plan = plan_of(quick=True)
    assert plan.seconds <= 50
    assert plan_of(False).size == 100_000


def test_only_the_rows_that_are_wanted_are_planned() -> None:
    wanted = plan_of(False, ["create_idea", "regenerate_document_1_worker"])
    assert [operation.name for operation in wanted.operations] == ["create_idea"]
    assert [one.workers for one in wanted.regenerations] == [1]
