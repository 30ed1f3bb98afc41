"""Regenerating documents: many are requested at once, and the time until workers have written them all."""

import asyncio
import time
from collections import Counter
from typing import Any

from benchmarks.client import send_once
from benchmarks.failure import BenchFailed
from benchmarks.operations import API, Request
from benchmarks.processes import Process
from benchmarks.rounds import Round, Series
from benchmarks.stage import Stage
from sightline.platform.db import Database, sql

WORKERS = {"regenerate_document_1_worker": 1, "regenerate_document_3_workers": 3}
CONNECTIONS = 8
LOOK_SECONDS = 0.02
LATE_SECONDS = 120

_COUNT = sql("SELECT count(*) FROM document_generations WHERE status = :status")
_SPENT = sql("""
SELECT (1e6 * extract(epoch FROM updated_at - created_at))::bigint AS microseconds FROM document_generations
 ORDER BY created_at DESC LIMIT :limit""")


async def measure_regenerations(
    name: str, stage: Stage, server: Process, *, documents: int, turns: int
) -> dict[str, Any]:
    """The row, which has no limit beside it.

    A request counts from when it was accepted until its document is written, and with it the second in which further
    edits may follow. Raises BenchFailed when one is not written.
    """
    requests = [
        Request("POST", f"{API}/initiatives/{one}/documents/regenerate", b'{"type":"PRD"}').to_bytes(stage.world.key)
        for one in stage.world.initiatives[:documents]
    ]
    series = Series()
    workers = [stage.start("sightline", "worker") for _ in range(WORKERS[name])]
    for worker in workers:
        await worker.until_said("takes jobs")
    for _ in range(turns):
        started = time.monotonic()
        sent = await send_once(server.port, requests, CONNECTIONS)
        await _wait_until_written(stage.db)
        series.add(Round(time.monotonic() - started, sent.cpu, await _spent(stage.db, len(requests))))
    for worker in workers:
        worker.stop()
    return series.row(name, stage.world.size, CONNECTIONS, len(workers)) | {"documents": len(requests)}


async def _wait_until_written(db: Database) -> None:
    deadline = time.monotonic() + LATE_SECONDS
    async with db.autocommit() as tx:
        while left := await tx.value(_COUNT, status="pending"):
            if time.monotonic() > deadline:
                raise BenchFailed(f"{left} documents were not written within {LATE_SECONDS} s.")
            await asyncio.sleep(LOOK_SECONDS)
        if failed := await tx.value(_COUNT, status="failed"):
            raise BenchFailed(f"{failed} documents could not be written.")


async def _spent(db: Database, documents: int) -> Counter[int]:
    """Microseconds of the latest generations, from acceptance to completion."""
    async with db.autocommit() as tx:
        return Counter(row["microseconds"] for row in await tx.rows(_SPENT, limit=documents))
