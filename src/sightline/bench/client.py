"""The load: connections that each send their next request when they have their answer. A process of its own."""

import asyncio
import time
from array import array
from collections.abc import Iterator
from itertools import cycle
from typing import Any, cast

import uvloop

from sightline.bench.child import answer_questions
from sightline.bench.wire import FRESH_ID, freshened, read_head

LATE_SECONDS = 10


class Load:
    """What all connections of one measure share."""

    def __init__(self, requests: list[bytes], seconds: float, *, once: bool = False) -> None:
        """`once`: each request is sent once, and what is left after `seconds` is not."""
        self.requests: Iterator[bytes] = iter(requests) if once else cycle(requests)
        self.is_fresh = any(FRESH_ID.encode() in request for request in requests)
        self.seconds = seconds
        self.deadline = 0
        self.nanoseconds = array("q")
        self.errors: list[str] = []
        self.busy = 0
        self.all_done = asyncio.Event()

    async def run(self, port: int, connections: int) -> dict[str, Any]:
        """Opens the connections, then starts the clock. An answer outside 2xx or a lost connection is an error."""
        loop = asyncio.get_running_loop()
        opened = [await loop.create_connection(lambda: Line(self), "127.0.0.1", port) for _ in range(connections)]
        self.busy = connections
        cpu, started = time.process_time_ns(), time.perf_counter_ns()
        self.deadline = started + int(self.seconds * 1e9)
        for _, line in opened:
            line.send()
        try:
            await asyncio.wait_for(self.all_done.wait(), self.seconds + LATE_SECONDS)
        except TimeoutError:
            self.errors.append(f"{self.busy} connections got no answer for {LATE_SECONDS} s.")
        ended = time.perf_counter_ns()
        for transport, _ in opened:
            transport.close()
        return {
            "requests": len(self.nanoseconds),
            "seconds": (ended - started) / 1e9,
            "cpuSeconds": (time.process_time_ns() - cpu) / 1e9,
            "microseconds": [spent // 1000 for spent in self.nanoseconds],
            "errors": len(self.errors),
            "firstError": self.errors[0] if self.errors else None,
        }


class Line(asyncio.Protocol):
    """One kept-alive connection with one request under way."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._received = b""
        self._sent = 0
        self._is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._write = cast(asyncio.Transport, transport).write

    def send(self) -> None:
        self._is_open = True
        self._received = b""
        request = next(self._load.requests, None)
        if request is None:
            self._rest()
            return
        if self._load.is_fresh:
            request = freshened(request)
        self._sent = time.perf_counter_ns()
        self._write(request)

    def data_received(self, data: bytes) -> None:
        received = self._received + data if self._received else data
        try:
            head = read_head(received)
        except ValueError as error:
            self._fail(str(error))
            return
        if head is None or len(received) < head[1]:
            self._received = received
            return
        now = time.perf_counter_ns()
        load = self._load
        load.nanoseconds.append(now - self._sent)
        if not 200 <= head[0] < 300:
            load.errors.append(f"{head[0]}: {received[-300:]!r}")
        if now < load.deadline:
            self.send()
        else:
            self._rest()

    def connection_lost(self, error: Exception | None) -> None:
        if self._is_open:
            self._fail(f"The connection was lost: {error}")

    def _fail(self, why: str) -> None:
        self._load.errors.append(why)
        self._rest()

    def _rest(self) -> None:
        if self._is_open:
            self._is_open = False
            self._load.busy -= 1
            if self._load.busy == 0:
                self._load.all_done.set()


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        def measure(question: dict[str, Any]) -> dict[str, Any]:
            requests = [request.encode("latin-1") for request in question["requests"]]
            load = Load(requests, question["seconds"], once=question["once"])
            return runner.run(load.run(question["port"], question["connections"]))

        answer_questions(measure)


if __name__ == "__main__":
    main()
