"""The arithmetic of the report."""

from collections import Counter
from io import StringIO

import pytest
from rich.console import Console

from benchmarks.report import show
from benchmarks.rounds import Round, describe, limit_of, percentile, rate


def rounds(rates: list[int], cpu: float | None = None) -> list[Round]:
    """Rounds of a second; `cpu` is for a request."""
    return [
        Round(one, 1.0, Counter({1_000: one // 2, 3_000: one - one // 2}), None if cpu is None else cpu * one)
        for one in rates
    ]


def test_a_rate_is_the_median_of_the_rounds() -> None:
    assert rate(rounds([900, 10, 1000])) == 900


def test_the_limit_is_the_sum_of_both_times() -> None:
    assert limit_of(10_000, 10_000) == pytest.approx(5_000)
    assert limit_of(30_000, 5_000) == pytest.approx(1 / (1 / 30_000 + 1 / 5_000))


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (99, 99), (100, 100), (0, 1)])
def test_a_percentile_is_one_of_the_samples(percent: float, expected: int) -> None:
    assert percentile(Counter(range(1, 101)), percent) == expected
    assert percentile(Counter({5: 1, 7: 99}), 1) == 5
    assert percentile(Counter({5: 1, 7: 99}), 2) == 7


def test_a_row_compares_rates_and_processor_time() -> None:
    limit = {"constant": rounds([10_000] * 3, 20e-6), "statements": rounds([10_000] * 3, 30e-6)}
    row = describe(rounds([4_000, 3_000, 2_000], 100e-6), limit)
    assert (row["requestsPerSecond"], row["limitPerSecond"], row["ratio"]) == (3_000, 5_000, 0.6)
    assert (row["constantPerSecond"], row["statementsPerSecond"]) == (10_000, 10_000)
    assert (row["p50Ms"], row["p99Ms"]) == (1, 3)
    assert row["ratioRange"] == [0.4, 0.8]
    assert row["cpuMicroseconds"] == {"ours": 100, "constant": 20, "statements": 30, "ratio": 0.5}


def test_a_row_does_without_processor_time_where_the_system_does_not_tell_it() -> None:
    assert describe(rounds([1]), {"constant": rounds([1])})["cpuMicroseconds"] is None


def test_a_row_does_without_a_limit_where_there_is_none() -> None:
    row = describe(rounds([1]), {})
    assert (row["requestsPerSecond"], row["limitPerSecond"], row["ratio"]) == (1, None, None)


def test_a_round_without_a_request_has_no_figure() -> None:
    limit = {"constant": rounds([10_000, 10_000, 0], 20e-6)}
    row = describe(rounds([0, 2_000, 3_000], 100e-6), limit)
    assert (row["requestsPerSecond"], row["ratio"], row["ratioRange"]) == (2_000, 0.2, [0.2, 0.2])


@pytest.mark.parametrize("limit", [{}, {"constant": rounds([10_000])}])
def test_a_row_whose_rounds_had_no_request_has_no_figures(limit: dict[str, list[Round]]) -> None:
    assert set(describe(rounds([0]), limit).values()) == {None}


def test_a_report_shows_a_row_without_figures() -> None:
    row = {"name": "get_idea", "size": 10_000, "connections": 1, "processes": 1, **describe(rounds([0]), {})}
    report = {
        "machine": {"processor": "x", "cores": 1},
        "rows": [row],
        "aims": {},
        "besideFaultyBodies": {"faultyBodies": 1, "p50Ms": 1.0, "longestMs": 1.0},
        "client": {"name": "wrk"},
    }
    printed = StringIO()
    show(report, Console(file=printed))
    assert "get_idea" in printed.getvalue()
