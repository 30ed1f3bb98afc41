"""Saved research in the workspace file: briefs with their plans, and the runs that ended with all they found.

Runs that still go on are left out, and so are those whose sources are just being added to the product.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sightline.platform.file_section import Entry, Field, Reference, Run, Section, Table
from sightline.platform.file_section import fields as of

STATES = ("queued", "running", "completed", "failed", "stopped")
ENDED = ("completed", "failed", "stopped")
TYPES = ("competitors", "market", "custom")
_IN_RUN = (("run_id", "id"),)


def _signals() -> Field:
    """The signals that a run was turned into, those that are gone too."""

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


_INDEX = """
UPDATE research_briefs b SET search = to_tsvector('simple', name || ' ' || question)
                                 || jsonb_to_tsvector('simple', definition, '["string"]')
  FROM unnest($2::uuid[]) AS w (id) WHERE b.workspace_id = $1 AND b.id = w.id"""


async def _index_words(run: Run, entries: list[Entry]) -> None:
    """What the search looks into: name, question, and the texts of the plan."""
    moved = [entry.id for entry in entries if entry.is_new or entry.changed]
    if moved:
        await run.tx.run(_INDEX, run.workspace_id, moved)


async def _settle_runs(run: Run, entries: list[Entry]) -> None:
    for entry in entries:
        if not entry.broken:
            entry.row["operation_id"] = entry.row["operation_id"] or entry.id
            entry.row["created_at"] = entry.row["created_at"] or run.tx.now


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
        of.choice("runPolicy", "on_demand", "daily", "weekly", default="on_demand"),
        of.zone("timezone"),
        of.moment("nextRunAt"),
        of.reference("createdBy", "members").under("created_by"),
    ),
    kind="research_brief",
    children=(RUNS,),
    versioned="row_version",
    after=_index_words,
)

SECTION = Section(tables=(BRIEFS,))
