"""The arithmetic of the report."""

from collections import Counter

import pytest

from benchmarks.rounds import Case, Round, Series, limit_of, percentile


def series(rates: list[int], cpu: float | None = None) -> Series:
    """Rounds of a second."""
    made = Series()
    for rate in rates:
        spent = Counter({1_000: rate // 2, 3_000: rate - rate // 2})
        made.add(Round(1.0, rate * 30e-6, spent), None if cpu is None else cpu * rate)
    return made


def test_a_rate_is_the_median_of_the_rounds() -> None:
    assert series([900, 10, 1000]).rate == 900


def test_the_limit_is_the_sum_of_both_times() -> None:
    assert limit_of(10_000, 10_000) == pytest.approx(5_000)
    assert limit_of(30_000, 5_000) == pytest.approx(1 / (1 / 30_000 + 1 / 5_000))


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (99, 99), (100, 100), (0, 1)])
def test_a_percentile_is_one_of_the_samples(percent: float, expected: int) -> None:
    assert percentile(Counter(range(1, 101)), percent) == expected
    assert percentile(Counter({5: 1, 7: 99}), 1) == 5
    assert percentile(Counter({5: 1, 7: 99}), 2) == 7


def test_a_row_compares_rates_and_processor_time() -> None:
    case = Case(series([4_000, 3_000, 2_000], 100e-6), series([10_000] * 3, 20e-6), series([10_000] * 3))
    row = case.row("get_idea", 200, 32, 1)
    assert (row["name"], row["size"], row["connections"], row["processes"]) == ("get_idea", 200, 32, 1)
    assert (row["requestsPerSecond"], row["limitPerSecond"], row["ratio"]) == (3_000, 5_000, 0.6)
    assert (row["p50Ms"], row["p99Ms"]) == (1, 3)
    assert row["ratioRange"] == [0.4, 0.8]
    assert row["cpuMicroseconds"] == {"ours": 100, "constant": 20, "statements": 30, "ratio": 0.5}


def test_a_row_does_without_processor_time_where_the_system_does_not_tell_it() -> None:
    case = Case(series([1]), series([1]), series([1]))
    assert case.row("get_idea", 1, 1, 1)["cpuMicroseconds"] is None
