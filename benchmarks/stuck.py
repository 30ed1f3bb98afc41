"""Clients that request the largest pages and do not read them: what do they cost the server?"""

import asyncio
import socket

from benchmarks.client import ask
from benchmarks.operations import call
from benchmarks.stage import Stage

CLIENTS = 8
TEXT = "a b " * (7 * 1024 * 1024 // 4)  # of each signal; a body has at most 8 MiB
SECONDS = 3.0  # until the server has sent what fits, and waits
BUFFER = 64 * 1024


async def measure_stuck(stage: Stage) -> int | None:
    """Returns the megabytes that the largest process of the server grows by; None where it is not known.

    Each client requests a page with as many large signals as there are clients, and reads nothing.
    """
    for number in range(CLIENTS):
        body = {"data": {"text": f"{number} {TEXT}"}, "name": "Large"}
        await ask(stage.ours.port, call(stage.world, "POST", "signals", body))
    before = stage.ours.resident_megabytes()
    page = call(stage.world, "GET", f"signals?limit={CLIENTS}")
    clients = [_connect(stage.ours.port) for _ in range(CLIENTS)]
    try:
        for client in clients:
            client.sendall(page)
        await asyncio.sleep(SECONDS)
        after = stage.ours.resident_megabytes()
    finally:
        for client in clients:
            client.close()
    return None if before is None or after is None else after - before


def _connect(port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    client.connect(("127.0.0.1", port))
    return client
