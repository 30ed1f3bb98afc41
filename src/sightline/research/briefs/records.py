"""Briefs as the API lists and shows them, and the views of one. Specification: Saved research, GET /research."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta

from sightline.intelligence.plans import PlanDefinition
from sightline.intelligence.research import SectionAnswer
from sightline.platform.http.query_strings import Query
from sightline.platform.lists.paging import CURSOR
from sightline.platform.wire import WITHOUT_NUL, Id, Page, Record, Timestamp, WireType
from sightline.research.runs import records as runs
from sightline.research.schedules.cadence import RunPolicy

BriefState = Literal["draft", "active", "paused", "archived"]
ResearchViewName = Literal["brief", "progress", "runs", "run", "findings", "records"]
LONGEST_SEARCH = 120
LONGEST_CURSOR = 1_000


class Cadence(Record):
    """How often a brief runs by itself, and in which time zone."""

    run_policy: RunPolicy
    timezone: str


class LastRun(Record):
    """The newest run of a brief."""

    id: UUID
    status: runs.RunStatus
    finished_at: Timestamp | None


class BriefSummary(Record):
    """A brief in a list. `nextRunAt` is null unless the brief is active and runs daily or weekly."""

    id: UUID
    name: str
    state: BriefState
    row_version: int
    cadence: Cadence
    next_run_at: Timestamp | None
    last_run: LastRun | None
    created_at: Timestamp
    updated_at: Timestamp


class PlanRevision(Record):
    """A version of the plan; `revision` counts them."""

    revision: int
    definition: PlanDefinition


class BriefConfiguration(Record):
    """The state of a brief, its plan, and the plan that was kept last: scheduled runs keep to that one."""

    state: BriefState
    draft: PlanRevision
    kept: PlanRevision | None


class Brief(BriefSummary):
    """A brief with its plan. `question` is what the plan was made for, where it is known."""

    question: str
    configuration: BriefConfiguration


class _BoundedText(str, metaclass=WireType):
    """A parameter's text with a bound of its own."""

    longest = 0
    pattern = WITHOUT_NUL

    @classmethod
    def read(cls, value: Any) -> str:
        if len(value) > cls.longest:
            raise ValueError(f"At most {cls.longest} characters")
        return str(value)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "maxLength": cls.longest, "pattern": cls.pattern}


class SearchText(_BoundedText):
    longest = LONGEST_SEARCH


class Cursor(_BoundedText):
    longest = LONGEST_CURSOR
    pattern = CURSOR


class BriefFilters(Query):
    """What to find."""

    q: Annotated[
        SearchText | None,
        Meta(description="Each begins a word of the name, the question, the subjects, the scope or a host."),
    ] = None


class Inspection(Query):
    """Which view of a brief, and of which of its runs."""

    view: Annotated[ResearchViewName, Meta(description="What to show.")] = "brief"
    run_id: Annotated[
        Id | None, Meta(description="A run of this brief; required for the views run, findings and records.")
    ] = None
    section_id: Annotated[Id | None, Meta(description="A section of the run; required for the view findings.")] = None
    cursor: Annotated[Cursor | None, Meta(description="The `nextCursor` of the page before, for the view runs.")] = None


class Pagination(Record):
    """Which part of a list this is."""

    total: int
    limit: int
    offset: int
    has_more: bool

    @classmethod
    def of(cls, page: Page[Any]) -> "Pagination":
        return cls(page.total, page.window.limit, page.window.offset, page.has_more)


class BriefList(Record):
    """A page of briefs, the newest first."""

    items: list[BriefSummary]
    pagination: Pagination


class BriefView(Record, tag_field="view", tag="brief"):
    """The view `brief`."""

    brief: Brief


class ProgressView(Record, tag_field="view", tag="progress"):
    """The view `progress`: the newest run, null when there is none, or the run that `runId` names."""

    run: runs.RunReceipt | None


class RunView(Record, tag_field="view", tag="run"):
    """The view `run`: the run with the plan and the dates that it was made with. Dates are null until it starts."""

    run: runs.RunReceipt
    definition: PlanDefinition
    from_date_time: Timestamp | None
    to_date_time: Timestamp | None
    review_themes: list[runs.ReviewThemes]
    scores: list[runs.AppScore]


class RunsView(Record, tag_field="view", tag="runs"):
    """The view `runs`: the newest first."""

    items: list[runs.RunReceipt]
    has_more: bool
    next_cursor: str | None


class FindingsView(Record, tag_field="view", tag="findings"):
    """The view `findings`: the findings of one section, and its answer once the section is completed."""

    answer: SectionAnswer | None
    items: list[runs.Finding]
    pagination: Pagination


class RecordsView(Record, tag_field="view", tag="records"):
    """The view `records`: reviews that were read directly."""

    items: list[runs.StoreRecord]
    pagination: Pagination


ResearchView = BriefView | ProgressView | RunView | RunsView | FindingsView | RecordsView
