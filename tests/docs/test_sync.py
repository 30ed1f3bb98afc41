"""The program of docs/guide/sync.md: its copy ends equal to the workspace, also during writes."""

import asyncio
import re
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.signals.processing.jobs import process_signal
from tests.waiting import linger
from tests.world import API, World

PAGE = Path(__file__).parents[2] / "docs/guide/sync.md"
Json = dict[str, Any]

SLOW = """
UPDATE signals SET name = $3, updated_at = $4, version = version + 1 WHERE workspace_id = $1 AND id = $2"""
WRITERS = 6


def program() -> dict[str, Any]:
    """What the page's only Python block defines."""
    [code] = re.findall(r"^```python\n(.*?)^```\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 31
    defined: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), defined)  # noqa: S102 - our own page
    return defined


async def everything(world: World) -> dict[str, Json]:
    found: dict[str, Json] = {}
    address: str | None = "/signals?limit=100"
    while address:
        answer = await world.client.get(address)
        found |= {signal["id"]: signal for signal in answer.json()}
        link = answer.headers.get("link")
        address = link and link.removeprefix("<").partition(">")[0]
    return found


async def write_at_random(world: World, known: list[str], dice: Random, count: int) -> None:
    for n in range(count):
        id = dice.choice(known) if known else None
        match dice.randrange(6):
            case 0 | 1:
                made = await world.client.post("/signals", json={"text": f"It is too slow, {dice.random()}."})
                known.append(made.json()["id"])
            case 2 if id:
                await world.client.patch(f"/signals/{id}", json={"name": f"Renamed {n}"})
            case 3 if id:
                await process_signal(world.database, {EmbeddedEngine: embedded_engine()}, world.workspace_id, UUID(id))
            case 4 if id:
                await world.client.delete(f"/signals/{id}")
            case 5 if id:
                async with world.database.transaction() as tx:
                    await linger(dice, 0.05)
                    await tx.connection.execute(SLOW, world.workspace_id, UUID(id), f"Slow {n}", tx.now)
                    await linger(dice, 0.05)


async def follow_while_others_write(world: World, count: int) -> None:
    copy = program()["Copy"](f"{world.address}{API}", await world.key("signals:read"))
    known: list[str] = []
    writing = asyncio.gather(*(write_at_random(world, known, Random(n), count) for n in range(WRITERS)))
    rounds = 0
    while not writing.done():
        await asyncio.to_thread(copy.follow)
        rounds += 1
    await writing
    await asyncio.to_thread(copy.follow)
    assert rounds > 3
    assert copy.deleted > "1970-01-01"
    there = await everything(world)
    assert len(there) > 3
    assert copy.records == there


async def test_the_copy_ends_equal_while_others_write(world: World) -> None:
    await follow_while_others_write(world, count=20)


async def test_the_copy_follows_all_pages(world: World) -> None:
    then = "2026-01-01T00:00:00Z"
    await world.add(signals=[{"key": f"s{n}", "name": f"S{n}", "createdAt": then} for n in range(250)])
    copy = program()["Copy"](f"{world.address}{API}", await world.key("signals:read"))
    await asyncio.to_thread(copy.follow)
    assert copy.records == await everything(world)
    await world.add(signals=[{"key": "old", "name": "Old", "createdAt": then, "updatedAt": then}])
    await asyncio.to_thread(copy.follow)
    assert copy.records == await everything(world)
    await world.add(signals=[{"key": "s0", "name": "Kept"}], prune=["signals"])
    await asyncio.to_thread(copy.follow)
    assert [signal["name"] for signal in copy.records.values()] == ["Kept"]


@pytest.mark.torture
async def test_the_copy_ends_equal_after_long_writing(world: World) -> None:
    for _ in range(6):
        await follow_while_others_write(world, count=150)
