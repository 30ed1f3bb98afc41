"""The SQL of additions: the sources of a run in a fixed order, and how many of them have become signals.

The n-th signal of `addition_signal_ids` is the n-th source: sections that are completed later come after the others.
"""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.research.runs.queries import RunState

PENDING = """
SELECT workspace_id, id, NULL::timestamptz FROM research_runs WHERE addition_status IN ('queued', 'running')"""

_SOURCES = """
SELECT coalesce(f.source_id, f.id) AS source_id, f.id, f.section_id, f.title, f.url, f.publisher, f.published_at,
       f.observations, f.position, s.sealed_at, s.position AS section_position
  FROM research_findings AS f
  JOIN research_sections AS s ON s.workspace_id = :workspace_id AND s.run_id = f.run_id AND s.id = f.section_id
 WHERE f.workspace_id = :workspace_id AND f.run_id = :run_id AND s.status = 'completed'"""
_COUNT = sql("SELECT count(DISTINCT source_id) FROM ({rows}) AS found", rows=_SOURCES)
_FIRST = "(array_agg({column} ORDER BY sealed_at, section_position, position, id))[1] AS {column}"
_FIND = sql(
    """
SELECT source_id, {first}, array_agg(id ORDER BY sealed_at, section_position, position, id) AS finding_ids,
       jsonb_agg(observations ORDER BY sealed_at, section_position, position, id) AS observations
  FROM ({rows}) AS found
 GROUP BY source_id
 ORDER BY min(sealed_at), min(section_position), min(position), source_id OFFSET :skipped LIMIT 1""",
    rows=_SOURCES,
    first=", ".join(
        _FIRST.format(column=column) for column in ("section_id", "title", "url", "publisher", "published_at")
    ),
)


class Source(NamedTuple):
    """A source with the findings that rest on it; `observations` is a list for each finding."""

    source_id: UUID
    section_id: UUID
    title: str
    url: str
    publisher: str | None
    published_at: datetime | None
    finding_ids: list[UUID]
    observations: Any


async def count_missing(tx: Tx, workspace_id: UUID, run: RunState) -> int:
    """How many sources of the run's completed sections are not signals yet."""
    count: int = await tx.value(_COUNT, workspace_id=workspace_id, run_id=run.id)
    return max(count - len(run.addition_signal_ids), 0)


async def find_source(tx: Tx, workspace_id: UUID, run_id: UUID, place: int) -> Source | None:
    """The source at that place, the first being 0."""
    row = await tx.row(_FIND, workspace_id=workspace_id, run_id=run_id, skipped=place)
    return Source(*row) if row else None


_QUEUE = sql("""
UPDATE research_runs
   SET addition_status = 'queued', addition_product_id = :product_id, addition_failure = NULL,
       credits_reserved = credits_reserved + :credits
 WHERE workspace_id = :workspace_id AND id = :run_id""")
_SET_STATUS = sql("""
UPDATE research_runs
   SET addition_status = :status, addition_failure = :failure, credits_reserved = credits_reserved - :returned
 WHERE workspace_id = :workspace_id AND id = :run_id""")
_ADD_SIGNAL = sql("""
UPDATE research_runs
   SET addition_signal_ids = addition_signal_ids || :signal_id::uuid, credits_reserved = credits_reserved - 1
 WHERE workspace_id = :workspace_id AND id = :run_id AND addition_status = 'running'
   AND cardinality(addition_signal_ids) = :place""")
_HOLD_PRODUCT = sql("""
SELECT id FROM products WHERE workspace_id = :workspace_id AND id = :id FOR KEY SHARE""")


async def queue_addition(tx: Tx, workspace_id: UUID, run_id: UUID, product_id: UUID, credits: int) -> None:
    await tx.run(_QUEUE, workspace_id=workspace_id, run_id=run_id, product_id=product_id, credits=credits)


async def set_addition(
    tx: Tx, workspace_id: UUID, run_id: UUID, status: str, failure: str | None = None, *, returned: int = 0
) -> None:
    """Changes the state of an addition; `returned` of the run's reserved credits were given back."""
    await tx.run(
        _SET_STATUS, workspace_id=workspace_id, run_id=run_id, status=status, failure=failure, returned=returned
    )


async def add_signal(tx: Tx, workspace_id: UUID, run_id: UUID, place: int, signal_id: UUID) -> bool:
    """Notes the signal of the source at that place, once, and takes its credit off what the run has reserved."""
    return await tx.run(_ADD_SIGNAL, workspace_id=workspace_id, run_id=run_id, place=place, signal_id=signal_id) == 1


async def hold_product(tx: Tx, workspace_id: UUID, id: UUID | None) -> bool:
    """Whether there is such a product; it cannot be deleted before the transaction ends."""
    return await tx.value(_HOLD_PRODUCT, workspace_id=workspace_id, id=id) is not None
