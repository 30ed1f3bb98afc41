"""Noting what runs on a pool."""

import pytest
from starlette.types import Receive, Scope, Send

from sightline.bench.capture import noting_pools, trace
from sightline.bench.failure import BenchFailed
from sightline.bench.inprocess import InProcess
from sightline.bench.wire import Request
from sightline.platform.db import Database

ASKED = [Request("GET", "/")]


class App:
    """Runs one statement in a transaction."""

    def __init__(self, db: Database, method: str = "fetchval", status: int = 200) -> None:
        self._db, self._method, self._status = db, method, status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for stage in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{stage}.complete"})
            return
        async with self._db.write() as tx:
            await getattr(tx.connection, self._method)("SELECT 1")
        await send({"type": "http.response.start", "status": self._status, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


async def test_statements_are_noted_in_order_with_their_results(database_url: str) -> None:
    with noting_pools() as wishes:
        db = await Database.connect(database_url, size=3)
    await db.pool.fetchval("SELECT 'before'")
    async with InProcess(App(db)) as app:
        (noted,) = await trace(app, ASKED, "key")
    await db.close()
    assert [(statement.query, statement.result) for statement in noted.statements][1] == ("SELECT 1", 1)
    assert [statement.query for statement in noted.statements] == ["BEGIN;", "SELECT 1", "COMMIT;"]
    assert wishes[0].options["max_size"] == 3


async def test_what_cannot_be_replayed_is_refused_only_while_noting(database_url: str) -> None:
    with noting_pools():
        db = await Database.connect(database_url, size=1)
    async with db.read() as tx:
        await tx.connection.prepare("SELECT 1")
    async with InProcess(App(db, method="prepare")) as app:
        with pytest.raises(BenchFailed, match="cannot replay"):
            await trace(app, ASKED, "key")
    await db.close()


async def test_an_answer_outside_2xx_is_refused(database_url: str) -> None:
    db = await Database.connect(database_url, size=1)
    async with InProcess(App(db, status=503)) as app:
        with pytest.raises(BenchFailed, match="503"):
            await trace(app, ASKED, "key")
    await db.close()
