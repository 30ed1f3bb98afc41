"""The web application: which rooms answer where."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route, Router

from sightline.catalog import routes as catalog
from sightline.catalog.feature_maps import FeatureMaps
from sightline.documents import routes as documents
from sightline.ideas import routes as ideas
from sightline.ideas import routes_reviews as idea_reviews
from sightline.initiatives import routes as initiatives
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import Engine
from sightline.migrations import pending_on
from sightline.platform import logs
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.db.feeds import Totals
from sightline.platform.http import openapi
from sightline.platform.http.compression import Compressed
from sightline.platform.http.endpoint import Endpoint, Lazy, Paths, Services
from sightline.platform.http.health import Readiness, health_pages
from sightline.platform.http.metrics import metrics_page, watched
from sightline.platform.http.operations import Operation, operations_of
from sightline.platform.http.pages import Page, reference_pages
from sightline.platform.http.server import Server, refuse_unknown_path
from sightline.platform.http.throttle import RequestsPerMinute
from sightline.platform.jobs.metrics import tell_jobs
from sightline.settings import Settings
from sightline.signals import routes as signals
from sightline.signals import routes_insights as insights
from sightline.studies import routes as studies
from sightline.workspaces import routes as workspaces
from sightline.workspaces.guard import KeyGuard

API = "/api/external/v1"
ROOMS = (ideas, idea_reviews, signals, insights, studies, initiatives, documents, catalog, workspaces)

# What browsers of other origins may send and see, where `cors_origins` lets them.
CORS_SENT = ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id")
CORS_SEEN = (
    *("X-Total-Count", "X-Limit", "X-Offset", "X-Has-More", "Link", "ETag", "X-Request-Id", "Idempotent-Replayed"),
    *("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
    "Retry-After",
)


def operations() -> list[Operation]:
    """The whole table, the most used rooms first."""
    return operations_of(*ROOMS)


def openapi_document() -> str:
    """The OpenAPI document of the whole table, as it is printed and served."""
    return openapi.written(openapi.openapi_document(operations(), API))


def create_app(settings: Settings | None = None) -> Any:
    """The application as uvicorn runs it; without settings they are read from the environment.

    Its database is opened when the server starts it: there DatabaseUnavailable ends the start.
    """
    return build_app(settings or Settings.read(), operations())


def build_app(settings: Settings, table: list[Operation]) -> Any:
    """The application of these operations."""
    logs.configure(settings.log_level, settings.log_format)
    lazy = Lazy()

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with _services(settings) as lazy.services, watched(lazy.services.db):
            yield

    routes = [*_routes(table, lazy), *(Route(path, page) for path, page in _pages(lazy).items())]
    router = Router(routes, redirect_slashes=False, default=refuse_unknown_path, lifespan=lifespan)
    return _open_to_browsers(Server(Compressed(router)), settings.cors_origins)


@asynccontextmanager
async def _services(settings: Settings) -> AsyncIterator[Services]:
    assert settings.database_url  # noqa: S101 - serve names it
    assert settings.direct_url  # noqa: S101 - likewise
    db = await Database.connect(
        settings.database_url,
        size=settings.pool_size,
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
    )
    guard = KeyGuard(db, settings.direct_url)
    await guard.open()
    try:
        throttle = RequestsPerMinute(settings.rate_limit) if settings.rate_limit else None
        yield Services(db, guard, throttle, tools=make_tools())
    finally:
        await guard.close()
        await db.close()


def make_tools() -> dict[type, Any]:
    """What rooms share for as long as the process lives."""
    engine = embedded_engine()
    return {Engine: engine, FeatureMaps: FeatureMaps(engine), Totals: Totals()}


def _routes(table: list[Operation], lazy: Lazy) -> list[Route]:
    by_path = groupby(sorted(table, key=lambda row: table.index(_first_of(table, row))), key=lambda row: row.path)
    return [Route(f"{API}{path}", Paths([Endpoint(row, lazy) for row in rows])) for path, rows in by_path]


def _first_of(table: list[Operation], row: Operation) -> Operation:
    return next(other for other in table if other.path == row.path)


def _pages(lazy: Lazy) -> dict[str, Page]:
    """What is answered besides the API."""
    return {
        **reference_pages(openapi_document, f"{API}/openapi.json"),
        **health_pages(Readiness(pending_on), lambda: lazy.services.db),
        "/metrics": metrics_page(lambda: tell_jobs(lazy.services.db)),
    }


def _open_to_browsers(app: Any, origins: tuple[str, ...]) -> Any:
    """Around everything, so that refusals too can be read by a page of these origins; nothing without any."""
    if not origins:
        return app
    methods = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
    return CORSMiddleware(app, origins, methods, CORS_SENT, expose_headers=CORS_SEEN)
