"""The background worker: every room's jobs on one queue, and their periodic work.

Run by `sightline.cli.worker_process`, beside a server or by `sightline worker`. Only this module imports what rooms
need for background work.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.documents import jobs as documents
from sightline.ideas import jobs as ideas
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.engine import Engine
from sightline.language_model import model_tools
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.http.idempotency import forget_expired
from sightline.platform.jobs import JobsOfRoom, Tick, Tools
from sightline.platform.jobs.worker import Pace, Worker
from sightline.portal import jobs as portal
from sightline.research import jobs as research
from sightline.research.runs.searching import Tools as SearchTools
from sightline.settings import Settings
from sightline.signals.processing import jobs as signals
from sightline.sources.app_store.store import AppStore
from sightline.sources.library.library import Library
from sightline.sources.providers.choice import make_provider


def jobs_of_rooms() -> list[JobsOfRoom]:
    """Returns the jobs of each room, from its `jobs.py`, and the clean-up of stored responses."""
    upkeep = JobsOfRoom(ticks=[Tick("idempotency.forget", forget_expired)])
    return [signals.JOBS, ideas.JOBS, documents.JOBS, research.JOBS, portal.JOBS, upkeep]


@asynccontextmanager
async def open_tools(settings: Settings) -> AsyncIterator[Tools]:
    """The objects that handlers share during the life of the worker."""
    async with _search_tools(settings) as search:
        yield {
            Engine: embedded_engine(),
            FeatureMaps: FeatureMaps(embedded_engine()),
            SearchTools: search,
            AppStore: AppStore(settings.app_store_url, settings.app_store_country),
            **model_tools(settings),
        }


@asynccontextmanager
async def _search_tools(settings: Settings) -> AsyncIterator[SearchTools]:
    """The web if a provider of it is chosen or configured, else the library."""
    researcher = EmbeddedResearcher()
    if settings.chosen_provider == "library":
        library = Library(settings.library, settings.data_dir / "library.index")
        yield SearchTools(researcher, library, library)
        return
    from sightline.sources.web.reader import WebReader
    from sightline.sources.web.sites import WithSites

    reader = WebReader(Clock(settings.clock_offset), settings.fetch_allow)
    name = settings.chosen_provider
    try:
        provider = make_provider(name, *settings.web_providers[name])
        yield SearchTools(researcher, WithSites(provider, reader), reader)
    finally:
        await reader.aclose()


async def work(settings: Settings, on_ready: Callable[[], None]) -> None:
    """Runs jobs until SIGTERM or SIGINT, then hands unfinished ones back.

    Raises DatabaseUnavailable if the database cannot be reached at the start.
    """
    assert settings.database_url  # noqa: S101 - the command sets it
    assert settings.direct_url  # noqa: S101 - likewise
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    db = await Database.connect(
        settings.database_url,
        size=max(2, min(settings.pool_size, settings.concurrency)),
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
    )
    pace = Pace(concurrency=settings.concurrency, heartbeat=timedelta(seconds=settings.job_heartbeat))
    try:
        async with open_tools(settings) as tools:
            await Worker(db, settings.direct_url, jobs_of_rooms(), tools, pace).run(ending, on_ready)
    finally:
        await db.close()
