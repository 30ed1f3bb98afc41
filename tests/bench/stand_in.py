"""A small application for the benchmark to measure: reads and writes ideas, knows no keys, counts nothing."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from msgspec import json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sightline.platform.db import Database
from sightline.platform.ids import new_id

FIND = "SELECT name, description FROM ideas WHERE id = $1"
PAGE = (
    "SELECT name, description FROM ideas WHERE ($1::text IS NULL OR source_key = $1) ORDER BY number LIMIT $2 OFFSET $3"
)
WORKSPACE = "SELECT id FROM workspaces"
NUMBER = "UPDATE public_numbers SET last = last + 1 WHERE workspace_id = $1 AND kind = 'idea' RETURNING last"
ADD = """
INSERT INTO ideas (workspace_id, id, number, name, description, status, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, 'New', $6, $6)"""
LOG = """
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, at)
VALUES ($1, $2, 'idea', $3, 'created', 'key', $4)"""


def create_app() -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        db = await Database.connect(os.environ["SIGHTLINE_DATABASE_URL"], size=4)
        yield {"db": db}
        await db.close()

    routes = [
        Route("/api/external/v1/ideas/{id}", _get),
        Route("/api/external/v1/ideas", _list),
        Route("/api/external/v1/ideas", _create, methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


async def _get(request: Request) -> Response:
    async with request.state.db.read() as tx:
        row = await tx.row(FIND, UUID(request.path_params["id"]))
    return _json(404 if row is None else 200, list(row or ()))


async def _list(request: Request) -> Response:
    wanted = request.query_params
    async with request.state.db.read() as tx:
        rows = await tx.rows(PAGE, wanted.get("sourceKey"), int(wanted["limit"]), int(wanted.get("offset", 0)))
    return _json(200, [list(row) for row in rows])


async def _create(request: Request) -> Response:
    wish = json.decode(await request.body())
    async with request.state.db.read() as tx:
        workspace = await tx.value(WORKSPACE)
        number = await tx.value(NUMBER, workspace)
    async with request.state.db.write() as tx:
        idea = new_id()
        await tx.run(ADD, workspace, idea, number, wish["name"], wish["description"], tx.now)
        await tx.run(LOG, workspace, new_id(), idea, tx.now)
    return _json(201, [str(idea), number])


def _json(status: int, body: Any) -> Response:
    return Response(json.encode(body), status, media_type="application/json")
