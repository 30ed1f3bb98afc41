"""Requests of all kinds in turn, while a worker writes documents: how long does the slowest in a hundred wait?"""

import asyncio
from itertools import chain, zip_longest

from benchmarks import operations as api
from benchmarks.client import send_each
from benchmarks.portal import portal_list, portal_vote
from benchmarks.regenerations import requests_for_documents, wait_until_written
from benchmarks.rounds import Case, Round
from benchmarks.stage import Stage
from benchmarks.world import World

EACH = 10  # of each kind of write, so that reads are most


def mix(world: World) -> list[bytes]:
    """Reads, and between them a few writes of each kind."""
    reads = [*api.read("ideas/{idea}", world)[:200], *api.read("ideas?limit=20", world) * 50]
    writes = [*api.patch_idea(world)[:EACH], *api.create_idea(world)[:EACH]]
    pages = [*portal_list(world) * 5 * EACH, *portal_vote(world)[:EACH]]
    kinds = ([one.request for one in reads], [one.request for one in writes], pages)
    return [request for request in chain(*zip_longest(*kinds)) if request]


async def beside_jobs(stage: Stage) -> Case:
    """The times of the requests, with as many documents requested as the plan says. There is no limit beside it."""
    documents = requests_for_documents(stage)
    send = stage.send_to(stage.ours, mix(stage.world))

    async def measure(connections: int, seconds: float) -> Round:
        async with stage.start("sightline", "worker", until="takes jobs"):
            await send_each(stage.ours.port, iter(documents), connections)
            await asyncio.sleep(1)  # in which further edits may follow; then the worker is busy
            sent = await send(connections, seconds)
            await wait_until_written(stage.db)
        return sent

    return Case(measure, details={"documents": len(documents)})
