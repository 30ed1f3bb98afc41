"""GET /deletions: copies learn what to forget, of every kind that a key may read, and miss nothing."""

import asyncio
import re
from collections.abc import AsyncIterator
from random import Random
from typing import Any
from uuid import UUID

import httpx2
import pytest
import pytest_asyncio

from sightline.migrations import SQL
from sightline.platform.db import Database
from sightline.platform.scopes import Scope
from sightline.workspace_file.parts import PRUNABLE, TABLES
from sightline.workspaces.deletions.feed import READS, SOURCES
from sightline.workspaces.deletions.records import DeletedKind
from tests.waiting import linger, next_moment
from tests.world import World

Json = dict[str, Any]

LISTS: dict[str, Json] = {
    "products": {"name": "App", "features": [{"key": "export", "name": "Export"}, {"key": "search", "name": "Search"}]},
    "teams": {"name": "Core"},
    "accounts": {"name": "Globex"},
    "opportunities": {"name": "Retention"},
    "signals": {"name": "A call", "accounts": ["x"]},
    "insights": {"title": "Slow", "category": "problem", "signals": ["x"], "accounts": ["x"]},
    "initiatives": {"name": "Exports", "teams": ["x"], "product": "x"},
    "ideas": {"name": "Fast", "description": "Fast exports.", "product": "x", "initiative": "x", "insights": ["x"]},
    "studies": {"name": "Interviews", "ideas": ["x"]},
    "feedback": {
        "study": "x",
        "rating": 3,
        "metric": "value",
        "subject": {"type": "idea", "id": "x"},
        "submittedAt": "2026-01-02",
        "account": "x",
    },
    "research": {"name": "Rivals"},
}
# The list of a workspace file that each kind stands in.
LIST_OF = {
    DeletedKind.IDEA: "ideas",
    DeletedKind.INITIATIVE: "initiatives",
    DeletedKind.TEAM: "teams",
    DeletedKind.SIGNAL: "signals",
    DeletedKind.INSIGHT: "insights",
    DeletedKind.OPPORTUNITY: "opportunities",
    DeletedKind.PRODUCT: "products",
    DeletedKind.ACCOUNT: "accounts",
    DeletedKind.FEEDBACK: "feedback",
    DeletedKind.BRIEF: "research",
}
BY_KIND = {table.kind: table.name for table in TABLES.values()}
NUMBERED = {DeletedKind.IDEA: "IDEA-1", DeletedKind.INITIATIVE: "INITIATIVE-1", DeletedKind.SIGNAL: "SIGNAL-1"}


