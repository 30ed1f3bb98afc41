"""How the active taxonomy is read."""

import asyncio
from threading import Event

import pytest

from sightline.catalog.taxonomy.groups import FIND_TAXONOMY, Taxonomy, find_taxonomy
from sightline.platform.beside import run_beside
from sightline.platform.db import Database
from sightline.platform.turns import acting_for
from tests.explain import Explained
from tests.waiting import next_turn
from tests.world import World


async def test_all_options_are_read_in_one_scan_whatever_is_known_of_the_workspace(
    world: World, database: Database
) -> None:
    options = [{"key": f"o{n}", "label": f"Option {n}"} for n in range(20)]
    group = {"kind": "list", "selectionMode": "multi", "options": options}
    await world.add(taxonomy={"groups": [{"key": f"g{n}", "label": f"Group {n}", **group} for n in range(20)]})
    async with database.autocommit() as tx:
        plan = Explained(tx)
        rows = await plan.rows(FIND_TAXONOMY, workspace_id=world.workspace_id)
    assert len(rows) == 40
    assert {node["Actual Loops"] for node in plan.nodes} == {1}


@pytest.mark.slow
async def test_a_workspace_waits_for_no_work_of_another_one(world: World, database: Database, served: str) -> None:
    done = Event()

    async def find(workspace: World) -> Taxonomy:
        acting_for.set(workspace.workspace_id)
        async with database.autocommit() as tx:
            return await find_taxonomy(tx, workspace.workspace_id)

    async def keep_busy() -> None:
        acting_for.set(world.workspace_id)
        await run_beside(done.wait)

    async with World(database, served) as other:
        for each in (world, other):
            await each.add(taxonomy={"groups": [{"key": "area", "label": "Area", "kind": "text"}]})
        busy = asyncio.create_task(keep_busy())
        try:
            await next_turn()
            own = asyncio.create_task(find(world))
            await next_turn()
            assert [group.key for group in (await find(other)).groups] == ["area"]
            assert (await own).version == 1
        finally:
            done.set()
            await busy
