"""Saved research in the workspace file: briefs with their plans, and ended runs with all they found.

Runs that have not ended are left out, and so are those whose sources are being added to the product.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sightline.platform.db import sql
from sightline.platform.file_section import Entry, Field, Reference, Run, Section, Table
from sightline.platform.file_section import fields as of
from sightline.research.briefs.queries import words_of
from sightline.research.schedules.cadence import next_slot
from sightline.workspaces.credits import recount_reserved

ENDED = ("completed", "failed", "stopped")
STATES = ("queued", "running", *ENDED)
TYPES = ("competitors", "market", "custom")
_IN_RUN = (("run_id", "id"),)


def _signals() -> Field:
    """The signals that a run was turned into; deleted ones keep their id."""

    def references(value: Sequence[str]) -> Iterator[Reference]:
        for index, text in enumerate(value):
            yield Reference(f"[{index}]", "signals", text, lenient=True)

    return Field(
        "additionSignals",
        "addition_signal_ids",
        list[str],
        [],
        store=lambda value, lookup: [lookup.find("signals", text) or of.read_uuid(text) for text in value],
        show=lambda stored: [str(id) for id in stored],
        references=references,
    )


_INDEX = sql(
    "UPDATE research_briefs SET search = {words} WHERE workspace_id = :workspace_id AND id = ANY(:ids)",
    words=words_of("name", "question", "definition"),
)


async def _index_words(run: Run, entries: list[Entry]) -> None:
    """Indexes name, question and the texts of the plan for the search."""
    changed = [entry.id for entry in entries if entry.is_new or entry.changed]
    if changed:
        await run.tx.run(_INDEX, workspace_id=run.workspace_id, ids=changed)


async def _settle_briefs(run: Run, entries: list[Entry]) -> None:
    """Unless the file gives it, active research with a cadence gets a next slot, and other research none.

    Active and paused research without a kept plan keeps to its current one.
    """
    for entry in entries:
        row, stored = entry.row, entry.stored
        if not entry.broken and row["state"] in ("active", "paused") and row["kept_definition"] is None:
            row["kept_definition"], row["kept_revision"] = row["definition"], row["revision"]
        if entry.broken or "nextRunAt" in entry.given:
            continue
        if row["state"] != "active":
            row["next_run_at"] = None
        elif row["next_run_at"] is None or any(row[name] != stored[name] for name in ("run_policy", "timezone")):
            row["next_run_at"] = next_slot(row["run_policy"], row["timezone"], run.tx.now)


_LOCK_RUNS = sql("""
SELECT id, status IN ('queued', 'running') OR coalesce(addition_status, '') IN ('queued', 'running') AS is_busy
  FROM research_runs WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]) FOR NO KEY UPDATE""")


async def _settle_runs(run: Run, entries: list[Entry]) -> None:
    """A run without an operation is its own operation; without a moment it was added now.

    Refuses to change a run that is searched here, or whose sources are being added: a worker is at it.
    """
    ids = [entry.id for entry in entries if not entry.broken and not entry.is_new]
    rows = await run.tx.rows(_LOCK_RUNS, workspace_id=run.workspace_id, ids=ids) if ids else []
    busy = {row["id"] for row in rows if row["is_busy"]}
    for entry in entries:
        if not entry.broken and entry.id in busy:
            run.refuse(entry, "", "Has not ended here, or its sources are being added; try again when it has")
        if not entry.broken:
            entry.row["operation_id"] = entry.row["operation_id"] or entry.id
            entry.row["created_at"] = entry.row["created_at"] or run.tx.now


_RESERVED = sql("SELECT coalesce(sum(credits_reserved), 0) FROM research_runs WHERE workspace_id = :workspace_id")


async def _return_credits(run: Run) -> None:
    """Returns what removed runs had reserved."""
    if "research" in run.pruned:
        await recount_reserved(run.tx, run.workspace_id, _RESERVED)


FINDINGS = Table(
    "research.runs.sections.findings",
    "research_findings",
    (
        of.text("title"),
        of.text("url"),
        of.text("publisher", nullable=True),
        of.moment("publishedAt"),
        of.moment("retrievedAt", required=True),
        of.json("relevance", default={}),
        of.json("observations", list[Any], default=[]),
        of.json("provenance", default={}),
        of.uuid("sourceId"),
    ),
    parents=(("run_id", "run_id"), ("section_id", "id")),
    primary=("run_id", "id"),
    keyed=False,
    stamped=False,
    position="position",
    order="position, id",
)
SECTIONS = Table(
    "research.runs.sections",
    "research_sections",
    (
        of.name(),
        of.choice("type", *TYPES, default="custom"),
        of.choice("status", *STATES, default="completed"),
        of.whole("attempts", 0),
        of.json("answer"),
        of.text("failure", nullable=True),
        of.moment("sealedAt"),
    ),
    children=(FINDINGS,),
    parents=_IN_RUN,
    primary=("run_id", "id"),
    keyed=False,
    stamped=False,
    position="position",
    order="position, id",
)
SOURCES = Table(
    "research.runs.sources",
    "research_sources",
    (
        of.text("url"),
        of.word("contentHash", required=True),
        of.text("content"),
        of.moment("retrievedAt", required=True),
        of.word("language"),
    ),
    parents=_IN_RUN,
    primary=("run_id", "id"),
    keyed=False,
    stamped=False,
    order="retrieved_at, id",
)
RECORDS = Table(
    "research.runs.records",
    "research_records",
    (
        of.uuid("sectionId"),
        of.word("connector", default="mobile_store"),
        of.word("externalId", required=True),
        of.text("label"),
        of.number("rating", least=0, largest=1_000_000, nullable=True),
        of.text("title"),
        of.text("body"),
        of.text("version", nullable=True).under("app_version"),
        of.text("storefront", nullable=True),
        of.moment("submittedAt"),
        of.text("url", nullable=True),
    ),
    parents=_IN_RUN,
    primary=("run_id", "id"),
    keyed=False,
    stamped=False,
    position="position",
    order="position, id",
)
RUNS = Table(
    "research.runs",
    "research_runs",
    (
        of.uuid("operationId"),
        of.uuid("requestId"),
        of.hexadecimal("requestHash"),
        of.choice("trigger", "manual", "schedule", default="manual"),
        of.moment("slot"),
        of.choice("status", *ENDED, default="completed"),
        of.whole("revision", 1),
        of.json("definition", default={}),
        of.moment("fromDateTime"),
        of.moment("toDateTime"),
        of.whole("nativeReadCount", 0),
        of.json("reviewThemes", list[Any], default=[]),
        of.json("scores", list[Any], default=[]),
        of.choice("additionStatus", "completed", "failed", nullable=True),
        of.reference("additionProduct", "products"),
        _signals(),
        of.text("additionFailure", nullable=True),
        of.text("failure", nullable=True),
        of.moment("createdAt"),
        of.moment("startedAt"),
        of.moment("finishedAt"),
    ),
    kind="research_run",
    children=(SECTIONS, SOURCES, RECORDS),
    parents=(("brief_id", "id"),),
    keyed=False,
    stamped=False,
    spilled=True,
    where=(
        "status IN ('completed', 'failed', 'stopped')"
        " AND coalesce(addition_status, 'completed') IN ('completed', 'failed')"
    ),
    batch=1,
    settle=_settle_runs,
)
BRIEFS = Table(
    "research",
    "research_briefs",
    (
        of.name(longest=120),
        of.text("question"),
        of.choice("state", "draft", "active", "paused", "archived", default="draft"),
        of.whole("rowVersion", 1, least=1),
        of.whole("revision", 1, least=1),
        of.json("definition", default={}),
        of.whole("keptRevision", None, least=1),
        of.json("keptDefinition"),
        of.choice("runPolicy", "on_demand", "daily", "weekly", default="on_demand"),
        of.zone("timezone"),
        of.moment("nextRunAt"),
        of.reference("createdBy", "members").under("created_by"),
    ),
    kind="research_brief",
    children=(RUNS,),
    versioned="row_version",
    settle=_settle_briefs,
    after=_index_words,
)

SECTION = Section(tables=(BRIEFS,), end=_return_credits)
