"""The steps of a run: start a section, search it, seal it with its findings. Each step is one transaction."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
import structlog

from sightline.intelligence.plans import PlanDefinition, PlanSection
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, sql
from sightline.platform.db.database import first_line
from sightline.platform.db.retries import until_answered
from sightline.research.app_reviews.queries import warnings_of
from sightline.research.runs import progress, queries
from sightline.research.runs.active import IS_ACTIVE
from sightline.research.runs.cancelling import run_while
from sightline.research.runs.progress import Attempt
from sightline.research.runs.queries import RunState
from sightline.research.runs.search import Budget, SearchTools, SectionSearchFailed, Terms, search_section
from sightline.research.runs.search_result import KnownSource, SearchedSection
from sightline.research.runs.start import SECTION_CREDITS
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import return_credits, settle_credits

MOST_ATTEMPTS = 5  # of a section; a worker that dies each time does not try for ever
PREVIEW_ROUNDS = 1
ALL_FAILED = "Every section failed."
GAVE_UP = "The search ended early each time it was tried."

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SectionTask:
    """A section to search, and how. `warnings` say what its apps did not give."""

    attempt: Attempt
    section: PlanSection
    terms: Terms
    budget: Budget
    known: dict[str, KnownSource]
    warnings: tuple[str, ...]


# Whether the brief has completed another run, and up to which time the latest one searched.
_FIND_EARLIER = sql("""
SELECT count(*) > 0 AS has_completed, max(to_date_time) AS until FROM research_runs
 WHERE workspace_id = :workspace_id AND brief_id = :brief_id AND id <> :run_id AND status = 'completed'""")
# The next section to search, and its attempts so far.
_FIND_NEXT = sql(
    """
SELECT id, attempts FROM research_sections
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND {is_active}
 ORDER BY position, id LIMIT 1""",
    is_active=IS_ACTIVE,
)
_BEGIN_SECTION = sql("""
UPDATE research_sections SET status = 'running', attempts = attempts + 1
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id""")
_FIND_SCORES = sql("SELECT scores FROM research_runs WHERE workspace_id = :workspace_id AND id = :run_id")


async def start_next_section(tx: Tx, workspace_id: UUID, run_id: UUID) -> SectionTask | None:
    """Starts an attempt at the next active section. Ends the run and returns None if none is left, or it has ended."""
    run = await queries.lock_active_run(tx, workspace_id, run_id)
    if run is None:
        return None
    tx = tx.later()
    definition = msgspec.json.decode(run.definition, type=PlanDefinition)
    of_run = {"workspace_id": workspace_id, "run_id": run_id}
    earlier = await tx.one(_FIND_EARLIER, **of_run, brief_id=run.brief_id)
    since, until = _window(run, definition, earlier["until"], tx.now)
    await progress.begin_run(tx, workspace_id, run_id, since, until)
    while (found := await tx.row(_FIND_NEXT, **of_run)) is not None:
        id, attempts = found
        if attempts < MOST_ATTEMPTS:
            await tx.run(_BEGIN_SECTION, **of_run, id=id)
            return SectionTask(
                attempt=Attempt(workspace_id, run_id, id, attempts + 1),
                section=next(section for section in definition.sections if section.id == id),
                terms=terms_of(definition, since, until),
                budget=Budget() if earlier["has_completed"] else Budget(rounds=PREVIEW_ROUNDS),
                known=await progress.find_sources(tx, workspace_id, run_id),
                warnings=warnings_of(definition, await tx.value(_FIND_SCORES, **of_run), id),
            )
        await _fail(tx, Attempt(workspace_id, run_id, id, attempts), GAVE_UP)
    await _finish(tx, workspace_id, run)
    return None


def _window(
    run: RunState, definition: PlanDefinition, last_until: datetime | None, now: datetime
) -> tuple[datetime, datetime]:
    """Returns the dates of the run: those of its first start, or the look-back of its plan until now.

    A scheduled run looks back to the day on which the last completed one ended.
    """
    if run.from_date_time is not None and run.to_date_time is not None:
        return run.from_date_time, run.to_date_time
    if run.trigger == "schedule" and last_until is not None and last_until < now:
        return last_until.replace(hour=0, minute=0, second=0, microsecond=0), now
    return now - timedelta(days=definition.initial_lookback_days), now


def terms_of(definition: PlanDefinition, since: datetime, until: datetime) -> Terms:
    return Terms(
        research_mode=definition.research_mode,
        since=since,
        until=until,
        target=definition.max_sources_per_section,
        output_language=definition.output_language,
    )


async def search_section_of(db: Database, tools: SearchTools, task: SectionTask) -> None:
    """Searches the section and seals it, unless the run is stopped meanwhile."""
    try:
        found = await _search(db, tools, task)
    except SectionSearchFailed as failed:
        _log.warning("A section found no source that answers", run=task.attempt.run_id, error=first_line(failed))
        async with db.transaction() as tx:
            if await queries.lock_known_run(tx, task.attempt.workspace_id, task.attempt.run_id) is not None:
                await _fail(tx.later(), task.attempt, str(failed))
        return
    if found is not None:
        async with db.transaction() as tx:
            await _seal(tx, task.attempt, found)


# Uncounts an attempt that has ended without a result.
_RETURN_ATTEMPT = sql("""
UPDATE research_sections SET attempts = attempts - 1
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id AND status = 'running' AND attempts = :attempt""")


@until_answered
async def return_attempt(db: Database, attempt: Attempt) -> None:
    """Takes back an attempt that an outage of the database ended; waits until the database answers.

    Changes nothing if the start of the attempt was not stored.
    """
    async with db.transaction() as tx:
        await queries.lock_known_run(tx, attempt.workspace_id, attempt.run_id)  # waits for a start that still commits
        await tx.run(_RETURN_ATTEMPT, **attempt._asdict())


async def _search(db: Database, tools: SearchTools, task: SectionTask) -> SearchedSection | None:
    """Returns what the search found, or None within a second after the run is stopped."""
    searching = search_section(
        task.section, task.terms, tools, known=task.known, budget=task.budget, warnings=task.warnings
    )
    return await run_while(searching, lambda: _is_running(db, task.attempt))


# Whether this attempt is the section's latest, and the section is running.
_IS_RUNNING = sql("""
SELECT EXISTS (SELECT FROM research_sections
                WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id AND status = 'running'
                  AND attempts = :attempt)""")


@until_answered
async def _is_running(db: Database, attempt: Attempt) -> bool:
    async with db.autocommit() as tx:
        return bool(await tx.value(_IS_RUNNING, **attempt._asdict()))


# Seals a running section once, for its latest attempt. Its sealed_at is later than those of the run's other sections,
# even if this machine's clock is behind: sources are delivered in this order.
_SEAL = sql("""
UPDATE research_sections
   SET status = 'completed', answer = :answer, failure = NULL,
       sealed_at = greatest(:now, (SELECT max(sealed_at) + interval '1 millisecond' FROM research_sections
                                    WHERE workspace_id = :workspace_id AND run_id = :run_id))
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id AND status = 'running'
   AND attempts = :attempt AND sealed_at IS NULL""")


async def _seal(tx: Tx, attempt: Attempt, found: SearchedSection) -> None:
    """Stores the findings with the section in one transaction, once."""
    if await queries.lock_known_run(tx, attempt.workspace_id, attempt.run_id) is None:
        return
    tx = tx.later()
    if await tx.run(_SEAL, **attempt._asdict(), answer=found.answer):
        await progress.add_found(tx, attempt, found)
        await settle_credits(tx, attempt.workspace_id, SECTION_CREDITS)
        await progress.spend_reserved(tx, attempt.workspace_id, attempt.run_id, SECTION_CREDITS)


_FAIL = sql(
    """
