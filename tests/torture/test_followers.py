"""Copies of every feed, while everything writes and processes are killed, end equal to the server."""

import asyncio
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.client import HTTPException
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.cli.command import Serving, serving
from tests.docs.test_sync import program
from tests.platform.embedded_world import open_place
from tests.torture.test_kills import Blow, kill, kill_all, kill_api_process, kill_database
from tests.torture.writers import KEYS, WRITERS, Json, Place, furnish, until_done, write_everything, write_late
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

# By list: its kind in /deletions, and what a record shows that moves no `updatedAt`.
FEEDS: dict[str, tuple[str, set[str]]] = {
    "ideas": ("idea", {"voteCount", "opportunityIds"}),
    "initiatives": ("initiative", set()),
    "signals": ("signal", {"insightIds", "initiativeIds", "studyIds"}),
    "insights": ("insight", {"similarInsightIds"}),
    "accounts": ("account", set()),
    "opportunities": ("opportunity", {"ideaIds"}),
    "studies/feedback": ("feedback", {"study", "initiativeIds", "ideaIds"}),
}
WAYS = {"apply", "named", "import", "portal", "slow", "POST ideas", "DELETE ideas"}  # to write, each at least once
LARGE_PAGES = "insights"
PAGE = 7
MIB = 1024 * 1024
GuideCopy: Any = program()["Copy"]


class Follower(GuideCopy):  # type: ignore[misc]  # a program of a guide has no types
    """The guide's program, with short pages but for the large ones. One that pauses does so between any two pages."""

    def __init__(self, place: Place, name: str, pause: float) -> None:
        super().__init__(f"{place.address}/api/external/v1", place.key, name, FEEDS[name][0])
        self.pause, self.rounds, self.dice = pause, 0, Random(name)

    def pages(self, address: str) -> Iterator[Json]:
        limit = 40 if self.list == LARGE_PAGES else PAGE
        for n, record in enumerate(super().pages(address.replace("limit=100", f"limit={limit}"))):
            if n % limit == limit - 1:
                time.sleep(self.dice.random() * self.pause)
            yield record

    def follow_until(self, done: asyncio.Event) -> None:
        """A round that the end of a process cuts short is begun again where it came to."""
        while not done.is_set():
            try:
                self.follow()
                self.rounds += 1
            except HTTPError as error:
                if error.code != 503:
                    raise
            except (OSError, HTTPException, ValueError):
                pass
            time.sleep(0.05 + self.dice.random() * self.pause)


def kill_worker(server: Serving, data: Path) -> None:
    kill(server.workers())


async def wait_for_writes(place: Place, more: int) -> None:
    enough = sum(place.written.values()) + more
    await asyncio.to_thread(wait_until, lambda: sum(place.written.values()) >= enough, 180)


async def wait_for_every_way(place: Place) -> None:
    await asyncio.to_thread(wait_until, lambda: place.written.keys() >= WAYS, 180)


async def everything(place: Place, name: str) -> tuple[dict[str, Json], int]:
    """The list as the server shows it without `updatedSince`, and the bytes of its largest page."""
    found, largest, address = dict[str, Json](), 0, f"/{name}?limit=100"
    async with place.client() as client:
        while address:
            answer = await client.get(address)
            assert answer.status_code == 200, answer.text
            found |= {one["id"]: one for one in answer.json()}
            largest = max(largest, len(answer.content))
            address = answer.links.get("next", {}).get("url", "")
    return found, largest


async def compare(place: Place, followers: list[Follower]) -> None:
    """Waits for the worker to come to rest: what is missing then stays missing."""
    different: list[str] = []
    for _ in range(30):
        await asyncio.gather(*(asyncio.to_thread(follower.follow) for follower in followers))
        different = []
        for name in FEEDS:
            there, largest = await everything(place, name)
            assert there, name
            assert name != LARGE_PAGES or largest > MIB
            for follower in (one for one in followers if one.list == name):
                different += differences(follower, there)
        if not different:
            return
        await asyncio.sleep(1)
    raise AssertionError("\n".join(different[:20]))


