"""A database that does not answer any more: requests are refused in time, and answered again when it comes back."""

import asyncio
import os
import time
from pathlib import Path

import httpx2
import pytest

from tests.cli.command import run, serving
from tests.platform.embedded_world import frozen, living
from tests.waiting import until, wait_until

pytestmark = pytest.mark.slow

SLACK = 3  # for a busy machine
REFUSED_SECONDS = 10
READY_SECONDS = 3


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    return (await timed(client, "GET", "/readyz"))[0] == 200


async def timed(client: httpx2.AsyncClient, method: str, path: str) -> tuple[int, float]:
    """Status and seconds."""
    begin = time.monotonic()
    body = {"description": "Export any table."} if method == "POST" else None
    answer = await client.request(method, path, json=body)
    return answer.status_code, time.monotonic() - begin


async def ask_frozen(address: str, key: str, other_key: str, data: Path) -> None:
    """More requests at once than the pool has connections; then again, when the first have given theirs back.

    Some have a key that was not used before.
    """
    api = "/api/external/v1"
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(base_url=address, headers=headers, timeout=120, verify=False) as client,
        httpx2.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {other_key}"}, timeout=30) as stranger,
    ):
        assert (await timed(client, "GET", f"{api}/ideas"))[0] == 200
        with frozen(data):
            for _ in range(2):
                asked = [timed(client, *what) for what in 15 * [("GET", f"{api}/ideas"), ("POST", f"{api}/ideas")]]
                probes = [timed(client, "GET", path) for path in ("/readyz", "/readyz", "/metrics")]
                asked += [timed(stranger, "GET", f"{api}/ideas") for _ in range(6)]
                first, *others = await asyncio.gather(*probes, *asked)
                assert {status for status, _ in others[2:]} == {503}
                assert max(seconds for _, seconds in others) < REFUSED_SECONDS * SLACK
                for (status, seconds), expected in zip((first, *others[:2]), (503, 503, 200), strict=True):
                    assert status == expected
                    assert seconds < READY_SECONDS * SLACK
        await until(lambda: _is_ready(client), 20)
        for _ in range(15):
            assert (await timed(client, "GET", f"{api}/ideas"))[0] == 200
            assert (await timed(client, "POST", f"{api}/ideas"))[0] == 201


def test_a_frozen_database_is_refused_in_time_and_used_again_afterwards(place: Path) -> None:
    data = place / "data"
    words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
    with serving(place / "log", "serve", "--no-worker", "--data-dir", data) as server:
        address = server.wait_ready()
        key = run(*words, DATA_DIR=str(data)).json["key"]
        more = ("keys", "create", "--workspace", "acme", "--name", "Other", "--scopes", "all", "--json")
        asyncio.run(ask_frozen(address, key, run(*more, DATA_DIR=str(data)).json["key"], data))
        [child] = server.children()
        wait_until(lambda: sockets_of(child) < 40)  # neither sessions nor the driver's cancellations are left behind


def sockets_of(pid: int) -> int:
    return sum(os.readlink(file).startswith("socket:") for file in Path(f"/proc/{pid}/fd").iterdir())


def test_a_server_whose_database_is_frozen_stops_in_time(place: Path) -> None:
    data = place / "data"
    with serving(place / "log", "serve", "--data-dir", data) as server:
        server.wait_ready()
        with frozen(data):
            begin = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - begin < 20
        assert living(data) == set()
        assert "Traceback" not in server.said
