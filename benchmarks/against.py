"""Two commits side by side: the same requests to each in turn, and for each row the ratio of ours to the other's.

On a busy machine rates say little; the processor time that a request takes of each process says more.
"""

import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.client import ask, send_by_wrk, send_from_here
from benchmarks.measure import Say, machine
from benchmarks.rounds import BenchFailed
from benchmarks.rows import Row
from benchmarks.servers import OURS
from benchmarks.sides import Side, check_out, find_commit, open_side
from benchmarks.workspace import compose_workspace

LEAST_PAIRS = 2
LEAST = 0.1  # microseconds, so that there is a ratio
TRIED = 3  # requests of a row, before any is measured


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much is compared: up to `pairs` pairs of rounds for each row, fewer when `seconds` in all would not do."""

    size: int = 5_000
    connections: int = 8
    pairs: int = 16
    round_seconds: float = 0.4
    seconds: float = 780


class Spent(NamedTuple):
    """A round: requests per second, and the microseconds of processor that a request took, by the names of a report."""

    requestsPerSecond: float
    apiMicroseconds: float
    databaseMicroseconds: float


async def compare(ref: str, rows: Sequence[Row], plan: Comparison, say: Say) -> dict[str, Any]:
    """The report on the sources as they lie here, against those of a commit. Raises BenchFailed."""
    commit, began = find_commit(ref), time.monotonic()
    async with AsyncExitStack() as ended:
        folder = Path(ended.enter_context(TemporaryDirectory(prefix="sightline-bench-", ignore_cleanup_errors=True)))
        code = check_out(commit, folder / "ref-code")
        world, workspace = compose_workspace(plan.size)
        file = folder / "workspace.json"
        file.write_text(json.dumps(workspace, default=str))
        say(f"loading {plan.size:,} ideas twice")
        this = await ended.enter_async_context(open_side(OURS, folder / "this", world, file))
        other = await ended.enter_async_context(open_side(code, folder / "ref", world, file))
        compared = []
        for place, row in enumerate(rows):
            left = began + plan.seconds - time.monotonic()
            figures = await _compare_row(row, this, other, plan, left / (len(rows) - place))
            say(f"{row.name}: {figures.get('missing') or figures['ratio']}")
            compared.append({"name": row.name, **figures})
    return {
        "against": {"ref": ref, "commit": commit},
        "machine": machine(),
        "connections": plan.connections,
        "size": plan.size,
        "rows": compared,
        "seconds": round(time.monotonic() - began, 1),
    }


async def _compare_row(row: Row, this: Side, other: Side, plan: Comparison, seconds: float) -> dict[str, Any]:
    """Rounds of both in the order ABBA. A row that only this commit answers has no figures, but what is `missing`."""
    ours, theirs = _Load(row, this), _Load(row, other)
    await ours.try_out()
    try:
        await theirs.try_out()
    except BenchFailed as failure:
        return {"missing": str(failure)}
    until, pairs = time.monotonic() + seconds, list[tuple[Spent, Spent]]()
    for load in (ours, theirs):
        await load.measure(plan)
    while len(pairs) < plan.pairs and (len(pairs) < LEAST_PAIRS or time.monotonic() < until):
        if len(pairs) % 2:
            second = await theirs.measure(plan)
            pairs.append((await ours.measure(plan), second))
        else:
            pairs.append((await ours.measure(plan), await theirs.measure(plan)))
    return describe(pairs)


class _Load:
    """A row's requests to one side, in turn; each round begins where the one before ended."""

    def __init__(self, row: Row, side: Side) -> None:
        assert row.requests is not None  # noqa: S101 - for mypy; other rows are not compared
        self._requests, self._side, self._turn = row.requests(side.world), side, 0
        self._send = send_by_wrk if which("wrk") else send_from_here

    async def try_out(self) -> None:
        """Raises BenchFailed unless the first requests are answered with a 2xx."""
        for request in self._requests[:TRIED]:
            await ask(self._side.server.port, request)

    async def measure(self, plan: Comparison) -> Spent:
        """One round. Raises BenchFailed unless every answer is a 2xx."""
        before = self._cpu()
        sent = await self._send(
            self._side.server.port, self._requests, self._turn, plan.connections, plan.round_seconds
        )
        self._turn += sent.requests + plan.connections
        spent = [after - first for first, after in zip(before, self._cpu(), strict=True)]
        api, database = (max(LEAST, 1e6 * seconds / sent.requests) for seconds in spent)
        return Spent(sent.requests / sent.seconds, api, database)

    def _cpu(self) -> tuple[float, float]:
        api, database = self._side.server.cpu_seconds(), self._side.database.cpu_seconds()
        if api is None or database is None:
            raise BenchFailed("This system does not report the processor time of processes.")
        return api, database


def describe(pairs: Sequence[tuple[Spent, Spent]]) -> dict[str, Any]:
    """The figures of a row: medians of both sides, and of the ratios of all pairs, with their quartiles."""
    row: dict[str, Any] = {"pairs": len(pairs), "this": {}, "ref": {}, "ratio": {}, "quartiles": {}}
    for place, name in enumerate(Spent._fields):
        ratios = [ours[place] / theirs[place] for ours, theirs in pairs]
        low, middle, high = quantiles(ratios, method="inclusive")
        row["this"][name] = round(median(ours[place] for ours, _ in pairs), 1)
        row["ref"][name] = round(median(theirs[place] for _, theirs in pairs), 1)
        row["ratio"][name], row["quartiles"][name] = round(middle, 3), [round(low, 3), round(high, 3)]
    return row