def differences(follower: Follower, there: dict[str, Json]) -> Iterator[str]:
    hidden = FEEDS[follower.list][1]
    for id in there.keys() | follower.records.keys():
        copy, other = follower.records.get(id, {}), there.get(id, {})
        fields = {field for field in copy.keys() | other.keys() if copy.get(field) != other.get(field)} - hidden
        if fields:
            states = f"{copy.get('updatedAt')} here, {other.get('updatedAt')} there"
            yield f"{follower.list} {id}, pause {follower.pause}: {states}: {sorted(fields)}"


async def strike(place: Place, server: Serving, blows: Iterator[Blow], between: int) -> bool:
    """Blow after blow; returns True if the last one ended the whole server."""
    for blow in blows:
        await wait_for_writes(place, between)
        blow(server, place.data)
        if blow is kill_all:
            return True
    await wait_for_writes(place, between)
    return False


async def follow_through(blows: list[Blow], between: int) -> None:
    with open_place() as folder, many_threads():
        place = await asyncio.to_thread(furnish, folder)
        port = free_port()
        place.address = f"http://127.0.0.1:{port}"
        followers = [Follower(place, name, pause) for name in FEEDS for pause in (0, 0, 2)]
        left, working = iter(blows), list[asyncio.Task[None]]()
        try:
            for n in count():
                words = ("serve", "--data-dir", place.data, "--workers", "2")
                with serving(folder / f"log-{n}", *words, PORT=str(port), PORTAL_LIMIT="no") as server:
                    await asyncio.to_thread(server.wait_ready)
                    working = working or start(place, followers)
                    if await strike(place, server, left, between):
                        continue
                    await wait_for_every_way(place)
                    place.done.set()
                    await asyncio.to_thread(write_everything, place)  # so that there are records to change late
                    late = await write_late(place, Random(0), partial(pass_by, place, followers))
                    assert late, "no record was left for the late write"
                    await delete_last(place)
                    place.closed.set()
                    await asyncio.gather(*working)
                    await compare(place, followers)
                    break
        finally:
            place.done.set()
            place.closed.set()
        assert min(one.rounds for one in followers) >= 2
        assert all(one.deleted > "1970-01-01" for one in followers if one.list in ("ideas", "signals"))


@contextmanager
def many_threads() -> Iterator[None]:
    """Lets each follower have a thread; the tests after this one have the same loop and others."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(32) as threads:
        loop.set_default_executor(threads)
        try:
            yield
        finally:
            loop.set_default_executor(ThreadPoolExecutor())


async def pass_by(place: Place, followers: list[Follower]) -> None:
    """The end of all writing but one: followers go round twice more, past the time at which that one started."""
    await asyncio.to_thread(write_everything, place, KEYS // 2)
    quick = {one: one.rounds + 2 for one in followers if not one.pause}
    await asyncio.to_thread(wait_until, lambda: all(one.rounds >= rounds for one, rounds in quick.items()), 180)


async def delete_last(place: Place) -> None:
    """An idea and a signal that nothing creates again."""
    async with place.client() as client:
        for name in ("ideas", "signals"):
            [record] = (await client.get(f"/{name}", params={"limit": 1})).json()
            answer = await client.delete(f"/{name}/{record['id']}")
            assert answer.status_code == 200, answer.text


def free_port() -> int:
    """One port for all starts of the server, since each `Link` names it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def start(place: Place, followers: list[Follower]) -> list[asyncio.Task[None]]:
    writing = [until_done(write, place, Random(n)) for n, write in enumerate(WRITERS)]
    following = [asyncio.to_thread(one.follow_until, place.closed) for one in followers]
    return [asyncio.create_task(one) for one in (*writing, *following)]


async def test_copies_miss_nothing_while_everything_writes() -> None:
    await follow_through([kill_api_process, kill_database, kill_worker, kill_all], between=40)


@pytest.mark.torture
async def test_copies_miss_nothing_through_many_kills() -> None:
    await follow_through([kill_api_process, kill_database, kill_worker, kill_all] * 3, between=150)
