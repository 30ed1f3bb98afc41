"""A large record is whole, and clients that do not read it cost little memory, whatever kind of record it is."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.readers import Reader, StoppingReader, memory_of, started
from tests.world import World

pytestmark = pytest.mark.slow

Json = dict[str, Any]
MIB = 1024 * 1024
CLIENTS = 8
LINKS = 2_000
LONG = token_hex(MIB)
BRIEF, RUN, SECTION, HISTORY = (str(uuid4()) for _ in range(4))
LABELS = [[f"{token_hex(100)} {group} {option}" for option in range(100)] for group in range(100)]


def _groups() -> list[Json]:
    return [
        {
            "key": f"g{n}",
            "label": f"G {n}",
            "kind": "list",
            "selectionMode": "multi",
            "options": [{"key": f"o{n}-{place}", "label": label} for place, label in enumerate(labels)],
        }
        for n, labels in enumerate(LABELS)
    ]


def _contacts() -> list[Json]:
    return [{"name": token_hex(100), "email": f"c{n}@a.test"} for n in range(10_000)]


def _research() -> Json:
    observations = [{"text": token_hex(30_000), "quote": "x"}]
    page = {"title": "A page", "retrievedAt": "2026-11-20", "observations": observations}
    section = {"id": SECTION, "name": "Market", "findings": [{"id": str(uuid4()), **page} for _ in range(50)]}
    records = [{"id": str(uuid4()), "externalId": str(n), "body": token_hex(30_000)} for n in range(50)]
    run = {"id": RUN, "sections": [section], "records": records, "definition": {"x": token_hex(520_000)}}
    run["failure"] = token_hex(5_000)
    plan = {"definition": {"x": token_hex(400_000)}, "question": token_hex(400_000)}
    return {"id": BRIEF, "key": "r", "name": "R", **plan, "runs": [run]}


def _history() -> Json:
    """Research with many runs, of which none is large."""

    def run() -> Json:
        sections = [{"id": str(uuid4()), "name": f"S{n}", "failure": token_hex(4_000)} for n in range(5)]
        return {"id": str(uuid4()), "sections": sections, "failure": token_hex(4_000)}

    return {"id": HISTORY, "key": "h", "name": "H", "question": "Q", "runs": [run() for _ in range(30)]}


@dataclass
class Large:
    """A workspace whose records are all large, and their addresses by kind."""

    world: World
    paths: dict[str, str]

    def path(self, kind: str) -> tuple[str, str]:
        """The path and the query."""
        path, _, query = self.paths[kind].partition("?")
        return path, query


async def _fill(world: World) -> None:
    links = [f"in{n}" for n in range(LINKS)]
    insights: list[Json] = [{"key": key, "title": f"Insight {key}", "category": "problem"} for key in links]
    insights[0]["extracts"] = [{"text": token_hex(5_000)} for _ in range(200)]
    features = [{"key": f"f{n}", "name": "F", "description": token_hex(500)} for n in range(2_000)]
    documents = [{"key": "d", "type": "PRD", "content": LONG}]
    await world.add(
        ideaStatuses=[{"label": "New"}],
        products=[{"key": "p", "name": "P", "features": features}],
        accounts=[{"key": "a", "name": "A", "contacts": _contacts()}],
        insights=insights,
        opportunities=[{"key": "o", "name": "O", "description": LONG}],
        taxonomy={"groups": _groups()},
        ideas=[{"key": "i", "name": "I", "description": LONG, "status": "New", "insights": links}],
        initiatives=[{"key": "v", "name": "V", "description": "ß" * 60_000, "documents": documents}],
        research=[_research(), _history()],
    )


async def _addresses(world: World) -> dict[str, str]:
    ids = {kind: await world.ids(kind) for kind in ("products", "accounts", "insights", "opportunities")}
    initiative, document = (await world.ids("initiatives"))["v"], (await world.ids("documents"))["d"]
    of_run = f"runId={RUN}&sectionId={SECTION}&limit=50"
    return {
        "product": f"/products/{ids['products']['p']}",
        "account": f"/accounts/{ids['accounts']['a']}",
        "insight": f"/insights/{ids['insights']['in0']}",
        "opportunity": f"/opportunities/{ids['opportunities']['o']}",
        "idea": "/ideas/IDEA-1?include=classifications",
        "classifications": "/ideas/IDEA-1/classifications",
        "initiative": f"/initiatives/{initiative}",
        "document": f"/initiatives/{initiative}/documents/{document}",
        "brief": f"/research/{BRIEF}",
        "run": f"/research/{BRIEF}?view=run&runId={RUN}",
        "runs": f"/research/{HISTORY}?view=runs&limit=50",
        "findings": f"/research/{BRIEF}?view=findings&{of_run}",
        "records": f"/research/{BRIEF}?view=records&{of_run}",
    }


@pytest_asyncio.fixture(scope="module")
async def large(database: Database, served: str) -> AsyncIterator[Large]:
    async with World(database, served) as world:
        await _fill(world)
        yield Large(world, await _addresses(world))


@pytest_asyncio.fixture(scope="module")
async def application(database_url: str) -> AsyncIterator[Any]:
    async with started(database_url, pool_size=CLIENTS + 2) as app:
        yield app


KINDS = (
    "product",
    "account",
    "insight",
    "opportunity",
    "idea",
    "classifications",
    "document",
    "brief",
    "run",
    "runs",
    "findings",
    "records",
)


@pytest.mark.parametrize("kind", KINDS)
async def test_clients_that_do_not_read_a_large_record_cost_less_than_a_copy_each(
    large: Large, application: Any, kind: str
) -> None:
    path, query = large.path(kind)
    key = await large.world.key("all")
    first = Reader(large.world, key, query, path)
    await application(first.scope, first.receive, first.send)  # what is kept between requests is there
    stopping = [StoppingReader(large.world, key, query, 1, path) for _ in range(CLIENTS)]
    held, peak = await memory_of(application, stopping)
    assert len(first.body) > MIB
    assert {bytes(one.body) for one in stopping} == {bytes(first.body)}
    assert held < 4 * MIB + CLIENTS * 64 * 1024
    assert peak < max(CLIENTS * len(first.body), 12 * MIB)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_large_record_has_length_and_tag(large: Large, kind: str) -> None:
    path, plain = large.paths[kind], {"Accept-Encoding": "identity"}
    answer = await large.world.client.get(path, headers=plain)
    assert int(answer.headers["content-length"]) == len(answer.content) > MIB
    tag = answer.headers["etag"]
    assert (await large.world.client.get(path, headers=plain | {"If-None-Match": tag})).status_code == 304


async def test_large_records_are_shown_as_in_their_lists(large: Large) -> None:
    for kind in ("product", "opportunity", "idea", "initiative"):
        path, query = large.path(kind)
        [listed] = (await large.world.client.get(f"{path.rpartition('/')[0]}?{query}")).json()
        assert listed == (await large.world.client.get(f"{path}?{query}")).json()
    idea = (await large.world.client.get("/ideas/IDEA-1")).json()
    insights = await large.world.ids("insights")
    assert idea["insightIds"] == [insights[f"in{n}"] for n in range(LINKS)]


async def test_a_large_taxonomy_is_shown_in_its_order(large: Large) -> None:
    shown = (await large.world.client.get("/ideas/IDEA-1/classifications")).json()
    assert [[option["label"] for option in group["options"]] for group in shown["groups"]] == LABELS
    [chosen] = shown["groups"][7]["options"][3:4]
    update = {"action": "set_option", "groupKey": "g7", "optionIds": [chosen["id"]]}
    answer = await large.world.client.patch("/ideas/IDEA-1/classifications", json={"updates": [update]})
    assert answer.json()["groups"][7]["value"]["optionLabels"] == [chosen["label"]]
    assert answer.json() == (await large.world.client.get("/ideas/IDEA-1/classifications")).json()
    stranger = await large.world.client_with("ideas:write", member=None)
    refused = await stranger.patch("/ideas/IDEA-1/classifications", json={"updates": [update]})
    assert (refused.status_code, refused.json()["code"]) == (403, "CREATOR_NOT_ALLOWED")


async def test_small_and_unknown_records_wait_for_no_large_one(large: Large, database_url: str) -> None:
    """Nor is a connection held by those that wait: the application has one."""
    key, (path, query) = await large.world.key("all"), large.path("product")
    waiting = [Reader(large.world, key, query, path) for _ in range(CLIENTS)]
    small = Reader(large.world, key, "", f"/insights/{(await large.world.ids('insights'))['in1']}")
    unknown = Reader(large.world, key, "", f"/products/{uuid4()}")
    done: list[str] = []

    async def answered(application: Any, name: str, one: Reader) -> None:
        await application(one.scope, one.receive, one.send)
        done.append(name)

    async with started(database_url, pool_size=1) as application, asyncio.TaskGroup() as tasks:
        for one in waiting:
            tasks.create_task(answered(application, "large", one))
        tasks.create_task(answered(application, "small", small))
        tasks.create_task(answered(application, "unknown", unknown))
    assert json.loads(small.body)["title"] == "Insight in1"
    assert json.loads(unknown.body)["status"] == 404
    assert done.index("small") < CLIENTS // 2
    assert done.index("unknown") < CLIENTS // 2
