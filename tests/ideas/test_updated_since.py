"""GET /ideas with updatedSince: who passes on the latest updatedAt received never misses a change."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

import asyncpg
import pytest

from sightline.catalog.default_statuses import StatusLabel
from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas import create, status
from sightline.ideas.records import NewIdea, StatusChange
from sightline.intelligence.embedded import embedded_engine
from sightline.platform.access import Role
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Text, expect_anything
from tests.ideas.acme import Acme, Json
from tests.ideas.workroom import change, from_file, move
from tests.waiting import linger, next_moment
from tests.world import OPERATOR

pytestmark = pytest.mark.one_workspace

WRITERS = 8
WRITES = 12
SLOW = """
UPDATE ideas SET name = $3, updated_at = $4, version = version + 1
 WHERE workspace_id = $1 AND id = $2"""


@dataclass
class Follower:
    """A copy of the ideas, kept by asking for what changed since the latest change that is known."""

    acme: Acme
    since: str = "2000-01-01"
    copy: dict[str, Json] = field(default_factory=dict)

    async def ask(self) -> None:
        """One round, by Link over as many pages as there are."""
        address = f"/ideas?limit=20&updatedSince={self.since}"
        while address:
            answer = await self.acme.client.get(address)
            for idea in answer.json():
                self.copy[idea["id"]] = idea
                self.since = max(self.since, idea["updatedAt"])
            address = answer.links.get("next", {}).get("url", "")


async def all_ideas(acme: Acme) -> dict[str, Json]:
    pages = [await acme.list(limit=100, offset=offset) for offset in range(0, await acme.total(), 100)]
    return {idea["id"]: idea for page in pages for idea in page}


async def write_at_random(acme: Acme, ideas: list[Json], dice: Random) -> None:
    for n in range(WRITES):
        idea = dice.choice(ideas)
        kind = dice.randrange(4)
        if kind == 0:
            await acme.create(name=f"New {n}")
        elif kind == 1:
            await change(acme, idea, name=f"Renamed {dice.random()}")
        elif kind == 2:
            await move(acme, idea, dice.choice(["New", "Under review"]))
        else:
            await write_slowly(acme, idea, dice)


async def write_slowly(acme: Acme, idea: Json, dice: Random) -> None:
    """A transaction that is held open before and after it writes; its moment is that of its start."""
    async with acme.world.database.transaction() as tx:
        await linger(dice, 0.05)
        await tx.connection.execute(SLOW, acme.world.workspace_id, UUID(idea["id"]), f"Slow {dice.random()}", tx.now)
        await linger(dice, 0.05)


async def test_a_copy_of_many_writes_ends_complete(acme: Acme) -> None:
    ideas = [await acme.create() for _ in range(6)]
    follower = Follower(acme)
    writing = asyncio.gather(*(write_at_random(acme, ideas, Random(n)) for n in range(WRITERS)))
    rounds, acme.world.is_patient = 0, False
    while not writing.done():
        await follower.ask()
        rounds += 1
    await writing
    acme.world.is_patient = True
    await follower.ask()
    assert rounds > 3
    missed = {id: idea for id, idea in (await all_ideas(acme)).items() if follower.copy.get(id) != idea}
    assert missed == {}


async def named(acme: Acme, **query: str) -> list[str]:
    return [idea["name"] for idea in await acme.list(**query)]


async def before(acme: Acme) -> str:
    """A moment before what a test does, and after what all others did."""
    idea = await acme.create()
    await next_moment()
    return str((await change(acme, idea, name="Before"))["updatedAt"])


async def test_a_later_change_is_listed_only_when_no_earlier_one_is_open(acme: Acme) -> None:
    since, slow, quick = await before(acme), await acme.create(), await acme.create()
    async with acme.world.database.transaction() as tx:
        await next_moment()
        await change(acme, quick, name="Quick")
        assert "Quick" not in await named(acme, updatedSince=since)
        assert "Quick" in await named(acme)
        await tx.connection.execute(SLOW, acme.world.workspace_id, UUID(slow["id"]), "Slow", tx.now)
        assert "Quick" not in await named(acme, updatedSince=since)
    assert (await named(acme, updatedSince=since))[-2:] == ["Slow", "Quick"]


async def test_an_open_read_does_not_delay_changes(acme: Acme, database_url: str) -> None:
    since = await before(acme)
    stranger = await asyncpg.connect(database_url, server_settings={"application_name": "psql"})
    try:
        async with acme.world.database.snapshot() as tx, stranger.transaction():
            await tx.connection.fetchval("SELECT count(*) FROM ideas WHERE workspace_id = $1", acme.world.workspace_id)
            await stranger.fetch("SELECT id FROM ideas")
            await acme.create(name="Now")
            assert "Now" in await named(acme, updatedSince=since)
    finally:
        await stranger.close()


async def test_an_open_write_delays_later_changes(acme: Acme, database_url: str) -> None:
    since = await before(acme)
    stranger = await asyncpg.connect(database_url, server_settings={"application_name": "psql"})
    try:
        async with stranger.transaction():
            await stranger.execute("UPDATE ideas SET name = name")
            await next_moment()
            await acme.create(name="Then")
            assert "Then" not in await named(acme, updatedSince=since)
        assert "Then" in await named(acme, updatedSince=since)
    finally:
        await stranger.close()


class LateClock(Clock):
    """The clock of a process that is stopped for seconds between looking at it and reaching the database."""

    def now(self) -> datetime:
        return super().now() - timedelta(seconds=5)


async def test_a_slow_clock_does_not_put_a_change_into_the_past(acme: Acme, database_url: str) -> None:
    since = await before(acme)
    actor = replace(OPERATOR, workspace_id=acme.world.workspace_id, role=Role.OWNER)
    idea = await acme.create()
    late = await Database.connect(database_url, size=2, clock=LateClock())
    try:
        new, maps = NewIdea(description=Text("Late.")), FeatureMaps(embedded_engine())
        created = await create.create_idea(late, maps, actor, new, expect_anything)
        moved = StatusChange(status=StatusLabel("Under review"))
        await status.set_status(late, actor, IdeaRef(id=UUID(idea["id"])), moved, expect_anything)
    finally:
        await late.close()
    shown = {each["id"]: each["updatedAt"] for each in await acme.list(updatedSince=since)}
    assert shown[str(created.record.id)] >= since
    assert shown[idea["id"]] > idea["updatedAt"]


async def test_the_boundary_is_included_and_equal_times_are_in_the_order_of_ids(acme: Acme) -> None:
    moments = ["2021-05-01T00:00:00.000Z", "2021-05-01T00:00:00.001Z", "2021-05-01T00:00:00.001Z", "2021-05-02"]
    made = [await from_file(acme, name=f"Old {n}", createdAt=at, updatedAt=at) for n, at in enumerate(moments)]
    same = sorted([made[1]["id"], made[2]["id"]])
    listed = await acme.list(updatedSince="2021-05-01T00:00:00.001Z", q="Old")
    assert [idea["id"] for idea in listed] == [*same, made[3]["id"]]
    assert await acme.total(updatedSince="2021-05-01T00:00:00.001Z", q="Old") == 3


async def test_every_kind_of_change_of_an_idea_is_listed(acme: Acme) -> None:
    idea = await acme.create(productId=acme.products["app"])
    path = f"/ideas/{idea['id']}"
    await acme.run("UPDATE ideas SET matched_key = NULL WHERE workspace_id = $1 AND id = $2", UUID(idea["id"]))
    unassign = {"updates": [{"groupKey": "theme", "action": "mark_unassigned"}]}
    for method, part, body in [
        ("PATCH", "", {"name": "Renamed"}),
        ("PATCH", "", {"accountIds": [acme.accounts["globex"]]}),
        ("PATCH", "/status", {"status": "Under review"}),
        ("PATCH", "/classifications", unassign),
        ("POST", "/match-features", None),
    ]:
        since = await before(acme)
        answer = await acme.client.request(method, path + part, json=body)
        assert answer.status_code in (200, 201), answer.text
        assert idea["id"] in {each["id"] for each in await acme.list(updatedSince=since)}
