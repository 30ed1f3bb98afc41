"""Operations on saved research. Specification: Research."""

from sightline.platform.access import Role
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, NotFound, RequestIdReused
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Listed, Versioned
from sightline.research import refusals
from sightline.research.briefs import inspect, queries, updates
from sightline.research.briefs.records import BriefFilters, BriefList, Inspection, ResearchView
from sightline.research.briefs.updates import ChangedBrief
from sightline.research.commands import PrepareCommand, ResearchRun, ResearchUpdate
from sightline.research.perform import Performed, perform
from sightline.workspaces.credits import CreditsExhausted

PAGING = Paging(10, 50)


@operation("GET", "/research", scopes=[Scope.RESEARCH_READ], paging=PAGING)
async def list_research(call: Call, query: BriefFilters, window: Window) -> Listed[BriefList]:
    """Lists saved research, newest first. Calls no model and no source."""
    async with call.db.autocommit() as tx:
        return await queries.list_briefs(tx, call.actor.workspace_id, query, window)


@operation(
    "POST",
    "/research/run",
    scopes=[Scope.RESEARCH_RUN],
    refuses=[
        NotFound,
        CreditsExhausted,
        RequestIdReused,
        refusals.StalePlan,
        refusals.RunActive,
        refusals.IncompatibleRun,
        refusals.DestinationUnavailable,
        refusals.ScheduleNotAllowed,
        Conflict,
    ],
    calls_out=lambda body: isinstance(body.command, PrepareCommand),
    example={"command": {"action": "prepare", "question": "How do competitors export reports for finance teams?"}},
)
async def run_research(call: Call, body: ResearchRun) -> Performed:
    """Prepares a plan, starts a run, adds its sources to a product, retries or stops it.

    `prepare` drafts a plan to review; where several apps may be meant, prepare again with a `selection` of its
    `choices`. `start` saves it and queues a run, once per `requestId`; poll `view=progress`. `add` turns the sources of
    a run into signals of a product without a new search. `retry` keeps the run's dates and completed sections, `stop`
    keeps its completed sections. Planning costs 1 AI credit, a searched section 5, an added source 1; what fails or is
    stopped is returned.
    """
    return await perform(call.db, call.tools, call.actor, body.command, call.keep)


@operation(
    "POST",
    "/research/updates",
    scopes=[Scope.RESEARCH_MANAGE],
    role=Role.ADMIN,
    refuses=[NotFound, refusals.ScheduleNotAllowed, refusals.IncompatibleRun, refusals.StalePlan],
    example={"command": {"action": "pause", "briefId": "3f1b7a52-9d0e-4c41-8a6f-2b7c5d9e1f04"}},
)
async def update_research(call: Call, body: ResearchUpdate) -> ChangedBrief:
    """Keeps a reviewed plan, changes its cadence, pauses, resumes or archives it.

    Daily runs start at 06:00 and weekly runs on Monday at 06:00 in the time zone of the research.
    """
    async with call.db.transaction() as tx:
        return await updates.update(tx, call.actor, body.command)


@operation("GET", "/research/{brief_id}", scopes=[Scope.RESEARCH_READ], paging=PAGING)
async def inspect_research(
    call: Call, brief_id: RecordId, query: Inspection, window: Window
) -> Versioned[ResearchView]:
    """Gets one view of saved research. Starts nothing, calls no model and no source.

    `brief` is the plan, `progress` the newest run, `runs` the history, `run` one run with the plan and the dates that
    it was made with, `findings` one section's findings with its answer, `records` the reviews that were read directly.
    """
    return await inspect.inspect(call.db, call.actor, brief_id, query, window, at_once=call.at_once)
