"""The arithmetic: from what was counted to a row of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Any


@dataclass(slots=True)
class Series:
    """One thing measured in several rounds. `cpu` is the seconds of processor its processes used for a request."""

    rates: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    client_cpu: list[float] = field(default_factory=list)
    microseconds: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Requests per second: the median of the rounds."""
        return median(self.rates)


@dataclass(slots=True)
class Case:
    """One operation with one number of connections: ours, and the two parts of the limit."""

    name: str
    connections: int
    ours: Series = field(default_factory=Series)
    constant: Series = field(default_factory=Series)
    statements: Series = field(default_factory=Series)
    learnt: dict[str, Any] = field(default_factory=dict)

    def row(self, size: int, processes: int) -> dict[str, Any]:
        limit = limit_of(self.constant.rate, self.statements.rate)
        ratios = [
            ours / limit_of(constant, statements)
            for ours, constant, statements in zip(
                self.ours.rates, self.constant.rates, self.statements.rates, strict=True
            )
        ]
        return {
            "name": self.name,
            "size": size,
            "connections": self.connections,
            "processes": processes,
            "requestsPerSecond": round(self.ours.rate, 1),
            "p50Ms": round(percentile(self.ours.microseconds, 50) / 1000, 3),
            "p99Ms": round(percentile(self.ours.microseconds, 99) / 1000, 3),
            "limitPerSecond": round(limit, 1),
            "ratio": round(self.ours.rate / limit, 3),
            "ratioRange": [round(min(ratios), 3), round(max(ratios), 3)],
            "constantPerSecond": round(self.constant.rate, 1),
            "statementsPerSecond": round(self.statements.rate, 1),
            "cpuMicroseconds": self._cpu(),
            **self.learnt,
        }

    def _cpu(self) -> dict[str, float] | None:
        """Processor time of one request, database and client apart; less noisy than rates on a busy machine."""
        parts = (self.ours.cpu, self.constant.cpu, self.statements.cpu)
        if not all(parts):
            return None
        ours, constant, statements = (median(part) * 1e6 for part in parts)
        return {
            "ours": round(ours, 1),
            "constant": round(constant, 1),
            "statements": round(statements, 1),
            "ratio": round((constant + statements) / ours, 3),
        }


def limit_of(constant: float, statements: float) -> float:
    """Requests per second of a server that did nothing but send the answer and run the statements."""
    return 1 / (1 / constant + 1 / statements)


def percentile(samples: Sequence[int], percent: float) -> float:
    """The smallest sample that so many percent of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def headroom(trivial: Series, cases: Sequence[Case]) -> dict[str, Any]:
    """How much faster the client is against a trivial server than anywhere else; near 1, it was what held them up."""
    fastest = max(max(case.ours.rate, case.constant.rate) for case in cases)
    return {
        "requestsPerSecond": round(trivial.rate, 1),
        "cpuMicroseconds": round(median(trivial.client_cpu) * 1e6, 1),
        "headroom": round(trivial.rate / fastest, 2),
        "headroomOverOurs": round(trivial.rate / max(case.ours.rate for case in cases), 2),
    }
