"""The web application: all operations and pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.routing import Route, Router

from sightline.catalog.accounts import routes as accounts
from sightline.catalog.products import routes as products
from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.teams import routes as teams
from sightline.documents import routes as documents
from sightline.documents.generations import routes as generations
from sightline.ideas import routes as ideas
from sightline.ideas.classifications import routes as idea_classifications
from sightline.ideas.comments import routes as idea_comments
from sightline.ideas.evidence import routes as idea_evidence
from sightline.ideas.matching import routes as idea_matching
from sightline.ideas.questions import routes as idea_questions
from sightline.initiatives import routes as initiatives
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.research import Researcher
from sightline.language_model import model_tools
from sightline.migrations import pending_on
from sightline.platform import logs
from sightline.platform.beside import running
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.http.compression import Compressed
from sightline.platform.http.cors import Cors
from sightline.platform.http.endpoint import Endpoint, Services
from sightline.platform.http.health import Readiness, health_pages
from sightline.platform.http.metrics import metrics_page, watch_pool
from sightline.platform.http.middleware import Server
from sightline.platform.http.operations import Operation, located, operations_of
from sightline.platform.http.proxies import TrustedProxies
from sightline.platform.http.public_pages import PROBES, PublicPage
from sightline.platform.http.routing import Api
from sightline.platform.http.throttle import RequestsPerMinute
from sightline.platform.jobs.overview import refresh_job_gauges
from sightline.platform.lists.totals import Totals
from sightline.platform.server_secret import ServerSecret
from sightline.portal import routes as portal
from sightline.portal.application import Portals
from sightline.portal.limits import Limits
from sightline.portal.visits import Site
from sightline.reference import openapi
from sightline.reference.pages import reference_pages
from sightline.research import routes as research
from sightline.settings import Settings
from sightline.signals import routes as signals
from sightline.signals.insights import routes as insights
from sightline.signals.opportunities import routes as opportunities
from sightline.sources.app_store.store import AppStore
from sightline.studies import routes as studies
from sightline.workspaces import routes as workspaces
from sightline.workspaces.deletions import routes as deletions
from sightline.workspaces.guard.authentication import KeyGuard

API = "/api/external/v1"
IDEAS = (ideas, idea_matching, idea_evidence, idea_questions, idea_comments, idea_classifications, portal)
ROOMS = (
    *IDEAS,
    signals,
    insights,
    opportunities,
    studies,
    research,
    initiatives,
    generations,
    documents,
    teams,
    products,
    accounts,
    workspaces,
    deletions,
)

# The methods and headers that browsers of `cors_origins` may send, and the headers that they may read.
CORS_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
CORS_SENT = ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id")
CORS_SEEN = (
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Has-More",
    "X-Limit",
    "X-Offset",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
    "X-Total-Count",
)


def operations() -> list[Operation]:
    """Returns all operations; the most used rooms come first."""
    return operations_of(*ROOMS)


def openapi_document() -> str:
    """Returns the OpenAPI document of all operations."""
    return openapi.text_of(openapi.openapi_document(operations(), API))


def create_app(settings: Settings | None = None) -> Any:
    """Returns the application for uvicorn. Without `settings` they are read from the environment.

    The database is opened when the server starts; DatabaseUnavailable then ends the start.
    """
    return build_app(settings or Settings.read(), operations())


def build_app(settings: Settings, table: list[Operation]) -> Any:
    """Returns the application of these operations."""
    logs.configure(settings.log_level, settings.log_format)
    services = Services()

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with _started(services, settings), running(watch_pool(services.db)):
            yield

    site = Site(
        database=lambda: services.db,
        secret=ServerSecret(settings.secret) if settings.secret else None,
        public_url=settings.public_url,
        limits=Limits() if settings.portal_limit else None,
        tools=lambda: services.tools,
    )
    portals = Portals(site, {f"/{name}" for name in PROBES})
    routes = [Route(path, page) for path, page in _pages(services).items()]
    router = Router(routes, redirect_slashes=False, default=portals.answer_unknown_path, lifespan=lifespan)
    with_location = located(table)
    endpoints = (Endpoint(row, services, has_location=row.name in with_location) for row in table)
    api = Api(API, endpoints, otherwise=partial(portals.answer_on_own_hosts, router))
    return Server(api, lambda app: _wrap(app, settings.cors_origins), TrustedProxies(settings.trusted_proxies))


@asynccontextmanager
async def _started(services: Services, settings: Settings) -> AsyncIterator[None]:
    assert settings.database_url  # noqa: S101 - serve names it
    assert settings.direct_url  # noqa: S101 - likewise
    db = await Database.connect(
        settings.database_url,
        size=settings.pool_size,
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
        is_impatient=True,
    )
    db.beside = lookups = await Database.connect(
        settings.database_url, size=1, clock=db.clock, through_pooler=settings.is_pooled, is_impatient=True
    )
    guard = KeyGuard(db, settings.direct_url, lookups=lookups)
    try:
        services.db, services.admit, services.tools = db, guard.admit, make_tools(settings)
        services.throttle = RequestsPerMinute(settings.rate_limit) if settings.rate_limit else None
        async with guard.open():
            yield
    finally:
        await lookups.close()
        await db.close()


def make_tools(settings: Settings) -> dict[type, Any]:
    """Returns the objects that rooms share during the life of the process."""
    engine = EmbeddedEngine(model_follows=settings.has_model)
    return {
        EmbeddedEngine: engine,
        FeatureMaps: FeatureMaps(engine),
        Researcher: EmbeddedResearcher(),
        Totals: Totals(),
        **model_tools(settings),
        AppStore: AppStore(settings.app_store_url, settings.app_store_country),
    }


def _pages(services: Services) -> dict[str, PublicPage]:
    """Returns the routes besides the API."""
    return {
        **reference_pages(openapi_document, f"{API}/openapi.json"),
        **health_pages(Readiness(pending_on), lambda: services.db),
        "/metrics": metrics_page(lambda: refresh_job_gauges(services.db)),
    }


def _wrap(app: Any, origins: tuple[str, ...]) -> Any:
    """Wraps what answers: compresses, and lets pages of these origins read the answer, also a problem."""
    compressed = Compressed(app)
    return Cors(compressed, origins, CORS_METHODS, CORS_SENT, expose_headers=CORS_SEEN) if origins else compressed
