"""GET /signals with updatedSince: who passes on the latest updatedAt received never misses a change."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

import asyncpg
import pytest

from tests.signals.conftest import Json, listed, walked
from tests.signals.test_creating import create
from tests.waiting import linger, next_moment
from tests.world import World

WRITERS = 8
SLOW = "UPDATE signals SET name = $3, updated_at = $4, version = version + 1 WHERE workspace_id = $1 AND id = $2"


@dataclass
class Follower:
    """A copy of the signals, kept by asking for what changed since the latest change that is known."""

    world: World
    since: str = "2000-01-01"
    copy: dict[str, Json] = field(default_factory=dict)

    async def ask(self) -> None:
        """One round, by Link over as many pages as there are."""
        address: str | None = f"/signals?limit=7&updatedSince={self.since}"
        while address:
            answer = await self.world.client.get(address)
            for signal in answer.json():
                self.copy[signal["id"]] = signal
                self.since = max(self.since, signal["updatedAt"])
            link = answer.headers.get("link")
            address = link and link.removeprefix("<").partition(">")[0]


async def write_at_random(world: World, made: list[Json], dice: Random, writes: int) -> None:
    for n in range(writes):
        signal = dice.choice(made)
        match dice.randrange(4):
            case 0:
                made.append(await create(world, text=f"New {n}"))
            case 1:
                await world.client.patch(f"/signals/{signal['id']}", json={"name": f"Renamed {dice.random()}"})
            case 2:
                await world.client.post(f"/signals/{signal['id']}/process")
            case _:
                async with world.database.transaction() as tx:
                    await linger(dice, 0.05)
                    await tx.connection.execute(
                        SLOW, world.workspace_id, UUID(signal["id"]), f"Slow {dice.random()}", tx.now
                    )
                    await linger(dice, 0.05)


async def follow_while_others_write(world: World, writes: int) -> None:
    made = [await create(world, text=f"Old {n}") for n in range(20)]
    follower, rounds, world.is_patient = Follower(world), 0, False
    writing = asyncio.gather(*(write_at_random(world, made, Random(n), writes) for n in range(WRITERS)))
    while not writing.done():
        await follower.ask()
        rounds += 1
    await writing
    world.is_patient = True
    await follower.ask()
    assert rounds > 3
    assert follower.copy == {signal["id"]: signal for signal in await walked(world.client, {"limit": 100})}


async def test_a_copy_of_many_writes_ends_complete(world: World) -> None:
    await follow_while_others_write(world, writes=12)


@pytest.mark.torture
async def test_a_copy_misses_nothing_during_long_writing(world: World) -> None:
    for _ in range(5):
        await follow_while_others_write(world, writes=150)


async def names(world: World, **query: str) -> list[str]:
    return [signal["name"] for signal in await listed(world.client, **query)]


async def test_a_later_change_is_listed_only_when_no_earlier_one_is_open(world: World) -> None:
    slow, quick = await create(world, text="Slow"), await create(world, text="Quick")
    since = quick["updatedAt"]
    await next_moment()
    async with world.database.transaction() as tx:
        await next_moment()
        await world.client.patch(f"/signals/{quick['id']}", json={"name": "Changed"})
        assert "Changed" not in await names(world, updatedSince=since)
        assert "Changed" in await names(world)
        await tx.connection.execute(SLOW, world.workspace_id, UUID(slow["id"]), "Slow", tx.now)
        answer = await world.client.get("/signals", params={"updatedSince": since})
        assert int(answer.headers["x-total-count"]) == len(answer.json())
    assert (await names(world, updatedSince=since))[-2:] == ["Slow", "Changed"]


async def test_a_transaction_under_the_name_of_a_pooler_delays_later_changes(world: World, database_url: str) -> None:
    since = (await create(world, text="Before"))["updatedAt"]
    pooled = await asyncpg.connect(database_url, server_settings={"application_name": "acme - 10.0.0.7:5000"})
    try:
        async with pooled.transaction():
            await create(world, text="Then", name="Then")
            assert "Then" not in await names(world, updatedSince=since)
        assert "Then" in await names(world, updatedSince=since)
    finally:
        await pooled.close()


async def test_an_open_write_delays_later_changes(world: World, database_url: str) -> None:
    since = (await create(world, text="Before"))["updatedAt"]
    stranger = await asyncpg.connect(database_url, server_settings={"application_name": "psql"})
    try:
        async with stranger.transaction():
            await stranger.execute("UPDATE accounts SET name = name")
            await stranger.execute("SELECT pg_current_xact_id()")
            await next_moment()
            await create(world, text="Then", name="Then")
            assert "Then" not in await names(world, updatedSince=since)
        assert "Then" in await names(world, updatedSince=since)
    finally:
        await stranger.close()


async def test_an_insight_that_loses_a_quote_changes_with_the_deletion_whatever_is_added_to_the_clock(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals = [{"key": key, "name": key, "rawData": {"text": "Slow export."}} for key in ("gone", "kept")]
    quoting = {"key": "i", "title": "Slow", "category": "problem", "extracts": [{"text": "Slow", "signal": "gone"}]}
    await world.add(signals=signals, insights=[quoting])
    monkeypatch.setattr(world.database.clock, "offset", timedelta(days=1))
    await world.add(signals=signals[1:], prune=["signals"])
    [insight] = (await world.client.get("/insights")).json()
    async with world.database.autocommit() as tx:
        deleted_at = await tx.connection.fetchval("SELECT max(at) FROM changes WHERE kind = 'signal'")
    assert (insight["extracts"], datetime.fromisoformat(insight["updatedAt"])) == (None, deleted_at)


async def test_equal_times_are_in_the_order_of_ids_and_the_boundary_is_included(world: World) -> None:
    at = "2021-05-01T00:00:00.001Z"
    await world.add_earlier(signals=[{"key": f"s{n}", "name": f"S{n}", "updatedAt": at} for n in range(9)])
    found = [signal["id"] for signal in await listed(world.client, updatedSince=at)]
    assert found == sorted(found)
    assert len(found) == 9
    assert await listed(world.client, updatedSince="2021-05-01T00:00:00.002Z") == []
