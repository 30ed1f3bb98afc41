"""The run: every operation in rounds of ours, constant, statements, so that all three meet the same noise."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.limits import Limit
from benchmarks.operations import OPERATIONS, Operation
from benchmarks.portal import PORTAL_ROWS, portal_requests
from benchmarks.probe import measure_waiting
from benchmarks.processes import Process
from benchmarks.regenerations import WORKERS, measure_regenerations
from benchmarks.research import measure_pages, measure_sections
from benchmarks.rounds import Case, Series
from benchmarks.stage import Stage, ask, open_stage, repeat

SHORTEST = 0.1  # seconds of a round
SHORTEST_OF_OURS = 0.25  # what is under way when wrk is interrupted is not counted, and must not matter
SAMPLED = 25  # answers, of which the one of median length is repeated

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured; a round lasts at most `longest` seconds, and less when `seconds` in all would not do.

    When the time is used up, a case has one round. Documents are regenerated `documents` at once, in `turns`. Research
    searches `sections`, and reads `pages`; none of both are no rows.
    """

    size: int = 100_000
    rounds: int = 5
    seconds: float = 330
    longest: float = 2.0
    connections: tuple[int, ...] = (1, 32)
    operations: Sequence[Operation] = OPERATIONS
    documents: int = 1_000
    turns: int = 3
    sections: int = 5
    pages: int = 1_000


FULL = Plan()
QUICK = Plan(
    size=60_000,
    rounds=3,
    seconds=40,
    longest=0.5,
    operations=tuple(operation for operation in OPERATIONS if operation.is_quick),
    documents=200,
    turns=1,
    sections=0,
    pages=0,
)
SIZES = (10_000, 1_000_000)  # between which a first page has to cost the same


async def measure_sizes(plan: Plan, sizes: Sequence[int], say: Say) -> dict[str, Any]:
    """One report over several sizes, one run for each; figures of the server are of the last and largest."""
    reports = [await measure(replace(plan, size=size, rounds=3, seconds=900, longest=1.0), say) for size in sizes]
    rows = [row for report in reports for row in report["rows"]]
    return {**reports[-1], "rows": rows, "seconds": round(sum(report["seconds"] for report in reports), 1)}


async def measure(plan: Plan, say: Say) -> dict[str, Any]:
    """The report. Raises BenchFailed when anything is answered but a 2xx."""
    began = time.monotonic()
    say(f"loading {plan.size:,} ideas")
    async with open_stage(plan.size) as stage:
        started = time.monotonic()
        ours = await stage.serve()
        server: dict[str, Any] = {"startSeconds": round(time.monotonic() - started, 2)}
        server["residentMegabytesAtStart"] = ours.resident_megabytes()
        # They come first: nothing else has left work for the workers then.
        written = [await _regenerate(name, plan, stage, ours, say) for name in WORKERS]
        run = _Run(plan, stage, ours, await stage.serve_constantly(), say, began + plan.seconds)
        rows = [row for operation in plan.operations for row in await run.rows(operation)]
        portal = await run.portal_rows()
        research = await _measure_research(plan, say)
        return {
            "machine": machine(),
            "rows": rows + written + portal + research,
            "client": _describe_client(stage, run.cases, rows),
            "besideFaultyBodies": await measure_waiting(ours, stage.world, min(1.0, plan.longest * 2)),
            "server": server | {"residentMegabytes": ours.resident_megabytes()},
            "aims": {one.name: dict(zip(("first", "then"), one.aims, strict=True)) for one in plan.operations},
            "rounds": plan.rounds,
            "seconds": round(time.monotonic() - began, 1),
        }