@pytest_asyncio.fixture
async def world(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace that answers HTTP, with one record of each list, whose key is x."""
    async with World(database, served) as world:
        lists: Json = {name: [{"key": "x", **fields}] for name, fields in LISTS.items()}
        await world.add(**lists)
        yield world


async def empty(world: World, *lists: str) -> None:
    """Removes every record of these lists."""
    nothing: Json = {name: [] for name in lists}
    await world.add(**nothing, prune=list(lists))


async def list_deletions(client: httpx2.AsyncClient, **query: Any) -> list[Json]:
    answer = await client.get("/deletions", params=query)
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()
    return found


async def kinds(client: httpx2.AsyncClient, **query: Any) -> list[str]:
    return sorted(deletion["kind"] for deletion in await list_deletions(client, **query))


@pytest.mark.parametrize("kind", LIST_OF)
async def test_records_removed_by_a_file_are_listed(world: World, kind: DeletedKind) -> None:
    id = (await world.ids(BY_KIND[SOURCES[kind].name]))["x"]
    assert await list_deletions(world.client) == []
    await empty(world, LIST_OF[kind])
    (deletion,) = await list_deletions(world.client)
    assert deletion == {"kind": kind, "id": id, "publicId": NUMBERED.get(kind), "deletedAt": deletion["deletedAt"]}
    assert await list_deletions(world.client, since=deletion["deletedAt"], kind=kind) == [deletion]


async def test_a_study_takes_its_feedback_along(world: World) -> None:
    id = (await world.ids("study_feedback"))["x"]
    await empty(world, "studies")
    (deletion,) = await list_deletions(world.client)
    assert (deletion["kind"], deletion["id"], deletion["publicId"]) == ("feedback", id, None)


async def test_a_feature_is_listed_when_it_goes_alone_and_not_with_its_product(world: World) -> None:
    features = await world.ids("features")
    await world.add(products=[{"key": "x", "features": [{"key": "search"}]}], prune=["products.features"])
    (deletion,) = await list_deletions(world.client)
    assert (deletion["kind"], deletion["id"]) == ("feature", features["export"])
    await empty(world, "products")
    assert await kinds(world.client) == ["feature", "product"]


async def test_records_deleted_by_the_api_are_listed(world: World) -> None:
    path = f"/ideas/{(await world.ids('ideas'))['x']}"
    comments = [(await world.client.post(f"{path}/comments", json={"body": "Yes."})).json()["id"] for _ in range(2)]
    assert (await world.client.delete(f"{path}/comments/{comments[0]}")).status_code == 200
    assert (await world.client.delete(path)).status_code == 200
    deletions = [(each["kind"], each["publicId"]) for each in await list_deletions(world.client)]
    assert deletions == [("comment", None), ("idea", "IDEA-1")]


def test_every_record_that_can_be_read_and_pruned_is_listed() -> None:
    unseen = {"members", "integrations", "sprints", "ideaStatuses", "studies"}  # no operation reads these
    words = {TABLES[name].kind for name in PRUNABLE - unseen}
    assert words | {"idea_comment"} == {each.name for each in SOURCES.values()}


CASCADES = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
 WHERE contype = 'f' AND confdeltype = 'c' AND conrelid::regclass::text = ANY($1)
   AND confrelid <> 'workspaces'::regclass"""


async def test_no_listed_kind_is_deleted_along_with_another_record(database: Database) -> None:
    """For a new pair: list what goes along, as with feedback, or say in `list_deletions` that it is not listed."""
    async with database.autocommit() as tx:
        pairs = {
            tuple(row) for row in await tx.connection.fetch(CASCADES, [BY_KIND[each.name] for each in SOURCES.values()])
        }
    assert pairs == {("features", "products"), ("idea_comments", "ideas"), ("study_feedback", "studies")}


@pytest.mark.parametrize("scope", READS)
async def test_a_key_lists_the_kinds_that_it_may_read(world: World, scope: Scope) -> None:
    await empty(world, *LIST_OF.values())
    client = await world.client_with(scope)
    assert await kinds(client) == sorted(kind for kind in LIST_OF if SOURCES[kind].scope == scope)
    for kind in LIST_OF:
        answer = await client.get("/deletions", params={"kind": kind})
        assert answer.status_code == (200 if SOURCES[kind].scope == scope else 403)


async def test_a_key_without_read_scopes_lists_nothing(world: World) -> None:
    client = await world.client_with("ideas:write", "ideas:delete", "research:run")
    answer = await client.get("/deletions")
    assert (answer.status_code, answer.json()["code"]) == (403, "INSUFFICIENT_SCOPE")


async def test_kinds_can_be_chosen(world: World) -> None:
    await empty(world, "ideas", "signals", "accounts")
    assert await kinds(world.client, kind="idea,account,") == ["account", "idea"]
    assert await kinds(world.client, kind="feedback") == []
    assert await kinds(world.client, kind="") == ["account", "idea", "signal"]
    client = await world.client_with("ideas:read")
    answer = await client.get("/deletions", params={"kind": "idea,account"})
    assert (answer.status_code, answer.json()["requiredScopes"]) == (403, ["accounts:read", "ideas:read"])
    for wrong in ("Idea", "ideas", "idea_comment", "account;idea"):
        answer = await world.client.get("/deletions", params={"kind": wrong})
        assert (answer.status_code, answer.json()["field"]) == (400, "kind")


async def test_deletions_are_listed_oldest_first_page_by_page(world: World) -> None:
    for name in ("ideas", "insights", "feedback", "initiatives"):
        await empty(world, name)
    order = ["idea", "insight", "feedback", "initiative"]
    everything = await list_deletions(world.client)
    assert [each["kind"] for each in everything] == order
    pages = [await world.client.get("/deletions", params={"limit": 1, "offset": n}) for n in range(4)]
    assert [page.json() for page in pages] == [[each] for each in everything]
    assert {page.headers["x-total-count"] for page in pages} == {"4"}
    assert [page.headers["x-has-more"] for page in pages] == ["true", "true", "true", "false"]
    beyond = await world.client.get("/deletions", params={"offset": 9})
    assert (beyond.json(), beyond.headers["x-total-count"]) == ([], "4")
    for n, deletion in enumerate(everything):
        assert await list_deletions(world.client, since=deletion["deletedAt"]) == everything[n:]
    assert await list_deletions(world.client, since="2999-01-01") == []
    answer = await world.client.get("/deletions", params={"since": "yesterday"})
    assert (answer.status_code, answer.json()["field"]) == (400, "since")


async def test_a_record_created_again_under_its_id_is_not_listed(world: World) -> None:
    new_initiative = {"clientRequestId": "7f3a1c1e-54e4-4c62-9a43-3f1f0b5f7a10", "name": "Again"}
    new_initiative["teamIds"] = [(await world.ids("teams"))["x"]]  # type: ignore[assignment]  # the one field that is no text
    assert (await world.client.post("/initiatives", json=new_initiative)).status_code == 201
    await empty(world, "initiatives")
    assert len(await list_deletions(world.client)) == 2
    assert (await world.client.post("/initiatives", json=new_initiative)).status_code == 201
    (deletion,) = await list_deletions(world.client)
    assert deletion["id"] != new_initiative["clientRequestId"]


@pytest.mark.parametrize("kind", LIST_OF)
async def test_a_record_that_a_file_brings_back_is_listed_when_it_is_deleted_once_more(
    world: World, kind: DeletedKind
) -> None:
    name = LIST_OF[kind]
    await empty(world, name)
    (first,) = await list_deletions(world.client)
    back: Json = {name: [{"key": "x", **LISTS[name]}]}
    await world.add(**back)
    assert await list_deletions(world.client) == []
    await next_moment()
    await empty(world, name)
    (second,) = await list_deletions(world.client)
    assert (second["id"], second["deletedAt"] > first["deletedAt"]) == (first["id"], True)


async def test_a_feature_that_a_file_brings_back_is_not_listed(world: World) -> None:
    await world.add(products=[{"key": "x", "features": [{"key": "search"}]}], prune=["products.features"])
    assert await kinds(world.client) == ["feature"]
    await world.add(products=[{"key": "x", "features": [{"key": "export", "name": "Export"}]}])
    assert await list_deletions(world.client) == []


async def test_the_migration_marks_the_deletions_of_what_is_there(world: World) -> None:
    """Whenever they were deleted: a restored backup does not say what came first."""
    await world.add(products=[{"key": "x", "features": [{"key": "search"}]}], prune=["products.features"])
    await empty(world, *LISTS)
    back: Json = {name: [{"key": "x", **fields}] for name, fields in LISTS.items() if name != "opportunities"}
    await world.add(**back)
    (update,) = re.findall(r"^UPDATE changes.*?;", (SQL / "0032" / "01_undone_deletions.sql").read_text(), re.M | re.S)
    async with world.database.transaction() as tx:
        await tx.connection.execute("UPDATE changes SET is_undone = false WHERE action = 'deleted'")
        await tx.connection.execute(update)
    assert await kinds(world.client) == ["opportunity"]


async def test_a_deletion_stays_when_another_workspace_adds_a_record_with_its_id(world: World) -> None:
    (id,) = (await world.ids("ideas")).values()
    await empty(world, "ideas")
    async with world.stranger() as stranger:
        await stranger.add(ideas=[{"id": id, "key": "x", "name": "Ours", "description": "Of another workspace."}])
        assert (await stranger.client.get(f"/ideas/{id}")).status_code == 200
    assert [each["id"] for each in await list_deletions(world.client)] == [id]


async def test_another_workspace_lists_nothing(world: World) -> None:
    await empty(world, *LISTS)
    async with world.stranger() as stranger:
        assert await list_deletions(stranger.client) == []


async def test_a_deletion_is_listed_only_when_no_earlier_one_is_open(world: World) -> None:
    async with world.database.transaction() as slow:
        await next_moment()
        await empty(world, "ideas")
        assert await list_deletions(world.client) == []
        await slow.connection.execute(
            "INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, at)"
            " VALUES ($1, gen_random_uuid(), 'account', gen_random_uuid(), 'deleted', 'job', $2)",
            world.workspace_id,
            slow.now,
        )
    assert [each["kind"] for each in await list_deletions(world.client)] == ["account", "idea"]


async def delete_at_random(world: World, ids: list[str], dice: Random) -> None:
    """By the API; some while a transaction is open that deletes another one later, at its own early moment."""
    for id in ids:
        if dice.random() < 0.7:
            assert (await world.client.delete(f"/ideas/{id}")).status_code == 200
            continue
        async with world.database.transaction() as tx:
            await linger(dice, 0.02)
            await tx.connection.execute(SLOWLY, world.workspace_id, UUID(id), tx.now)
            await linger(dice, 0.02)


SLOWLY = """
WITH gone AS (DELETE FROM ideas WHERE workspace_id = $1 AND id = $2 RETURNING id)
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, at)
SELECT $1, gen_random_uuid(), 'idea', id, 'deleted', 'job', $3 FROM gone"""


async def follow(client: httpx2.AsyncClient, since: str, seen: set[str]) -> str:
    """One round, by Link over as many pages as there are; the latest moment received."""
    latest, address = since, f"/deletions?limit=7&since={since}"
    while address:
        answer = await client.get(address)
        for deletion in answer.json():
            seen.add(deletion["id"])
            latest = max(latest, deletion["deletedAt"])
        address = answer.links.get("next", {}).get("url", "")
    return latest


async def test_a_client_that_sends_the_latest_time_misses_no_deletion(world: World) -> None:
    await world.add(ideas=[{"key": f"i{n}", "name": f"I{n}", "description": "One of many."} for n in range(96)])
    ids = list((await world.ids("ideas")).values())
    writing = asyncio.gather(*(delete_at_random(world, ids[n::8], Random(n)) for n in range(8)))
    since, seen = "2000-01-01", set[str]()
    while not writing.done():
        since = await follow(world.client, since, seen)
    await writing
    await follow(world.client, since, seen)
    assert seen == set(ids)
