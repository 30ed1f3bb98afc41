"""What one round measures, and the arithmetic from rounds to a row of the report."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Round:
    """`cpu` is the seconds of processor that the sender used; `microseconds` says how often each time occurred."""

    seconds: float
    cpu: float
    microseconds: Counter[int]

    @property
    def requests(self) -> int:
        return self.microseconds.total()


async def in_parallel(work: Callable[[], Awaitable[None]], times: int, microseconds: Counter[int]) -> Round:
    """Runs `work` so many times at once; it adds its times to `microseconds`."""
    cpu, started = time.process_time(), time.perf_counter()
    await asyncio.gather(*(work() for _ in range(times)))
    return Round(time.perf_counter() - started, time.process_time() - cpu, microseconds)


@dataclass(slots=True)
class Series:
    """One thing measured in several rounds. `cpu` is the seconds of processor its processes used for a request."""

    rates: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    client_cpu: list[float] = field(default_factory=list)
    microseconds: Counter[int] = field(default_factory=Counter)

    def add(self, one: Round, cpu: float | None = None) -> None:
        self.rates.append(one.requests / one.seconds)
        self.client_cpu.append(one.cpu / one.requests)
        self.microseconds.update(one.microseconds)
        if cpu is not None:
            self.cpu.append(cpu / one.requests)

    @property
    def rate(self) -> float:
        """Requests per second: the median of the rounds."""
        return median(self.rates)

    def row(self, name: str, size: int, connections: int, processes: int) -> dict[str, Any]:
        """A row without a limit."""
        return {
            "name": name,
            "size": size,
            "connections": connections,
            "processes": processes,
            "requestsPerSecond": round(self.rate, 1),
            "p50Ms": percentile(self.microseconds, 50) / 1000,
            "p99Ms": percentile(self.microseconds, 99) / 1000,
            "limitPerSecond": None,
            "ratio": None,
        }


@dataclass(slots=True)
class Case:
    """One operation with one number of connections: ours, and the two parts of the limit."""

    ours: Series = field(default_factory=Series)
    constant: Series = field(default_factory=Series)
    statements: Series = field(default_factory=Series)

    def row(self, name: str, size: int, connections: int, processes: int) -> dict[str, Any]:
        limit = limit_of(self.constant.rate, self.statements.rate)
        rounds = zip(self.ours.rates, self.constant.rates, self.statements.rates, strict=True)
        ratios = [ours / limit_of(constant, statements) for ours, constant, statements in rounds]
        return self.ours.row(name, size, connections, processes) | {
            "limitPerSecond": round(limit, 1),
            "ratio": round(self.ours.rate / limit, 3),
            "ratioRange": [round(min(ratios), 3), round(max(ratios), 3)],
            "constantPerSecond": round(self.constant.rate, 1),
            "statementsPerSecond": round(self.statements.rate, 1),
            "cpuMicroseconds": self._cpu(),
        }

    def _cpu(self) -> dict[str, float] | None:
        """Processor time of one request, without database and client; less noisy than rates on a busy machine."""
        parts = (self.ours.cpu, self.constant.cpu, self.statements.client_cpu)
        if not all(parts):
            return None
        ours, constant, statements = (median(part) * 1e6 for part in parts)
        shown = {"ours": round(ours, 1), "constant": round(constant, 1), "statements": round(statements, 1)}
        return shown | {"ratio": round((constant + statements) / ours, 3)}


def limit_of(constant: float, statements: float) -> float:
    """Requests per second of a server that did nothing but send the answer and run the statements."""
    return 1 / (1 / constant + 1 / statements)


def percentile(samples: Counter[int], percent: float) -> int:
    """The smallest sample that so many percent of all samples do not exceed."""
    left = max(1, ceil(samples.total() * percent / 100))
    for sample in sorted(samples):
        left -= samples[sample]
        if left <= 0:
            return sample
    raise ValueError("There is no sample.")
