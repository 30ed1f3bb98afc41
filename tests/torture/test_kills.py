"""A server that is killed while it writes: what was acknowledged is there, whole, once; and nothing half is."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.cli.command import Serving, run, serving
from tests.platform.embedded_world import kill_postmaster, open_place
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

WRITERS = 6
OWNER = {"key": "ada", "email": "ada@acme.test", "name": "Ada", "role": "owner"}
FILE = {
    "workspace": {"slug": "acme", "name": "Acme"},
    "members": [OWNER],
    "products": [{"key": "app", "name": "App", "features": [{"key": "export", "name": "CSV export"}]}],
    "insights": [{"key": "slow", "title": "Exports are slow", "category": "problem"}],
}
HALF = {
    "an idea without its line in the trail": "SELECT count(*) FROM ideas i WHERE NOT EXISTS (SELECT FROM changes c"
    " WHERE c.record_id = i.id AND c.action = 'created')",
    "a line in the trail without its idea": "SELECT count(*) FROM changes c WHERE kind = 'idea' AND action = 'created'"
    " AND NOT EXISTS (SELECT FROM ideas i WHERE i.id = c.record_id)",
    "an idea without its links": "SELECT count(*) FROM ideas i WHERE NOT EXISTS (SELECT FROM idea_insights l"
    " WHERE l.idea_id = i.id) OR NOT EXISTS (SELECT FROM idea_features l WHERE l.idea_id = i.id)",
    "an array that is not its links": "SELECT count(*) FROM ideas i WHERE insight_ids <> ARRAY(SELECT insight_id FROM"
    " idea_insights l WHERE l.idea_id = i.id ORDER BY link) OR feature_ids <> ARRAY(SELECT feature_id FROM"
    " idea_features l WHERE l.idea_id = i.id ORDER BY link)",
    "a count that is wrong": "SELECT abs((SELECT count(*) FROM ideas) - (SELECT coalesce(sum(count), 0)::bigint FROM"
    " record_counts WHERE kind = 'idea'))",
    "a number used twice": "SELECT count(*) - count(DISTINCT number) FROM ideas",
    "a number that will come again": "SELECT count(*) FROM ideas JOIN public_numbers ON kind = 'idea'"
    " WHERE number > last",
}


@dataclass
class Writers:
    """Threads that create one idea after the other and note what was acknowledged, from wherever the server is."""

    key: str
    insight: str
    product: str
    address: str = ""
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    turns: Iterator[int] = field(default_factory=count)

    def write(self) -> None:
        """Who gets no answer does not know whether it was stored, and sends the same again."""
        with httpx2.Client(headers={"Authorization": f"Bearer {self.key}"}, timeout=10, verify=False) as client:
            while not self.done.is_set():
                name = f"x-{next(self.turns)}"
                while not self.done.is_set() and not self._send(client, name):
                    self.done.wait(0.02)

    def _send(self, client: httpx2.Client, name: str) -> bool:
        body = {
            "description": f"{name} wants a CSV export.",
            "sourceKey": "torture",
            "externalId": name,
            "productId": self.product,
            "insightIds": [self.insight],
        }
        try:
            answer = client.post(f"{self.address}/api/external/v1/ideas", json=body)
        except httpx2.TransportError:
            return False
        if answer.status_code == 201:
            self.acknowledged[name] = answer.json()
        elif answer.status_code != 503:
            self.faults.append(answer.text)
        return answer.status_code == 201


def acknowledge(writers: Writers, more: int) -> None:
    """Waits until so many more ideas are acknowledged."""
    before = len(writers.acknowledged)
    wait_until(lambda: len(writers.acknowledged) >= before + more or writers.faults, 60)
    assert writers.faults == []


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_api_process(server: Serving, data: Path) -> None:
    kill(server.children())


def kill_database(server: Serving, data: Path) -> None:
    kill_postmaster(data)


def kill_all(server: Serving, data: Path) -> None:
    kill([server.process.pid, *server.children()])
    kill_postmaster(data)
    server.process.wait()


Blow = Callable[[Serving, Path], None]


async def look_at_all(writers: Writers, data: Path, ends: int) -> None:
    """Through the API and in the database. What was not acknowledged at an end may be there: once, and whole."""
    url = f"postgresql://sightline@/sightline?host={(data / 'postgres').resolve()}&port=5432"
    connection = await asyncpg.connect(url)
    try:
        for what, statement in HALF.items():
            assert await connection.fetchval(statement) == 0, what
        rows = await connection.fetch("SELECT external_id, id::text FROM ideas")
    finally:
        await connection.close()
    stored = {row["external_id"]: row["id"] for row in rows}
    assert {name: idea["id"] for name, idea in writers.acknowledged.items()}.items() <= stored.items()
    assert len(stored) - len(writers.acknowledged) <= WRITERS * ends
    headers = {"Authorization": f"Bearer {writers.key}"}
    base = f"{writers.address}/api/external/v1"
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=30, verify=False) as client:
        listed: dict[str, Any] = {}
        while True:
            page = await client.get("/ideas", params={"limit": 100, "offset": len(listed)})
            listed |= {idea["externalId"]: idea for idea in page.json()}
            if page.headers["x-has-more"] == "false":
                break
        assert len(listed) == int(page.headers["x-total-count"]) == len(stored)
        assert {name: listed[name] for name in writers.acknowledged} == writers.acknowledged


def prepare(data: Path) -> Writers:
    """An empty database with the workspace, before anything serves."""
    file = data.parent / "acme.json"
    file.write_text(json.dumps(FILE))
    ids = run("workspace", "apply", file, "--json", DATA_DIR=str(data)).json["ids"]
    words = ("--workspace", "acme", "--name", "torture", "--scopes", "all", "--member", OWNER["email"], "--json")
    key = run("keys", "create", *words, DATA_DIR=str(data)).json["key"]
    return Writers(key, insight=ids["insights"]["slow"], product=ids["products"]["app"])


def strike(
    server: Serving, data: Path, writers: Writers, blow: Blow | None, left: Iterator[Blow | None], between: int
) -> Blow | None:
    """Blow after blow while writers write, until one ends the whole server; which comes next."""
    while blow is not None:
        acknowledge(writers, between)
        blow(server, data)
        ended, blow = blow is kill_all, next(left)
        if ended:
            return blow
    acknowledge(writers, between)
    return None


async def survive(blows: list[Blow], between: int) -> None:
    """Strikes while writers write, and looks at everything after each blow that ended the whole server."""
    with open_place() as place, ThreadPoolExecutor(WRITERS) as threads:
        data = place / "data"
        writers = prepare(data)
        left = iter([*blows, None])
        blow = next(left)
        for n in count():
            with serving(place / f"log-{n}", "serve", "--data-dir", data) as server:
                writers.address = server.wait_ready()
                if n:
                    writers.done.clear()
                    await look_at_all(writers, data, ends=n)
                if blow is None:
                    break
                running = [threads.submit(writers.write) for _ in range(WRITERS)]
                try:
                    blow = strike(server, data, writers, blow, left, between)
                finally:
                    writers.done.set()
                for each in running:
                    each.result()
        assert writers.faults == []
        assert len(writers.acknowledged) >= between * len(blows)


async def test_acknowledged_writes_survive_the_end_of_all_processes() -> None:
    await survive([kill_all], between=30)


@pytest.mark.torture
@pytest.mark.parametrize("blow", [kill_api_process, kill_database, kill_all], ids=lambda blow: blow.__name__)
async def test_acknowledged_writes_survive_repeated_kills(blow: Blow) -> None:
    await survive([blow] * 5 + [kill_all], between=200)


@pytest.mark.torture
async def test_acknowledged_writes_survive_kills_of_all_kinds() -> None:
    await survive([kill_api_process, kill_database, kill_all] * 4, between=200)
