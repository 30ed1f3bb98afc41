"""`updatedAt` is the time at which a record was last written here, so that a copy by `updatedSince` misses nothing."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from sightline.platform.server_secret import ServerSecret
from sightline.sample.demo import prepare_demo
from sightline.sample.workspace import load as load_sample
from sightline.workspaces.operating import delete_workspace
from tests.imports.loading import RECORDS, json_lines, load
from tests.portal.product import SERVER_SECRET
from tests.workspace_file.files import LATER, THEN, apply, exported, refusal, small, whole
from tests.world import OPERATOR, World

OLD = {"createdAt": THEN, "updatedAt": THEN}
FUTURE = "2999-01-01T00:00:00.000Z"
STAMPED = ("ideas", "initiatives", "signals", "insights", "accounts", "opportunities")
ADDED: dict[str, dict[str, Any]] = {
    "ideas": {"name": "Old", "description": "x"},
    "initiatives": {"name": "Old"},
    "signals": {"name": "Old"},
    "insights": {"title": "Old"},
    "accounts": {"name": "Old"},
    "opportunities": {"name": "Old"},
}


async def since(world: World, list: str, moment: str) -> int:
    answer = await world.client.get(f"/{list}", params={"updatedSince": moment})
    assert answer.status_code == 200, answer.text
    return len(answer.json())


def now(world: World) -> str:
    return world.database.clock.now().isoformat()


@pytest.mark.parametrize("list", STAMPED)
async def test_a_record_of_a_file_is_updated_when_it_is_written_whatever_the_file_says(world: World, list: str) -> None:
    """`createdAt` is kept."""
    for record in (ADDED[list] | {"createdAt": THEN}, ADDED[list] | OLD):
        before, count = now(world), await since(world, list, "1970-01-01")
        given: dict[str, Any] = {list: [{"key": f"k{count}", **record}]}
        await world.add(**given)
        assert await since(world, list, before) == 1
    found = (await exported(world.database, world.slug))[list]
    assert [one["createdAt"] for one in found if one["key"] == "k1"] == [THEN]
    before = now(world)
    title = "title" if list == "insights" else "name"
    change: dict[str, Any] = {list: [{"key": "k1", title: "Renamed", "updatedAt": THEN}]}
    await world.add(**change)
    assert await since(world, list, before) == 1


@pytest.mark.parametrize("kind", ["ideas", "signals", "insights", "accounts"])
async def test_an_imported_record_is_updated_when_it_is_written(world: World, kind: str) -> None:
    await world.add(products=[{"key": "app", "name": "App"}])
    for change in ({}, {"domain": "x.test"} if kind == "accounts" else {"key": "k"}):
        before = now(world)
        done = await load(world.database, world.slug, kind, json_lines([RECORDS[kind] | OLD | change]))
        assert (done.faulty, done.unchanged) == (0, 0)
        assert await since(world, kind, before) == 1


async def test_a_time_alone_is_no_change(database: Database) -> None:
    file = whole()
    await apply(database, file)
    before = await exported(database, file["workspace"]["slug"])

    def touch(part: Any) -> None:
        for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            touch(value)
        if isinstance(part, dict) and "updatedAt" in part:
            part["updatedAt"] = "2026-05-01T00:00:00.000Z"

    file = await exported(database, file["workspace"]["slug"])
    touch(file)
    applied = await apply(database, file)
    assert {name for name, count in applied.counts.items() if count.added or count.changed} == set()
    assert await exported(database, file["workspace"]["slug"]) == before


async def test_the_file_that_creates_a_workspace_keeps_its_times(database: Database) -> None:
    idea = {"name": "A", "description": "x", "createdAt": THEN}
    file = small(ideas=[{"key": "a", **idea, "updatedAt": LATER}, {"key": "b", **idea}])
    begun = datetime.now(UTC) - timedelta(seconds=1)
    await apply(database, file)
    kept, written = (await exported(database, file["workspace"]["slug"]))["ideas"]
    assert (kept["updatedAt"], written["createdAt"]) == (LATER, THEN)
    assert datetime.fromisoformat(written["updatedAt"]) > begun


async def test_a_time_after_now_is_refused(database: Database) -> None:
    value = {"groupKey": "theme", "optionValues": ["a"], "updatedAt": FUTURE}
    file = small(
        taxonomy={"groups": [{"key": "theme", "label": "Theme", "options": [{"key": "a", "label": "A"}]}]},
        ideas=[{"key": "a", "name": "A", "description": "x", "updatedAt": FUTURE, "classifications": [value]}],
        portal={"alias": "future", "updatedAt": FUTURE},
    )
    file["workspace"] |= {"updatedAt": FUTURE}
    paths = {"workspace.updatedAt", "ideas[0].updatedAt", "ideas[0].classifications[0].updatedAt", "portal.updatedAt"}
    assert {path for path, message in (await refusal(database, file)).items() if "after now" in message} == paths
    await apply(database, small(file["workspace"]["slug"]))
    assert {path for path, message in (await refusal(database, file)).items() if "after now" in message} == paths


async def test_a_merge_by_a_file_moves_the_time_of_the_merged_insight(world: World) -> None:
    await world.add(insights=[{"key": "a", "title": "A"}, {"key": "b", "title": "B"}])
    before = now(world)
    await world.add(insights=[{"key": "a", "mergedInto": "b"}])
    assert await since(world, "insights", before) == 1


async def test_the_demo_loads_where_the_clock_is_behind_the_sample(database_url: str) -> None:
    slug = load_sample()["workspace"]["slug"]
    behind = await Database.connect(database_url, size=2, clock=Clock(timedelta(days=-365)))
    try:
        with suppress(NotFound):
            await delete_workspace(behind, slug)
        demo = await prepare_demo(behind, OPERATOR, None, ServerSecret(SERVER_SECRET))
        await delete_workspace(behind, slug)
    finally:
        await behind.close()
    assert demo.key.startswith("sl_")
