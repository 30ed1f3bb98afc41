"""How long a small request waits while other connections send large faulty bodies."""

import asyncio
import time
from collections import Counter
from contextlib import closing
from typing import Any

from benchmarks.client import Line
from benchmarks.operations import API, Request
from benchmarks.processes import Process
from benchmarks.rounds import percentile
from benchmarks.world import World

SENDERS = 2
MIB = 1024 * 1024
_HEAD, _TAIL = b'{"description":"a","featureIds":[', b"1]}"
FAULTY = _HEAD + b"1," * ((MIB - len(_HEAD) - len(_TAIL)) // 2) + _TAIL


async def measure_waiting(server: Process, world: World, seconds: float) -> dict[str, Any]:
    """The times of one request after the other, in milliseconds, beside a stream of faulty bodies of 1 MiB."""
    faulty = Request("POST", f"{API}/ideas", FAULTY).to_bytes(world.key)
    small = Request("GET", f"{API}/ideas/{world.ideas[0]}").to_bytes(world.key)
    ending = time.monotonic() + seconds
    senders = (_ask(server.port, faulty, ending) for _ in range(SENDERS))
    waits, *bodies = await asyncio.gather(_ask(server.port, small, ending), *senders)
    return {
        "faultyBodies": sum(answered.total() for answered in bodies),
        "requests": waits.total(),
        "p50Ms": percentile(waits, 50) / 1000,
        "p99Ms": percentile(waits, 99) / 1000,
        "longestMs": max(waits) / 1000,
    }


async def _ask(port: int, request: bytes, ending: float) -> Counter[int]:
    """The microseconds of the requests of one connection, at least one."""
    spent = Counter[int]()
    with closing(await Line.open(port)) as line:
        while not spent or time.monotonic() < ending:
            started = time.perf_counter_ns()
            await line.ask(request)
            spent[(time.perf_counter_ns() - started) // 1000] += 1
    return spent
