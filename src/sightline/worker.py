"""What the background worker runs: every room's jobs and periodic work, and the tools that they need.

`sightline.serving.worker_process` runs it. Only this module imports what rooms need for background work.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from datetime import timedelta

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.renames import follow_once
from sightline.documents import jobs as documents
from sightline.ideas import jobs as ideas
from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.language_model import model_tools
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.http.idempotency import forget_expired
from sightline.platform.jobs import JobsOfRoom, Tick, Tools
from sightline.platform.jobs.queries import FORGET_FAILED
from sightline.portal import jobs as portal
from sightline.research import jobs as research
from sightline.research.runs.search import SearchTools
from sightline.settings import Settings
from sightline.signals.processing import jobs as signals
from sightline.sources.app_store.store import AppStore
from sightline.sources.library.library import Library
from sightline.sources.providers.choice import make_provider

FAILED_KEPT = timedelta(days=30)


def jobs_of_rooms() -> list[JobsOfRoom]:
    """Returns the jobs of each room, from its `jobs.py`, and what belongs to none."""
    upkeep = JobsOfRoom(
        ticks=[
            Tick("jobs.forget_failed", forget_failed),
            Tick("idempotency.forget", forget_expired),
            Tick("catalog.renames", follow_once),
        ]
    )
    return [signals.JOBS, ideas.JOBS, documents.JOBS, research.JOBS, portal.JOBS, upkeep]


async def forget_failed(db: Database, _tools: Tools) -> None:
    """Deletes failed jobs after a month."""
    async with db.autocommit() as tx:
        await tx.run(FORGET_FAILED, kept=FAILED_KEPT)


@asynccontextmanager
async def open_tools(settings: Settings) -> AsyncIterator[Tools]:
    """The objects that handlers share during the life of the worker.

    Research searches the web if a provider of it is chosen or configured, else the library.
    """
    name = settings.chosen_provider
    async with AsyncExitStack() as stack:
        if name == "library":
            library = Library(settings.library, settings.data_dir / "library.index")
            search = SearchTools(EmbeddedResearcher(), library, library)
        else:
            from sightline.sources.web.reader import WebReader
            from sightline.sources.web.sites import WithSites

            reader = WebReader(Clock(settings.clock_offset), settings.fetch_allow)
            await stack.enter_async_context(aclosing(reader))
            provider = make_provider(name, *settings.web_providers[name])
            search = SearchTools(EmbeddedResearcher(), WithSites(provider, reader), reader)
        yield {
            EmbeddedEngine: embedded_engine(),
            FeatureMaps: FeatureMaps(embedded_engine()),
            SearchTools: search,
            AppStore: AppStore(settings.app_store_url, settings.app_store_country),
            **model_tools(settings),
        }
