"""The jobs of research: searching a run, adding its sources to a product, and starting what is due."""

from uuid import UUID

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.model.research.researcher import choose_researcher
from sightline.platform.access import Actor
from sightline.platform.db import Database, sql
from sightline.platform.db.retries import is_away
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.research.app_reviews.reading import read_apps
from sightline.research.delivery import deliver
from sightline.research.delivery import queries as delivery
from sightline.research.delivery.add import ADD_SOURCES
from sightline.research.runs import queries, work
from sightline.research.runs.search import SearchTools
from sightline.research.runs.start import SEARCH_RUN
from sightline.research.runs.stop import search_again
from sightline.research.schedules import due
from sightline.sources.app_store.store import AppStore

STOPPED = "Somebody stopped it."
SEARCH_FAILED = "The search ended with an error."
ADDITION_FAILED = "The sources could not be added."


async def search_run(db: Database, tools: Tools, workspace_id: UUID, run_id: UUID) -> None:
    """Reads the apps, then searches the sections one after the other and seals each with its findings."""
    await read_apps(db, tools[AppStore], workspace_id, run_id)
    while True:
        task = None
        try:
            async with db.transaction() as tx:
                task = await work.start_next_section(tx, workspace_id, run_id)
            if task is None:
                return
            await _search_section(db, tools, task)
        except Exception as error:
            if task is not None and is_away(error):  # the start may be stored though its COMMIT had no answer
                await work.return_attempt(db, task.attempt)
            raise


async def _search_section(db: Database, tools: Tools, task: work.SectionTask) -> None:
    search_tools: SearchTools = tools[SearchTools]
    attempt = task.attempt
    researcher = await choose_researcher(db, tools, search_tools.researcher, attempt.workspace_id, attempt.id)
    await work.search_section_of(db, search_tools._replace(researcher=researcher), task)


async def give_up_search(db: Database, workspace_id: UUID, run_id: UUID, error: Exception) -> None:
    """Ends the open sections; the log has the error."""
    is_stopped = isinstance(error, JobStopped)
    async with db.transaction() as tx:
        await work.give_up(tx, workspace_id, run_id, STOPPED if is_stopped else SEARCH_FAILED, is_stopped=is_stopped)


async def revive_search(db: Database, workspace_id: UUID, run_id: UUID) -> None:
    """Queues the sections without a result again."""
    async with db.transaction() as tx:
        await search_again(tx, Actor(workspace_id, "job", str(run_id)), run_id)


async def add_sources(db: Database, tools: Tools, workspace_id: UUID, run_id: UUID) -> None:
    """Makes a signal of each source, one after the other."""
    while True:
        async with db.transaction() as tx:
            found = await deliver.find_next(tx, workspace_id, run_id)
        if found is None:
            return
        await deliver.deliver(db, tools[EmbeddedEngine], workspace_id, found)


async def give_up_addition(db: Database, workspace_id: UUID, run_id: UUID, error: Exception) -> None:
    """Ends the addition; the signals that it made stay."""
    failure = STOPPED if isinstance(error, JobStopped) else ADDITION_FAILED
    async with db.transaction() as tx:
        await deliver.fail(tx, workspace_id, run_id, failure)


# The longest due first.
_FIND_DUE = sql("""
SELECT workspace_id, id FROM research_briefs WHERE state = 'active' AND next_run_at <= :now ORDER BY next_run_at, id""")


async def start_due(db: Database, _tools: Tools) -> None:
    """Starts what is due by its cadence."""
    async with db.autocommit() as tx:
        found = await tx.rows(_FIND_DUE)
    for workspace_id, brief_id in found:
        async with db.transaction() as tx:
            await due.start_due(tx, workspace_id, brief_id)


async def resume(db: Database, _tools: Tools) -> None:
    """Adds jobs for runs and additions without one: from a restored backup."""
    await add_missing_jobs(db, SEARCH_RUN, queries.PENDING)
    await add_missing_jobs(db, ADD_SOURCES, delivery.PENDING)


JOBS = JobsOfRoom(
    work=[
        Work(SEARCH_RUN, search_run, give_up_search, attempts=10, revive=revive_search),
        Work(ADD_SOURCES, add_sources, give_up_addition),
    ],
    ticks=[Tick("research.resume", resume), Tick("research.start", start_due)],
)
