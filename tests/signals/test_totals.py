"""X-Total-Count of signals: exact on every page, also during writes, and counted again only after a change."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest

from sightline.platform.db import Row, Tx, Window
from sightline.platform.lists.totals import Totals
from sightline.signals import queries
from sightline.signals.records import Signal, SignalFilters
from tests.world import World

FAILED = SignalFilters(status=("failed",))
ADD = """
INSERT INTO signals (workspace_id, id, number, name, status, context, processor_type, provider_type, evidence_kind,
                     analysis_profile, source_label, source_type, created_at, updated_at)
SELECT $1, gen_random_uuid(), n, 'S', 'failed', 'other', 'text', 'api', 'note', 'none', 'Api', 'api', now(), now()
  FROM generate_series($2::bigint, $3::bigint) AS n"""


async def as_nothing(tx: Tx, rows: Sequence[Row]) -> list[Signal]:
    return []


async def total(world: World, filters: SignalFilters, totals: Totals) -> int:
    async with world.database.autocommit() as tx:
        return (await queries.page_of_signals(tx, totals, world.workspace_id, filters, Window(1), as_nothing)).total


async def add(world: World, first: int, last: int) -> None:
    async with world.database.autocommit() as tx:
        await tx.connection.execute(ADD, world.workspace_id, first, last)


async def test_a_total_is_kept_until_something_moves(world: World) -> None:
    await add(world, 1, 3)
    totals = Totals()
    assert await total(world, FAILED, totals) == 3
    [key] = totals
    totals[key] = totals[key][0], 4711
    assert await total(world, FAILED, totals) == 4711
    await add(world, 4, 4)
    assert await total(world, FAILED, totals) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE signals SET status = 'processed' WHERE workspace_id = $1 AND number = 1",
        "DELETE FROM signals WHERE workspace_id = $1 AND number = 1",
    ],
)
async def test_every_kind_of_write_moves_it(world: World, statement: str) -> None:
    await add(world, 1, 3)
    totals = Totals()
    assert await total(world, FAILED, totals) == 3
    async with world.database.autocommit() as tx:
        await tx.connection.execute(statement, world.workspace_id)
    assert await total(world, FAILED, totals) == 2


async def test_links_move_what_is_filtered_by_them(world: World) -> None:
    accounts = [{"key": "globex", "name": "Globex"}, {"key": "hooli", "name": "Hooli"}]
    await world.add(accounts=accounts, signals=[{"key": "call", "name": "Call"}])
    ids, totals = await world.ids("accounts"), Totals()
    filters = SignalFilters(account_id=(UUID(ids["globex"]),))  # type: ignore[arg-type]  # an Id is read as a UUID
    assert await total(world, filters, totals) == 0
    await world.add(insights=[{"key": "slow", "title": "Slow", "accounts": ["globex"], "signals": ["call"]}])
    assert await total(world, filters, totals) == 1
    await world.add(insights=[{"key": "slow", "accounts": ["hooli"]}])
    assert await total(world, filters, totals) == 0
    await world.add(signals=[{"key": "call", "account": "globex"}])
    assert await total(world, filters, totals) == 1


async def test_what_is_not_committed_does_not_count_and_counts_once_it_is(world: World) -> None:
    await add(world, 1, 2)
    totals = Totals()
    async with world.database.transaction() as tx:
        await tx.connection.execute(ADD, world.workspace_id, 3, 5)
        assert await total(world, FAILED, totals) == 2
        await add(world, 6, 6)
        assert await total(world, FAILED, totals) == 3
    assert await total(world, FAILED, totals) == 6


async def test_writers_do_not_wait_for_each_other(world: World) -> None:
    """Each takes a place of its own to say that something moved."""
    async with world.database.transaction() as first, world.database.transaction() as second:
        await asyncio.wait_for(first.connection.execute(ADD, world.workspace_id, 1, 1), 5)
        await asyncio.wait_for(second.connection.execute(ADD, world.workspace_id, 2, 2), 5)
    assert await total(world, FAILED, Totals()) == 2


async def test_a_total_during_writes_is_between_those_before_and_after(world: World) -> None:
    """Totals only grow here, so each has to lie between what was there before and what is there after it was asked."""
    totals, done = Totals(), 0

    async def write(worker: int) -> None:
        nonlocal done
        for n in range(12):
            await add(world, 100 * worker + n, 100 * worker + n)
            done += 1

    writing = asyncio.gather(*(write(worker) for worker in range(6)))
    seen = 0
    while not writing.done():
        at_least = done
        found = await total(world, FAILED, totals)
        assert max(seen, at_least) <= found <= 72
        seen = found
    await writing
    assert await total(world, FAILED, totals) == 72


@pytest.mark.slow
async def test_an_empty_page_at_the_end_counts_no_row_that_was_added_after_it(world: World) -> None:
    await world.add(accounts=[{"key": "globex", "name": "Globex"}])
    account = (await world.ids("accounts"))["globex"]
    reading = True

    async def come_and_go() -> None:
        while reading:
            made = await world.client.post("/signals", json={"text": "Slow.", "accountIds": [account]})
            await world.client.delete(f"/signals/{made.json()['id']}")

    writing = asyncio.create_task(come_and_go())
    for _ in range(150):
        pages = await asyncio.gather(*(world.client.get("/signals", params={"accountId": account}) for _ in range(4)))
        for page in pages:
            assert page.headers["x-total-count"] == str(len(page.json()))
    reading = False
    await writing


async def test_only_the_totals_that_were_read_last_are_kept(world: World) -> None:
    totals = Totals(most=2)
    one, two, three = (SignalFilters(external_id=name) for name in ("one", "two", "three"))
    for filters in (one, two):
        await total(world, filters, totals)
    key_of_one, key_of_two = totals
    await total(world, one, totals)
    assert list(totals) == [key_of_two, key_of_one]
    await total(world, three, totals)
    assert len(totals) == 2
    assert key_of_one in totals


async def test_a_long_filter_takes_no_more_of_the_cache_than_a_short_one(world: World) -> None:
    totals = Totals()
    for length in (1, 100_000):
        await total(world, SignalFilters(external_id="x" * length), totals)
    assert {len(key) for key in totals} == {16}
    assert totals.most * 384 <= 8 * 1024 * 1024
