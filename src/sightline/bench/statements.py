"""The statements of an operation on bare asyncpg, as fast as they go. A process of its own."""

import asyncio
import time
from array import array
from itertools import count
from typing import Any

import uvloop

from sightline.bench.capture import PoolWish, Trace, noting_pools, trace
from sightline.bench.child import answer_questions
from sightline.bench.failure import BenchFailed
from sightline.bench.inprocess import InProcess
from sightline.bench.replay import Replay, learn
from sightline.bench.servers import loaded, write_answer
from sightline.bench.wire import Answer, Request

WARM_UP = 10  # requests that fill the application's caches before one is written down


async def capture(factory: str, requests: list[Request], key: str) -> tuple[list[Trace], PoolWish]:
    """Serves the requests in this process. Refuses with BenchFailed when the application opens no pool."""
    with noting_pools() as wishes:
        async with InProcess(loaded(factory)) as app:
            await trace(app, requests[:WARM_UP], key)
            traces = await trace(app, requests, key)
    if not wishes:
        raise BenchFailed("The application opened no pool of connections.")
    return traces, wishes[0]


def typical(traces: list[Trace]) -> Answer:
    """The answer of median length."""
    answers = sorted((trace.answer for trace in traces), key=lambda answer: len(answer.body))
    return answers[len(answers) // 2]


class Replayer:
    """Learns one operation, then replays it on a pool opened as the application opens its own."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._replay: Replay | None = None

    async def learn(self, factory: str, requests: list[Request], key: str) -> dict[str, Any]:
        await self.close()
        traces, wish = await capture(factory, requests, key)
        self._replay = learn(traces)
        self._pool = await wish.open_bare()
        async with self._pool.acquire() as connection:
            await self._replay.check(connection)
        return {
            "answer": write_answer(typical(traces)),
            "statements": [step.query for step in self._replay.steps],
            "share": self._replay.share,
            "poolSize": self._pool.get_max_size(),
        }

    async def run(self, connections: int, seconds: float) -> dict[str, Any]:
        assert self._replay is not None  # noqa: S101 - learn() comes first
        replay, pool, turn = self._replay, self._pool, count()
        nanoseconds = array("q")
        cpu, started = time.process_time_ns(), time.perf_counter_ns()
        deadline = started + int(seconds * 1e9)

        async def one_after_another() -> None:
            now = time.perf_counter_ns()
            while now < deadline:
                async with pool.acquire() as connection:
                    await replay.once(connection, next(turn) % replay.traces)
                before, now = now, time.perf_counter_ns()
                nanoseconds.append(now - before)

        await asyncio.gather(*(one_after_another() for _ in range(connections)))
        return {
            "requests": len(nanoseconds),
            "seconds": (time.perf_counter_ns() - started) / 1e9,
            "cpuSeconds": (time.process_time_ns() - cpu) / 1e9,
        }

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        replayer = Replayer()

        def measure(question: dict[str, Any]) -> dict[str, Any]:
            if "factory" not in question:
                return runner.run(replayer.run(question["connections"], question["seconds"]))
            requests = [
                Request(method, target, body.encode("latin-1")) for method, target, body in question["requests"]
            ]
            return runner.run(replayer.learn(question["factory"], requests, question["key"]))

        answer_questions(measure)
        runner.run(replayer.close())


if __name__ == "__main__":
    main()
