"""Saved research in the workspace file: briefs with their plans, and ended runs with all they found.

Runs that have not ended are left out, and so are those whose sources are being added to the product.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.intelligence.plans import MOST_SECTIONS
from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import Converted, FileRecord, Find, KeyedRecord, Link, Table
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Hexadecimal, Id, Line, Moment, Name, Positive, Whole, Word
from sightline.research.briefs.queries import words_of
from sightline.research.briefs.records import BriefState
from sightline.research.commands import Zone
from sightline.research.plans.inputs import PlanName
from sightline.research.runs.active import IS_ACTIVE, IS_BEING_ADDED
from sightline.research.runs.records import RunStatus
from sightline.research.schedules.cadence import RunPolicy, next_slot
from sightline.workspaces.credits import recount_reserved


def _find_signals(value: Sequence[str], find: Find) -> list[Any]:
    found = (find("signals", text, f"[{index}]", lenient=True) for index, text in enumerate(value))
    return [id or parse_uuid(text) for id, text in zip(found, value, strict=True)]


# The signals that a run was turned into; deleted ones keep their id.
_SIGNALS = Converted(_find_signals)


# A page has up to 50 findings or reviews, which are read and encoded at once; of a run and a section it has one.
_MOST_OF_PAGE, _MOST_OF_RUN = 128 * 1024, 1024 * 1024


async def _refuse_large(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses a finding or a review that takes more than 128 KiB."""
    for entry in sound(entries):
        if len(msgspec.json.encode(entry.given)) > _MOST_OF_PAGE:
            run.refuse(entry, "", "Takes more than 128 KiB")
    yield


def _refuse_large_fields(run: Run, entries: list[Entry], *names: str) -> None:
    for entry in sound(entries):
        for name in names:
            if len(msgspec.json.encode(entry.given.get(name))) > _MOST_OF_RUN:
                run.refuse(entry, name, "Takes more than 1 MiB")


_FULL = sql("""
SELECT run_id FROM research_sections WHERE workspace_id = :workspace_id AND run_id = ANY(:ids::uuid[])
 GROUP BY run_id HAVING count(*) > :most""")