UPDATE research_sections SET status = 'failed', failure = :failure
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id AND {is_active} AND attempts = :attempt""",
    is_active=IS_ACTIVE,
)


async def _fail(tx: Tx, attempt: Attempt, failure: str) -> None:
    if await tx.run(_FAIL, **attempt._asdict(), failure=failure):
        await return_credits(tx, attempt.workspace_id, SECTION_CREDITS)
        await progress.spend_reserved(tx, attempt.workspace_id, attempt.run_id, SECTION_CREDITS)


async def _finish(tx: Tx, workspace_id: UUID, run: RunState) -> None:
    """Ends a run whose sections have all ended: completed, or failed if no section has a result."""
    counts = await queries.count_sections(tx, workspace_id, run.id)
    status, failure = ("completed", None) if counts["completed"] else ("failed", ALL_FAILED)
    await queries.end_run(tx, workspace_id, run.id, status, failure)
    actor = Actor(workspace_id, "job", str(run.id))
    await log_change(tx, actor, "research_run", run.id, None, status, briefId=str(run.brief_id))


async def give_up(tx: Tx, workspace_id: UUID, run_id: UUID, failure: str, *, is_stopped: bool) -> None:
    """Ends a run whose job cannot go on: its active sections fail, or are stopped; completed ones stay."""
    run = await queries.lock_active_run(tx, workspace_id, run_id)
    if run is None:
        return
    tx = tx.later()
    ended = await queries.end_sections(
        tx, workspace_id, run_id, "stopped" if is_stopped else "failed", None if is_stopped else failure
    )
    await return_credits(tx, workspace_id, ended * SECTION_CREDITS)
    await progress.spend_reserved(tx, workspace_id, run_id, ended * SECTION_CREDITS)
    if is_stopped:
        await queries.end_run(tx, workspace_id, run_id, "stopped", failure)
    else:
        await _finish(tx, workspace_id, run)
