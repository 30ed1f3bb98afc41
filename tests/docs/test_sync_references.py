"""A copy learns that a record lost what it named, also where a record is there again under the deleted one's id."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.worker import jobs_of_rooms
from tests.docs.test_sync import program
from tests.torture.test_followers import FEEDS
from tests.waiting import next_moment, until, until_blocked
from tests.world import API, World

Json = dict[str, Any]

ACCOUNT: Json = {"key": "a", "id": "11111111-1111-4111-8111-111111111111", "name": "A", "externalId": "before"}
INITIATIVE: Json = {
    "key": "n",
    "id": "11111111-1111-4111-8111-111111111112",
    "name": "N",
    "teams": ["t"],
    "product": "p",
}
PRODUCT: Json = {
    "key": "p",
    "id": "11111111-1111-4111-8111-111111111113",
    "name": "P",
    "features": [{"key": "f", "name": "Export tables as CSV"}],
}
TEAM: Json = {"key": "t", "name": "Before"}
INSIGHT: Json = {"key": "i", "title": "I", "category": "problem", "accounts": ["a"]}
SIGNAL: Json = {"name": "S", "rawData": {"text": "x"}, "account": "a", "accounts": ["a"], "integration": "crm"}
IDEA: Json = {
    "name": "D",
    "description": "Export tables as CSV.",
    "accounts": ["a"],
    "insights": ["i"],
    "product": "p",
    "features": ["f"],
    "initiative": "n",
    "integration": "crm",
}
RATING: Json = {
    "study": "s",
    "rating": 3,
    "metric": "value",
    "subject": {"type": "study", "id": "s"},
    "submittedAt": "2026-01-01",
    "account": "a",
}


def naming(suffix: str) -> Json:
    """Records that name others."""
    return {
        "signals": [{**SIGNAL, "key": f"s{suffix}", "externalId": suffix, "sourceKey": "x"}],
        "insights": [INSIGHT, {**INSIGHT, "key": f"i{suffix}", "signals": [f"s{suffix}"]}],
        "initiatives": [INITIATIVE, {"key": f"n{suffix}", "name": "N", "teams": ["t"], "product": "p"}],
        "ideas": [{**IDEA, "key": f"d{suffix}", "externalId": suffix}],
        "feedback": [{**RATING, "key": f"r{suffix}"}],
    }


@asynccontextmanager
async def copied(database: Database, served: str) -> AsyncIterator[tuple[World, dict[str, Any]]]:
    """A workspace and a copy of each feed. After the block the copies are compared with the workspace."""
    async with World(database, served) as world:
        await world.add(
            accounts=[ACCOUNT],
            teams=[TEAM],
            products=[PRODUCT],
            integrations=[{"key": "crm", "kind": "crm", "name": "CRM"}],
            studies=[{"key": "s", "name": "S"}],
            opportunities=[{"key": "o", "name": "O"}],
            **naming("first"),
        )
        await next_moment()
        await world.add(**naming("later"))  # what was written at the end of a round comes again in any case
        key, copy = await world.key("all"), program()["Copy"]
        copies = {name: copy(f"{world.address}{API}", key, name, kind) for name, (kind, _) in FEEDS.items()}
        await follow(copies)
        yield world, copies
        await next_moment()
        await follow(copies)
        for name, one in copies.items():
            there = {record["id"]: shown(name, record) for record in await listed(world, name)}
            assert {id: shown(name, record) for id, record in one.records.items()} == there, name


async def follow(copies: dict[str, Any]) -> None:
    for one in copies.values():
        await asyncio.to_thread(one.follow)


async def listed(world: World, name: str) -> list[Json]:
    records: list[Json] = (await world.client.get(f"/{name}?limit=100")).json()
    return records


def shown(name: str, record: Json) -> Json:
    return {field: value for field, value in record.items() if field not in FEEDS[name][1]}


@pytest.mark.parametrize("is_again", [False, True])
@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("accounts", [ACCOUNT]),
        ("initiatives", [INITIATIVE]),
        ("insights", []),
        ("integrations", []),
        ("products", [PRODUCT]),
        ("signals", []),
        ("teams", []),
    ],
)
async def test_records_change_with_the_deleted_ones_that_they_named(
    database: Database, served: str, name: str, records: list[Json], is_again: bool
) -> None:
    async with copied(database, served) as (world, _):
        without: Json = {name: [], "prune": [name]}
        await world.add(**without)
        if is_again:
            again: Json = {name: records}
            await world.add(**again)


async def test_ideas_change_with_the_deleted_features_of_their_product(database: Database, served: str) -> None:
    async with copied(database, served) as (world, _):
        await world.add(products=[{**PRODUCT, "features": []}], prune=["products.features"])
        assert [idea["featureIds"] for idea in await listed(world, "ideas")] == [[], []]


async def test_records_change_with_what_they_show_of_others(database: Database, served: str) -> None:
    async with copied(database, served) as (world, _):
        await world.add(teams=[{**TEAM, "name": "After"}], accounts=[{**ACCOUNT, "externalId": "after"}])
        assert {signal["accountExternalId"] for signal in await listed(world, "signals")} == {"after"}


@pytest.mark.parametrize("name", ["signals", "insights"])
async def test_records_change_with_those_that_the_api_deletes(database: Database, served: str, name: str) -> None:
    async with copied(database, served) as (world, _):
        for record in await listed(world, name):
            assert (await world.client.delete(f"/{name}/{record['id']}")).status_code in (200, 404)


async def test_the_time_and_the_version_move_once_by_the_clock_of_the_service(database: Database, served: str) -> None:
    async with World(database, served) as world:
        await world.add(accounts=[ACCOUNT], ideas=[{"key": "d", "name": "D", "description": "x", "accounts": ["a"]}])
        [idea] = await listed(world, "ideas")
        tag = (await world.client.get(f"/ideas/{idea['id']}")).headers["etag"]
        await world.add(accounts=[], prune=["accounts"])
        [gone] = (await world.client.get("/deletions?kind=account")).json()
        answer = await world.client.get(f"/ideas/{idea['id']}")
        assert answer.json()["updatedAt"] == gone["deletedAt"]
        assert answer.headers["etag"] != tag


LOCK_SIGNAL = "SELECT FROM signals WHERE workspace_id = $1 AND key = $2 FOR UPDATE"
WRITE_SIGNAL = """
INSERT INTO signals (workspace_id, id, number, key, name, status, context, processor_type, provider_type, evidence_kind,
                     analysis_profile, source_label, source_type, account_id, created_at, updated_at)
