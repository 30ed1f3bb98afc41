"""How the active taxonomy is read."""

from sightline.catalog.taxonomy.groups import FIND_TAXONOMY
from sightline.platform.db import Database
from tests.explain import Explained
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
