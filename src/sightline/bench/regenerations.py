"""Documents written anew: as many as there are asked for at once, and how long until workers have written them all."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import asyncpg

from sightline.bench.failure import BenchFailed
from sightline.bench.figures import Series, percentile
from sightline.bench.stage import Served, Stage
from sightline.bench.wire import API, Request
from sightline.bench.world import World

CONNECTIONS = 8
LOOK_SECONDS = 0.02
LATE_SECONDS = 60
PRD = b'{"type":"PRD"}'

_COUNT = "SELECT count(*) FROM document_generations WHERE status = $1"
_SPENT = """
SELECT (1e6 * extract(epoch FROM updated_at - created_at))::bigint FROM document_generations
 ORDER BY created_at DESC LIMIT $1"""


@dataclass(frozen=True, slots=True)
class Regenerations:
    """One row: with so many worker processes."""

    name: str
    workers: int


REGENERATIONS = (Regenerations("regenerate_document_1_worker", 1), Regenerations("regenerate_document_3_workers", 3))


def measure_regenerations(
    wanted: Regenerations, stage: Stage, ours: Served, world: World, *, documents: int, turns: int
) -> dict[str, Any]:
    """The row, which has no limit beside it.

    A request counts from when it was accepted until its document is written, and with it the second in which further
    edits may follow. Refuses with BenchFailed when one is not written.
    """
    chosen = world.initiatives[:documents]
    requests = [Request("POST", f"{API}/initiatives/{one}/documents/regenerate", PRD) for one in chosen]
    sent = [request.to_bytes(world.key).decode("latin-1") for request in requests]
    series = Series()
    workers = stage.start_workers(wanted.workers)
    for _ in range(turns):
        begun = time.monotonic()
        stage.ask_once(ours, sent, CONNECTIONS)
        asyncio.run(_wait_until_written(stage.url))
        series.rates.append(len(sent) / (time.monotonic() - begun))
        series.microseconds += asyncio.run(_spent(stage.url, len(sent)))
    for worker in workers:
        worker.stop()
    return {
        "name": wanted.name,
        "size": world.size,
        "connections": CONNECTIONS,
        "processes": wanted.workers,
        "requestsPerSecond": round(series.rate, 1),
        "p50Ms": round(percentile(series.microseconds, 50) / 1000, 3),
        "p99Ms": round(percentile(series.microseconds, 99) / 1000, 3),
        "limitPerSecond": None,
        "ratio": None,
        "documents": len(sent),
    }


async def _wait_until_written(url: str) -> None:
    deadline = time.monotonic() + LATE_SECONDS
    connection = await asyncpg.connect(url)
    try:
        while left := await connection.fetchval(_COUNT, "pending"):
            if time.monotonic() > deadline:
                raise BenchFailed(f"{left} documents were not written within {LATE_SECONDS} s.")
            await asyncio.sleep(LOOK_SECONDS)
        if failed := await connection.fetchval(_COUNT, "failed"):
            raise BenchFailed(f"{failed} documents could not be written.")
    finally:
        await connection.close()


async def _spent(url: str, documents: int) -> list[int]:
    """Microseconds of the latest generations, from acceptance to completion."""
    connection = await asyncpg.connect(url)
    try:
        return [row[0] for row in await connection.fetch(_SPENT, documents)]
    finally:
        await connection.close()
