"""The run: every row in rounds of ours and of its limit's parts, so that all meet the same noise."""

import asyncio
import os
import platform
import re
import time
from collections.abc import Callable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

from benchmarks.client import send_each
from benchmarks.operations import API, call, write_request
from benchmarks.rounds import Case, Round, describe, during, percentile
from benchmarks.rows import Row
from benchmarks.stage import Plan, Stage, open_stage
from benchmarks.stuck import measure_stuck

SHORTEST = 0.1  # seconds of a round
SHORTEST_OF_OURS = 0.25  # what is under way when wrk is interrupted is not counted, and must not matter
FAULTY_BYTES = 1024 * 1024
REFUSED = range(400, 500)

Say = Callable[[str], None]

STANDARD = Plan()
QUICK = Plan(size=60_000, rounds=3, seconds=40, longest=0.5, documents=200)
# Between these a first page has to cost the same.
FULL = tuple(Plan(size=size, rounds=3, seconds=900, longest=1.0) for size in (10_000, 100_000, 1_000_000))


async def measure(plans: Sequence[Plan], rows: Sequence[Row], say: Say) -> dict[str, Any]:
    """One report over several plans; figures of the server are of the last. Raises BenchFailed."""
    reports = [await _measure_plan(plan, rows, say) for plan in plans]
    return reports[-1] | {
        "rows": [row for report in reports for row in report["rows"]],
        "seconds": round(sum(report["seconds"] for report in reports), 1),
    }


async def _measure_plan(plan: Plan, rows: Sequence[Row], say: Say) -> dict[str, Any]:
    began = time.monotonic()
    say(f"loading {plan.size:,} ideas")
    async with open_stage(plan) as stage:
        server: dict[str, Any] = {"startSeconds": round(stage.start_seconds, 2)}
        server["residentMegabytesAtStart"] = stage.ours.resident_megabytes()
        measured = await _Run(stage, rows, began + plan.seconds, say).rows()
        return {
            "machine": machine(),
            "rows": measured,
            "client": {"name": "wrk" if stage.has_wrk else "asyncio"},
            "besideFaultyBodies": await _measure_waiting(stage),
            "server": server
            | {
                "residentMegabytes": stage.ours.resident_megabytes(),
                "stuckReadersMegabytes": await measure_stuck(stage),
            },
            "aims": {row.name: dict(zip(("first", "then"), row.aims, strict=True)) for row in rows if row.aims},
            "rounds": plan.rounds,
            "seconds": round(time.monotonic() - began, 1),
        }


class _Run:
    """Shares the time that is left among the rows that are left."""

    def __init__(self, stage: Stage, rows: Sequence[Row], deadline: float, say: Say) -> None:
        self._stage, self._rows, self._deadline, self._say = stage, rows, deadline, say
        self._left = sum(len(row.connections) for row in rows)

    async def rows(self) -> list[dict[str, Any]]:
        return [figures for row in self._rows for figures in await self._measure(row)]

    async def _measure(self, row: Row) -> list[dict[str, Any]]:
        """One row with each number of connections."""
        case, measured = await row.prepare(self._stage), []
        for connections in row.connections:
            figures = describe(*await self._measure_rounds(case, connections, min(row.rounds, self._stage.plan.rounds)))
            self._left -= 1
            rate = figures["requestsPerSecond"]
            found = "no request ended" if rate is None else f"{rate:,}/s, ratio {figures['ratio']}"
            self._say(f"{row.name}, {connections} connections: {found}")
            named = {"name": row.name, "size": self._stage.plan.size}
            measured.append(named | {"connections": connections, "processes": row.processes} | figures | case.details)
        return measured

    async def _measure_rounds(
        self, case: Case, connections: int, rounds: int
    ) -> tuple[list[Round], dict[str, list[Round]]]:
        """So many rounds, or as many as the share of the time has room for, or one."""
        ours: list[Round] = []
        limit: dict[str, list[Round]] = {name: [] for name in case.limit}
        until = time.monotonic() + self._seconds()
        while not ours or (len(ours) < rounds and time.monotonic() < until):
            seconds = min(self._stage.plan.longest, self._seconds() / (rounds + 1) / 3)
            ours.append(await case.ours(connections, max(seconds, SHORTEST_OF_OURS)))
            for name, measure_part in case.limit.items():
                limit[name].append(await measure_part(connections, max(seconds, SHORTEST)))
        return ours, limit

    def _seconds(self) -> float:
        return (self._deadline - time.monotonic()) / self._left


async def _measure_waiting(stage: Stage) -> dict[str, Any]:
    """The times of one small request after the other, beside two streams of faulty bodies of 1 MiB."""
    head, tail = b'{"description":"a","featureIds":[', b"1]}"
    faulty = head + b"1," * ((FAULTY_BYTES - len(head) - len(tail)) // 2) + tail
    large = write_request("POST", f"{API}/ideas", body=faulty, authorization=f"Bearer {stage.world.key}")
    small = call(stage.world, "GET", f"ideas/{stage.world.idea_ids[0]}")
    seconds = min(1.0, stage.plan.longest * 2)
    bodies, waits = await asyncio.gather(
        send_each(stage.ours.port, during(seconds, repeat(large)), 2, REFUSED),
        send_each(stage.ours.port, during(seconds, repeat(small)), 1),
    )
    return {
        "faultyBodies": bodies.requests,
        "requests": waits.requests,
        "p50Ms": percentile(waits.times, 50) / 1000,
        "p99Ms": percentile(waits.times, 99) / 1000,
        "longestMs": max(waits.times) / 1000,
    }


def machine() -> dict[str, Any]:
    """Processor, memory, system and versions; the processor is None where the system does not report it."""
    cpus = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.+)", cpus.read_text()) if cpus.exists() else None
    return {
        "processor": model[1] if model else platform.processor() or None,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memoryMegabytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }
