"""Regenerating documents: many are requested at once, and the time until workers have written them all."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack

from benchmarks.client import send_each
from benchmarks.operations import call
from benchmarks.rounds import BenchFailed, Case, Round
from benchmarks.stage import Stage
from sightline.platform.db import Database, sql

PAUSE_SECONDS = 0.02
LATE_SECONDS = 120

_COUNT = sql("SELECT count(*) FROM document_generations WHERE status = :status")
_SPENT = sql("""
SELECT (1e6 * extract(epoch FROM updated_at - created_at))::bigint AS microseconds FROM document_generations
 ORDER BY created_at DESC LIMIT :limit""")


def requests_for_documents(stage: Stage) -> list[bytes]:
    """As many as the plan says, each for another initiative."""
    initiatives = stage.world.initiative_ids[: stage.plan.documents]
    path = "initiatives/{}/documents/regenerate"
    return [call(stage.world, "POST", path.format(one), {"type": "PRD"}) for one in initiatives]


async def regenerate(stage: Stage, workers: int) -> Case:
    """A request counts from when it was accepted until its document is written.

    So the second in which further edits may follow counts too. There is no limit beside it.
    """
    requests = requests_for_documents(stage)

    async def measure(connections: int, _: float) -> Round:
        async with AsyncExitStack() as ended:
            processes = [stage.start("sightline", "worker", until="takes jobs") for _ in range(workers)]
            await asyncio.gather(*map(ended.enter_async_context, processes))
            started = time.monotonic()
            await send_each(stage.ours.port, iter(requests), connections)
            await wait_until_written(stage.db)
            return Round(len(requests), time.monotonic() - started, await _spent(stage.db, len(requests)))

    return Case(measure, details={"documents": len(requests)})


async def wait_until_written(db: Database) -> None:
    """Raises BenchFailed if a document cannot be written, or is not within two minutes."""
    deadline = time.monotonic() + LATE_SECONDS
    async with db.autocommit() as tx:
        while left := await tx.value(_COUNT, status="pending"):
            if time.monotonic() > deadline:
                raise BenchFailed(f"{left} documents were not written within {LATE_SECONDS} s.")
            await asyncio.sleep(PAUSE_SECONDS)
        if failed := await tx.value(_COUNT, status="failed"):
            raise BenchFailed(f"{failed} documents could not be written.")


async def _spent(db: Database, documents: int) -> Counter[int]:
    """Microseconds of the latest generations, from acceptance to completion."""
    async with db.autocommit() as tx:
        return Counter(row["microseconds"] for row in await tx.rows(_SPENT, limit=documents))
