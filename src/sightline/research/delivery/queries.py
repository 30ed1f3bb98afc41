"""The SQL of additions: the sources of a run, and which of them are still to be delivered.

A source's place, from 1, is the order of its first finding: by when its section was sealed, and the finding's position.
Sections that are sealed later only append sources, so a place never changes. `addition_signal_ids[place]` is the signal
that the source became. A source is pending if it has no signal yet, or if its signal's `externalData.findingIds` lacks
one of its findings. A source whose signal was deleted is not pending.
"""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.research.runs.active import IS_BEING_ADDED
from sightline.research.runs.queries import RunState

PENDING = f"SELECT workspace_id, id, NULL::timestamptz FROM research_runs WHERE {IS_BEING_ADDED}"

_FIRST = ", ".join(
    f"(array_agg({column} ORDER BY rank))[1] AS {column}" for column in ("title", "url", "publisher", "published_at")
)
_PENDING_SOURCES = sql(f"""
WITH ranked AS (
    SELECT finding.*, coalesce(finding.source_id, finding.id) AS source,
           row_number() OVER (ORDER BY section.sealed_at NULLS FIRST, section.position, finding.position, finding.id)
           AS rank
      FROM research_findings AS finding
      JOIN research_sections AS section
        ON section.workspace_id = :workspace_id AND section.run_id = finding.run_id AND section.id = finding.section_id
     WHERE finding.workspace_id = :workspace_id AND finding.run_id = :run_id AND section.status = 'completed'),
sources AS (
    SELECT source, {_FIRST}, array_agg(id ORDER BY rank) AS finding_ids,
           array_agg(section_id ORDER BY rank) AS section_ids, array_agg(observations ORDER BY rank) AS observations,
           row_number() OVER (ORDER BY min(rank)) AS place
      FROM ranked GROUP BY source)
SELECT source, title, url, publisher, published_at, finding_ids, section_ids,
       (SELECT jsonb_agg(finding.observations ORDER BY n)
          FROM unnest(finding_ids, sources.observations) WITH ORDINALITY AS finding (id, observations, n)
         WHERE NOT coalesce(signal.external_data -> 'findingIds' ? finding.id::text, false)) AS observations,
       place, signal.id AS signal_id
  FROM sources
  LEFT JOIN signals AS signal ON signal.workspace_id = :workspace_id AND signal.id = (:signal_ids::uuid[])[place]
 WHERE place > cardinality(:signal_ids::uuid[])
    OR NOT coalesce(signal.external_data -> 'findingIds' @> to_jsonb(finding_ids), true)
 ORDER BY place""")


class Source(NamedTuple):
    """A pending source of a run."""

    source_id: UUID
    title: str  # this and the next three are of the first finding
    url: str
    publisher: str | None
    published_at: datetime | None
    finding_ids: list[UUID]  # all its findings
    section_ids: list[UUID]  # the section of each finding
    observations: Any  # a list for each finding that its signal lacks
    place: int
    signal_id: UUID | None  # None before the source is a signal


class Pending(NamedTuple):
    """How many sources are pending, and how many of these have no signal yet."""

    sources: int
    new: int


async def count_pending(tx: Tx, workspace_id: UUID, run: RunState) -> Pending:
    pending = await find_pending(tx, workspace_id, run)
    return Pending(len(pending), sum(one.place > len(run.addition_signal_ids) for one in pending))


async def find_pending(tx: Tx, workspace_id: UUID, run: RunState) -> list[Source]:
    """Returns the pending sources in the order of delivery."""
    rows = await tx.rows(_PENDING_SOURCES, workspace_id=workspace_id, run_id=run.id, signal_ids=run.addition_signal_ids)
    return [Source(*row) for row in rows]


_SET_STATUS = sql("""
UPDATE research_runs
   SET addition_status = :status, addition_failure = :failure, credits_reserved = credits_reserved - :returned
 WHERE workspace_id = :workspace_id AND id = :run_id""")
_HOLD_PRODUCT = sql("""
SELECT id FROM products WHERE workspace_id = :workspace_id AND id = :id FOR KEY SHARE""")


async def set_addition(
    tx: Tx, workspace_id: UUID, run_id: UUID, status: str, failure: str | None = None, *, returned: int = 0
) -> None:
    """Changes the state of an addition; `returned` of the run's reserved credits were given back."""
    await tx.run(
        _SET_STATUS, workspace_id=workspace_id, run_id=run_id, status=status, failure=failure, returned=returned
    )


async def hold_product(tx: Tx, workspace_id: UUID, id: UUID | None) -> bool:
    """Whether there is such a product; it cannot be deleted before the transaction ends."""
    return await tx.value(_HOLD_PRODUCT, workspace_id=workspace_id, id=id) is not None
