"""Large records, which files make, are changed one at a time; nothing else waits for them."""

import asyncio
from secrets import token_hex
from typing import Any

import pytest

from tests.waiting import until_blocked
from tests.world import World

LONG = token_hex(600_000)
KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "ideas": ({"name": "N", "description": LONG}, "name"),
    "insights": ({"title": "N", "category": "problem", "description": LONG}, "title"),
    "signals": ({"name": "N", "data": {"long": LONG}}, "name"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_large_records_are_changed_one_at_a_time(world: World, kind: str) -> None:
    fields, name = KINDS[kind]
    small = {field: value for field, value in fields.items() if field != "data"}
    small |= {"description": "Short"} if "description" in fields else {}
    records: dict[str, Any] = {kind: [{"key": "a", **fields}, {"key": "b", **fields}, {"key": "c", **small}]}
    await world.add(**records)
    paths = {key: f"/{kind}/{id}" for key, id in (await world.ids(kind)).items()}

    def change(key: str) -> asyncio.Task[Any]:
        return asyncio.create_task(world.client.patch(paths[key], json={name: "Changed"}))

    async with world.database.transaction() as tx:
        lock = f"SELECT FROM {kind} WHERE workspace_id = $1 AND key = 'a' FOR UPDATE"
        await tx.connection.execute(lock, world.workspace_id)
        first = change("a")
        await until_blocked(tx.connection)
        second = change("b")
        for _ in range(20):  # in which the second, if it waited for nothing, would be changed
            assert (await change("c")).json()[name] == "Changed"
        assert (await world.client.get(paths["b"])).json()[name] == "N"
        assert not first.done()
        assert not second.done()
    assert [answer.json()[name] for answer in await asyncio.gather(first, second)] == ["Changed"] * 2
    for key in ("a", "b"):
        assert (await world.client.get(paths[key])).json()[name] == "Changed"
