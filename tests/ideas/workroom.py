"""One furnished workspace for all tests of a file, changes by HTTP, and ways to let writers meet."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import httpx2

from sightline.platform.db import Database, Tx
from tests.ideas.acme import EXPORT, Acme, Json
from tests.world import World


@asynccontextmanager
async def furnished(database: Database, served: str) -> AsyncIterator[Acme]:
    """A workspace that lasts; its tests make ideas of their own."""
    async with World(database, served) as world:
        acme = Acme(world)
        await acme.furnish()
        yield acme


async def from_file(acme: Acme, **fields: Any) -> Json:
    """An idea as people and other systems leave it: from a workspace file, with no questions or matches made."""
    key = str(uuid4())
    await acme.world.add_earlier(ideas=[{"key": key, "name": "From a file", "description": EXPORT, **fields}])
    return await acme.read({"id": (await acme.world.ids("ideas"))[key]})


async def initiative(acme: Acme, **fields: Any) -> Json:
    """A new initiative: its `id` and `publicId`."""
    key = str(uuid4())
    await acme.world.add(initiatives=[{"key": key, "name": "Reporting", "status": "PLANNED", **fields}])
    id = (await acme.world.ids("initiatives"))[key]
    number = await acme.value("SELECT number FROM initiatives WHERE workspace_id = $1 AND id = $2", UUID(id))
    return {"id": id, "publicId": f"INITIATIVE-{number}", "key": key}


async def patch(acme: Acme, idea: Json, body: Any = None, **fields: Any) -> httpx2.Response:
    """PATCH /ideas/:id."""
    return await acme.client.patch(f"/ideas/{idea['id']}", json=fields if body is None else body)


async def change(acme: Acme, idea: Json, **fields: Any) -> Json:
    """PATCH /ideas/:id that succeeds; the idea as it is answered."""
    answer = await patch(acme, idea, **fields)
    assert answer.status_code == 200, answer.text
    changed: Json = answer.json()
    return changed


async def move(acme: Acme, idea: Json, status: str, **fields: Any) -> httpx2.Response:
    """PATCH /ideas/:id/status."""
    return await acme.client.patch(f"/ideas/{idea['id']}/status", json={"status": status, **fields})


async def trail(acme: Acme, record_id: str) -> list[tuple[str, Json]]:
    """What was done to a record, oldest first: action and detail."""
    async with acme.world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT action, detail::text FROM changes WHERE workspace_id = $1 AND record_id = $2 ORDER BY at, id",
            acme.world.workspace_id,
            UUID(record_id),
        )
    return [(row[0], httpx2.Response(200, text=row[1]).json()) for row in rows]


@asynccontextmanager
async def holding(acme: Acme, idea: Json) -> AsyncIterator[Tx]:
    """A transaction that holds an idea as any writer of it does; what waits for it goes on when the block is left."""
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(
            "SELECT FROM ideas WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE",
            acme.world.workspace_id,
            UUID(idea["id"]),
        )
        yield tx


async def at_once(requests: Iterable[Awaitable[httpx2.Response]]) -> list[httpx2.Response]:
    return list(await asyncio.gather(*requests))