@dataclass(slots=True)
class _Run:
    plan: Plan
    stage: Stage
    ours: Process
    constant: Process
    say: Say
    deadline: float
    cases: list[Case] = field(default_factory=list)

    async def rows(self, operation: Operation) -> list[dict[str, Any]]:
        """One operation with each number of connections."""
        limit = Limit(self.stage.db, self.stage.world, operation)
        requests = [one.request.to_bytes(self.stage.world.key) for one in operation.asks(self.stage.world)]
        answers = [await ask(self.ours, request) for request in requests[:SAMPLED]]
        answer = sorted(answers, key=lambda one: len(one.body))[len(answers) // 2]
        await repeat(self.constant, answer)
        learnt = {"statements": await limit.prepare(), "bytes": len(answer.body)}
        turn, rows = len(answers), []
        turn = await self._round(Case(), limit, requests, turn, self.plan.connections[0])  # warms all three up
        for connections in self.plan.connections:
            case, turn = await self._case(limit, requests, turn, connections)
            rows.append(case.row(operation.name, self.plan.size, connections, 1) | learnt)
            shown = f"{rows[-1]['requestsPerSecond']:,.0f}/s, ratio {rows[-1]['ratio']}"
            self.say(f"{operation.name}, {connections} connections: {shown}")
        return rows

    async def _case(self, limit: Limit, requests: list[bytes], turn: int, connections: int) -> tuple[Case, int]:
        """As many rounds as the plan says, or as the case's share of the time that is left has room for, or one."""
        case, until = Case(), time.monotonic() + self._seconds_left() / self._cases_left()
        while not case.ours.rates or (len(case.ours.rates) < self.plan.rounds and time.monotonic() < until):
            turn = await self._round(case, limit, requests, turn, connections)
        self.cases.append(case)
        return case, turn

    async def _round(self, case: Case, limit: Limit, requests: list[bytes], turn: int, connections: int) -> int:
        seconds = self._round_seconds()
        turn = await self.stage.round(
            self.ours,
            requests,
            case.ours,
            first=turn,
            connections=connections,
            seconds=max(seconds, SHORTEST_OF_OURS),
        )
        await self.stage.round(
            self.constant, requests, case.constant, first=0, connections=connections, seconds=seconds
        )
        case.statements.add(await limit.round(connections, seconds))
        return turn

    def _round_seconds(self) -> float:
        """Shares the time that is left among the rounds that are left."""
        rounds = 3 * (self.plan.rounds + 1) * self._cases_left()
        return min(self.plan.longest, max(SHORTEST, self._seconds_left() / rounds))

    def _seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def _cases_left(self) -> int:
        return max(1, len(self.plan.operations) * len(self.plan.connections) - len(self.cases))

    async def portal_rows(self) -> list[dict[str, Any]]:
        """Rows without a limit: no page can be had from statements alone."""
        rows = []
        for name in PORTAL_ROWS:
            requests, turn = portal_requests(self.stage.world, name), 0
            for connections in self.plan.connections:
                series = Series()
                for each in (Series(), *[series] * min(3, self.plan.rounds)):
                    turn = await self.stage.round(
                        self.ours, requests, each, first=turn, connections=connections, seconds=self._round_seconds()
                    )
                rows.append(series.row(name, self.plan.size, connections, 1))
                self.say(f"{name}, {connections} connections: {series.rate:,.0f}/s")
        return rows


async def _regenerate(name: str, plan: Plan, stage: Stage, ours: Process, say: Say) -> dict[str, Any]:
    row = await measure_regenerations(name, stage, ours, documents=plan.documents, turns=plan.turns)
    say(f"{name}: {row['requestsPerSecond']:,.0f}/s, {row['documents']} at once")
    return row


async def _measure_research(plan: Plan, say: Say) -> list[dict[str, Any]]:
    rows = []
    if plan.sections:
        rows.append(await measure_sections(plan.sections))
        say(f"{rows[-1]['name']}: {rows[-1]['seconds']} s, {rows[-1]['idealSeconds']} s of waiting")
    if plan.pages:
        rows.append(await measure_pages(plan.pages))
        say(f"{rows[-1]['name']}: {rows[-1]['requestsPerSecond']:,.0f}/s, {rows[-1]['residentMegabytes']} MB")
    return rows


def _describe_client(stage: Stage, cases: list[Case], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How many requests a second the client could send with a processor of its own, beside the fastest server."""
    cpu = min(min(case.constant.client_cpu) for case in cases)
    ours = max(row["requestsPerSecond"] for row in rows)
    fastest = max(ours, *(row["constantPerSecond"] for row in rows))
    return {
        "name": stage.client.name,
        "requestsPerSecond": round(1 / cpu, 1),
        "cpuMicroseconds": round(cpu * 1e6, 1),
        "headroom": round(1 / cpu / fastest, 2),
        "headroomOverOurs": round(1 / cpu / ours, 2),
    }


def machine() -> dict[str, Any]:
    """Processor, memory, system and versions; None for what the system does not report."""
    memory = _after_colon(Path("/proc/meminfo"), "MemTotal")
    return {
        "processor": _after_colon(Path("/proc/cpuinfo"), "model name") or platform.processor() or None,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memoryMegabytes": int(memory.split()[0]) // 1024 if memory else None,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }


def _after_colon(file: Path, name: str) -> str | None:
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)