async def _settle_sections(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses what is too large, and more sections than a plan has, with those that the run has already."""
    _refuse_large_fields(run, entries, "answer")
    yield
    last = {entry.row["run_id"]: entry for entry in sound(entries)}
    for row in await run.tx.rows(_FULL, workspace_id=run.workspace_id, ids=list(last), most=MOST_SECTIONS):
        run.refuse(last[row["run_id"]], "", f"The run then has more than {MOST_SECTIONS} sections")


_INDEX = sql(
    "UPDATE research_briefs SET search = {words} WHERE workspace_id = :workspace_id AND id = ANY(:ids)",
    words=words_of("name", "question", "definition"),
)


async def _settle_briefs(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Sets `next_run_at` unless the file gives it: the next slot of an active brief, and none of another one.

    An active brief keeps the slot that it has unless its cadence changed. Active and paused briefs without a kept plan
    keep their current one. Indexes name, question and the texts of the plan for the search.
    """
    _refuse_large_fields(run, entries, "question", "definition", "keptDefinition")
    for entry in sound(entries):
        row, stored = entry.row, entry.stored
        if row["state"] in ("active", "paused") and row["kept_definition"] is None:
            row["kept_definition"], row["kept_revision"] = row["definition"], row["revision"]
        if "nextRunAt" in entry.given:
            continue
        if row["state"] != "active":
            row["next_run_at"] = None
        elif row["next_run_at"] is None or any(row[name] != stored[name] for name in ("run_policy", "timezone")):
            row["next_run_at"] = next_slot(row["run_policy"], row["timezone"], run.tx.now)
    yield
    changed = [entry.id for entry in sound(entries) if entry.is_new or entry.changed]
    await run.tx.run(_INDEX, workspace_id=run.workspace_id, ids=changed)


_IS_BUSY = f"({IS_ACTIVE} OR {IS_BEING_ADDED}) IS TRUE"
_LOCK_RUNS = sql(
    """
SELECT id, {is_busy} AS is_busy
  FROM research_runs WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]) FOR NO KEY UPDATE""",
    is_busy=_IS_BUSY,
)


async def _settle_runs(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Sets `operation_id` to the run's id and `created_at` to now if they are missing.

    Refuses to change a run that is active, or whose sources are being added: a worker is at it.
    """
    _refuse_large_fields(run, entries, "definition", "reviewThemes", "scores")
    known = [entry.id for entry in sound(entries) if not entry.is_new]
    rows = await run.tx.rows(_LOCK_RUNS, workspace_id=run.workspace_id, ids=known) if known else []
    busy = {row["id"] for row in rows if row["is_busy"]}
    for entry in sound(entries):
        if entry.id in busy:
            run.refuse(entry, "", "Has not ended here, or its sources are being added; try again when it has")
        entry.row["operation_id"] = entry.row["operation_id"] or entry.id
        entry.row["created_at"] = entry.row["created_at"] or run.tx.now
    yield


_RESERVED = sql("SELECT coalesce(sum(credits_reserved), 0) FROM research_runs WHERE workspace_id = :workspace_id")


async def return_credits(run: Run) -> AsyncIterator[None]:
    """Returns what removed runs had reserved."""
    yield
    if "research" in run.pruned:
        await recount_reserved(run.tx, run.workspace_id, _RESERVED)


class FindingRecord(FileRecord):
    """What a section found at one address."""

    title: str | None = ""
    url: str | None = ""
    publisher: str | None = None
    published_at: Moment | None = None
    retrieved_at: Moment | UnsetType = UNSET
    relevance: dict[str, Any] | None = msgspec.field(default_factory=dict)
    observations: list[Any] | None = msgspec.field(default_factory=list)
    provenance: dict[str, Any] | None = msgspec.field(default_factory=dict)
    source_id: Id | None = None


class SectionRecord(FileRecord):
    """A section of a run, with its findings."""

    name: Name | UnsetType = UNSET
    type: Literal["competitors", "market", "custom"] | None = "custom"
    status: RunStatus | None = "completed"
    attempts: Whole | None = 0
    answer: dict[str, Any] | None = None
    failure: Line | None = None
    sealed_at: Moment | None = None
    findings: list[FindingRecord] | None = None


class SourceRecord(FileRecord):
    """A page that a run read."""

    url: str | None = ""
    content_hash: Word | UnsetType = UNSET
    content: str | None = ""
    retrieved_at: Moment | UnsetType = UNSET
    language: Word | None = None


class ReviewRecord(FileRecord):
    """A review of an app that a run read."""

    section_id: Id | None = None
    connector: Word | None = cast("Word", "mobile_store")
    external_id: Word | UnsetType = UNSET
    label: Line | None = ""
    rating: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    title: str | None = ""
    body: str | None = ""
    app_version: Line | None = msgspec.field(default=None, name="version")
    storefront: Line | None = None
    submitted_at: Moment | None = None
    url: Line | None = None


class RunRecord(FileRecord):
    """A run that has ended, with all it found."""

    operation_id: Id | None = None
    request_id: Id | None = None
    request_hash: Hexadecimal | None = None
    trigger: Literal["manual", "schedule"] | None = "manual"
    slot: Moment | None = None
    status: Literal["completed", "failed", "stopped"] | None = "completed"
    revision: Whole | None = 1
    definition: dict[str, Any] | None = msgspec.field(default_factory=dict)
    from_date_time: Moment | None = None
    to_date_time: Moment | None = None
    native_read_count: Whole | None = 0
    review_themes: list[Any] | None = msgspec.field(default_factory=list)
    scores: list[Any] | None = msgspec.field(default_factory=list)
    addition_status: Literal["completed", "failed"] | None = None
    addition_product: Annotated[Word | None, Link("products")] = None
    addition_signal_ids: Annotated[Annotated[list[str], Meta(max_length=1_000)] | None, _SIGNALS] = msgspec.field(
        default_factory=list, name="additionSignals"
    )
    addition_failure: Line | None = None
    failure: Line | None = None
    started_at: Moment | None = None
    finished_at: Moment | None = None
    sections: Annotated[list[SectionRecord], Meta(max_length=MOST_SECTIONS)] | None = None
    sources: list[SourceRecord] | None = None
    records: list[ReviewRecord] | None = None


class BriefRecord(KeyedRecord):
    """Saved research with its runs."""

    name: PlanName | UnsetType = UNSET
    question: str | None = ""
    state: BriefState | None = "draft"
    row_version: Positive | None = 1
    revision: Positive | None = 1
    definition: dict[str, Any] | None = msgspec.field(default_factory=dict)
    kept_revision: Positive | None = None
    kept_definition: dict[str, Any] | None = None
    run_policy: RunPolicy | None = "on_demand"
    timezone: Zone | None = cast("Zone", "UTC")
    next_run_at: Moment | None = None
    created_by: Annotated[Word | None, Link("members", "created_by")] = None
    runs: list[RunRecord] | None = None


def _of_run(path: str, record: type[FileRecord], **more: Any) -> Table:
    """Returns the table of a part of a run."""
    own: dict[str, Any] = {"primary": ("run_id", "id"), "parents": ("run_id",), "logged": False, "stamped": False}
    return Table(f"research.runs.{path}", f"research_{path.rpartition('.')[2]}", record, **(own | more))


FINDINGS = _of_run(
    "sections.findings", FindingRecord, parents=("run_id", "section_id"), placed=True, rules=_refuse_large
)
SECTIONS = _of_run("sections", SectionRecord, children=(FINDINGS,), placed=True, rules=_settle_sections)
SOURCES = _of_run("sources", SourceRecord, order="retrieved_at, id")
RECORDS = _of_run("records", ReviewRecord, placed=True, rules=_refuse_large)
RUNS = Table(
    "research.runs",
    "research_runs",
    RunRecord,
    children=(SECTIONS, SOURCES, RECORDS),
    parents=("brief_id",),
    stamped=False,
    where=f"NOT {_IS_BUSY}",
    rules=_settle_runs,
)
BRIEFS = Table(
    "research", "research_briefs", BriefRecord, children=(RUNS,), versioned="row_version", batch=1, rules=_settle_briefs
)
