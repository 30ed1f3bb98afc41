"""The web application: which rooms answer where."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

from starlette.routing import Route, Router

from sightline.catalog.feature_maps import FeatureMaps
from sightline.ideas import routes as ideas
from sightline.intelligence.embedded import embedded_engine
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.http.endpoint import Endpoint, Lazy, Paths, Services
from sightline.platform.http.operations import Operation, operations_of
from sightline.platform.http.server import Server, refuse_unknown_path
from sightline.settings import Settings
from sightline.workspaces import routes as workspaces
from sightline.workspaces.guard import KeyGuard

API = "/api/external/v1"
ROOMS = (ideas, workspaces)


def operations() -> list[Operation]:
    """The whole table, the most used rooms first."""
    return operations_of(*ROOMS)


def create_app(settings: Settings | None = None) -> Any:
    """The application as uvicorn runs it; without settings they are read from the environment.

    Its database is opened when the server starts it: there DatabaseUnavailable ends the start.
    """
    settings = settings or Settings.read()
    lazy = Lazy()

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with _services(settings) as lazy.services:
            yield

    routes = _routes(operations(), lazy)
    return Server(Router(routes, redirect_slashes=False, default=refuse_unknown_path, lifespan=lifespan))


@asynccontextmanager
async def _services(settings: Settings) -> AsyncIterator[Services]:
    assert settings.database_url is not None and settings.direct_url is not None  # noqa: S101 - serve names it
    db = await Database.connect(
        settings.database_url,
        size=settings.pool_size,
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
    )
    guard = KeyGuard(db, settings.direct_url)
    await guard.open()
    try:
        yield Services(db, guard, tools={FeatureMaps: FeatureMaps(embedded_engine())})
    finally:
        await guard.close()
        await db.close()


def _routes(table: list[Operation], lazy: Lazy) -> list[Route]:
    by_path = groupby(sorted(table, key=lambda row: table.index(_first_of(table, row))), key=lambda row: row.path)
    return [Route(f"{API}{path}", Paths([Endpoint(row, lazy) for row in rows])) for path, rows in by_path]


def _first_of(table: list[Operation], row: Operation) -> Operation:
    return next(other for other in table if other.path == row.path)
