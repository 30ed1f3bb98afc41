"""What a round measures, and the arithmetic from rounds to a row of the report."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Any, TypeVar

T = TypeVar("T")
FIGURES = ("requestsPerSecond", "p50Ms", "p99Ms", "limitPerSecond", "ratio")


class BenchFailed(Exception):
    """Nothing can be measured; the message is one clear line."""


@dataclass(frozen=True, slots=True)
class Round:
    """So many requests in so many seconds.

    `times` says how often each time occurred, in microseconds. `cpu` is the processor time of what is measured, in
    seconds; None where the system does not report it.
    """

    requests: int
    seconds: float
    times: Counter[int]
    cpu: float | None = None


Measure = Callable[[int, float], Awaitable[Round]]  # with so many connections, for about so many seconds


@dataclass(slots=True)
class Case:
    """What a row measures: ours, and the parts of its limit. `details` are more keys of the row."""

    ours: Measure
    limit: dict[str, Measure] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)


async def time_each(turns: Iterator[T], work: Callable[[int, T], Awaitable[Any]], workers: int) -> Round:
    """Works on each turn, so many workers at once. `work` is given the number of the worker and the turn."""
    times = Counter[int]()

    async def work_on(worker: int) -> None:
        for turn in turns:
            started = time.perf_counter_ns()
            await work(worker, turn)
            times[(time.perf_counter_ns() - started) // 1000] += 1

    cpu, started = time.process_time(), time.perf_counter()
    await asyncio.gather(*(work_on(worker) for worker in range(workers)))
    return Round(times.total(), time.perf_counter() - started, times, cpu=time.process_time() - cpu)


def during(seconds: float, turns: Iterator[T]) -> Iterator[T]:
    """The turns until the time is over, at least one."""
    deadline = time.monotonic() + seconds
    for turn in turns:
        yield turn
        if time.monotonic() >= deadline:
            break


def describe(ours: Sequence[Round], limit: Mapping[str, Sequence[Round]]) -> dict[str, Any]:
    """The figures of a row; the n-th rounds of ours and of the limit's parts ran one after the other.

    A round in which a request of any of them did not end has no figure. Without any other every figure is None.
    """
    together = [turn for turn in zip(ours, *limit.values(), strict=True) if all(one.requests for one in turn)]
    if not together:
        return dict.fromkeys(FIGURES)
    ours, *others = zip(*together, strict=True)
    limit = dict(zip(limit, others, strict=True))
    times = sum((one.times for one in ours), Counter[int]())
    row: dict[str, Any] = dict.fromkeys(FIGURES) | {
        "requestsPerSecond": round(rate(ours), 1),
        "p50Ms": percentile(times, 50) / 1000,
        "p99Ms": percentile(times, 99) / 1000,
    }
    if not limit:
        return row
    most = limit_of(*map(rate, limit.values()))
    ratios = [rate([one]) / limit_of(*(rate([part]) for part in parts)) for one, *parts in together]
    return row | {
        "limitPerSecond": round(most, 1),
        "ratio": round(rate(ours) / most, 3),
        "ratioRange": [round(min(ratios), 3), round(max(ratios), 3)],
        **{f"{name}PerSecond": round(rate(rounds), 1) for name, rounds in limit.items()},
        "cpuMicroseconds": _compare_cpu({"ours": ours, **limit}),
    }


def rate(rounds: Sequence[Round]) -> float:
    """Requests per second: the median of the rounds."""
    return median(one.requests / one.seconds for one in rounds)


def limit_of(*rates: float) -> float:
    """Requests per second of a server that does all of these for each request, one after the other."""
    return 1 / sum(1 / each for each in rates)


def percentile(times: Counter[int], percent: float) -> int:
    """The shortest time that so many percent of all times do not exceed."""
    return sorted(times.elements())[max(1, ceil(times.total() * percent / 100)) - 1]


def _compare_cpu(parts: Mapping[str, Sequence[Round]]) -> dict[str, float] | None:
    """Processor time of a request, without that of the database and the client; None where it is not known."""
    known = {name: [one.cpu / one.requests for one in rounds if one.cpu] for name, rounds in parts.items()}
    if not all(known.values()):
        return None
    spent = {name: median(each) * 1e6 for name, each in known.items()}
    ratio = (sum(spent.values()) - spent["ours"]) / spent["ours"]
    return {name: round(each, 1) for name, each in spent.items()} | {"ratio": round(ratio, 3)}