SELECT workspace_id, gen_random_uuid(), 90, 's-beside', name, status, context, processor_type, provider_type,
       evidence_kind, analysis_profile, source_label, source_type, account_id, now(), now()
  FROM signals WHERE workspace_id = $1 AND key = $2"""
MOMENTS = """
SELECT updated_at >= (SELECT max(updated_at) FROM accounts WHERE workspace_id = $1)
  FROM signals WHERE workspace_id = $1 AND key = 's-beside'"""


@pytest.mark.parametrize(("first", "last"), [("sfirst", "of-b"), ("of-b", "sfirst")])
async def test_what_is_committed_while_a_rename_is_changes_with_it(
    database: Database, served: str, first: str, last: str
) -> None:
    """In one of the two cases the rename has changed the signals of one account and waits for those of the other."""
    async with copied(database, served) as (world, _):
        await world.add(accounts=[{"key": "b", "name": "B", "externalId": "b"}])
        await world.add(signals=[{"key": "of-b", "name": "S", "account": "b"}])
        renamed = [ACCOUNT | {"externalId": "after"}, {"key": "b", "externalId": "b-after"}]
        async with database.transaction() as tx:
            await tx.connection.execute(LOCK_SIGNAL, world.workspace_id, last)
            async with database.transaction() as writing:
                await writing.connection.execute(WRITE_SIGNAL, world.workspace_id, first)
                await next_moment()
                renaming = asyncio.create_task(world.add(accounts=renamed))
                await until_blocked(database)
        await renaming
        async with database.autocommit() as reading:
            assert await reading.connection.fetchval(MOMENTS, world.workspace_id)


LOCK_INITIATIVE = "SELECT FROM initiatives WHERE workspace_id = $1 AND key = 'n-beside' FOR UPDATE"
WRITE_INITIATIVE = """
WITH added AS (
    INSERT INTO initiatives (workspace_id, id, number, key, name, status, created_at, updated_at)
    VALUES ($1, gen_random_uuid(), 90, 'n-beside', 'beside', 'PENDING', now(), now()) RETURNING id)
INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
SELECT $1, added.id, teams.id FROM added, teams WHERE workspace_id = $1"""


async def test_a_worker_follows_a_rename_if_the_command_ended_after_its_commit(database: Database, served: str) -> None:
    """Teams come before accounts in a file, so the initiatives have changed when it waits for a signal."""
    async with copied(database, served) as (world, copies):
        async with database.transaction() as beside:
            await beside.connection.execute(WRITE_INITIATIVE, world.workspace_id)
            await next_moment()
            await world.add(initiatives=[{"key": "later", "name": "N"}])
            await next_moment()
            async with database.transaction() as first:
                await first.connection.execute(LOCK_SIGNAL, world.workspace_id, "sfirst")
                files = world.add(teams=[TEAM | {"name": "After"}], accounts=[ACCOUNT | {"externalId": "after"}])
                renaming = asyncio.create_task(files)
                await until_blocked(database)
                await beside.connection.execute("COMMIT AND CHAIN")
                await follow(copies)
                assert "beside" in {one["name"] for one in copies["initiatives"].records.values()}
                await beside.connection.execute(LOCK_INITIATIVE, world.workspace_id)
            await until(lambda: is_renamed(world))
            await until_blocked(database)
            renaming.cancel()
            await asyncio.wait({renaming})
        for tick in (tick for room in jobs_of_rooms() for tick in room.ticks if "renames" in tick.name):
            await tick.act(database, {})


async def is_renamed(world: World) -> bool:
    return [team["name"] for team in (await world.client.get("/teams")).json()] == ["After"]
