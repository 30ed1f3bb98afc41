"""Documents written by real workers for the real application. No time is ever asserted."""

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from sightline.bench import measure
from sightline.bench.measure import Plan
from sightline.bench.regenerations import REGENERATIONS
from sightline.bench.report import show
from tests.bench.test_figures import CONTRACT

SETTLED = 1_000  # milliseconds in which further edits may follow


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return measure.measure(Plan(size=100, seconds=5, operations=(), documents=12, turns=1), lambda line: None)


def test_each_number_of_workers_has_a_row_that_keeps_the_contract(report: dict[str, Any]) -> None:
    assert [(row["name"], row["processes"], row["documents"]) for row in report["rows"]] == [
        ("regenerate_document_1_worker", 1, 12),
        ("regenerate_document_3_workers", 3, 12),
    ]
    assert [one.name for one in REGENERATIONS] == [row["name"] for row in report["rows"]]
    for row in report["rows"]:
        assert row.keys() >= CONTRACT
        assert (row["limitPerSecond"], row["ratio"]) == (None, None)
    assert json.loads(json.dumps(report)) == report


def test_the_time_in_which_edits_may_follow_counts(report: dict[str, Any]) -> None:
    for row in report["rows"]:
        assert row["p50Ms"] >= SETTLED
        assert row["requestsPerSecond"] < row["documents"] * 1000 / SETTLED


def test_people_see_the_rows_without_a_limit(report: dict[str, Any]) -> None:
    printed = StringIO()
    show(report, Console(file=printed, width=80))
    assert "regenerate_document_3_workers" in printed.getvalue()
