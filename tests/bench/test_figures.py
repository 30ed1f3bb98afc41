"""The arithmetic of the report."""

import pytest

from sightline.bench.figures import Case, Series, headroom, limit_of, percentile

CONTRACT = {
    "name",
    "size",
    "connections",
    "processes",
    "requestsPerSecond",
    "p50Ms",
    "p99Ms",
    "limitPerSecond",
    "ratio",
}


def a_case(ours: list[float], constant: list[float], statements: list[float]) -> Case:
    return Case(
        "get_idea",
        32,
        Series(ours, [100e-6], [5e-6], list(range(1000, 101_000, 1000))),
        Series(constant, [20e-6], [5e-6]),
        Series(statements, [30e-6]),
    )


def test_a_rate_is_the_median_of_the_rounds() -> None:
    assert Series([900.0, 10.0, 1000.0]).rate == 900


def test_the_limit_is_the_sum_of_both_times() -> None:
    assert limit_of(10_000, 10_000) == pytest.approx(5_000)
    assert limit_of(30_000, 5_000) == pytest.approx(1 / (1 / 30_000 + 1 / 5_000))


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (99, 99), (100, 100), (0, 1)])
def test_a_percentile_is_one_of_the_samples(percent: float, expected: int) -> None:
    assert percentile(list(range(100, 0, -1)), percent) == expected


def test_a_row_says_what_the_contract_names() -> None:
    row = a_case([4_000.0, 3_000.0, 2_000.0], [10_000.0] * 3, [10_000.0] * 3).row(200, 1)
    assert row.keys() >= CONTRACT
    assert (row["name"], row["size"], row["connections"], row["processes"]) == ("get_idea", 200, 32, 1)
    assert (row["requestsPerSecond"], row["limitPerSecond"], row["ratio"]) == (3_000, 5_000, 0.6)
    assert (row["p50Ms"], row["p99Ms"]) == (50, 99)
    assert row["ratioRange"] == [0.4, 0.8]


def test_a_row_compares_processor_time_where_the_system_tells_it() -> None:
    case = a_case([1.0], [1.0], [1.0])
    assert case.row(1, 1)["cpuMicroseconds"] == {"ours": 100, "constant": 20, "statements": 30, "ratio": 0.5}
    case.ours.cpu = []
    assert case.row(1, 1)["cpuMicroseconds"] is None


def test_the_client_is_compared_with_the_fastest_server() -> None:
    cases = [a_case([4_000.0], [10_000.0], [1.0]), a_case([5_000.0], [8_000.0], [1.0])]
    said = headroom(Series([30_000.0], client_cpu=[2e-6]), cases)
    assert said == {"requestsPerSecond": 30_000, "cpuMicroseconds": 2, "headroom": 3, "headroomOverOurs": 6}
