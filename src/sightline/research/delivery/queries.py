"""The SQL of additions: the sources of a run in a fixed order, and what is not delivered yet.

The n-th signal of `addition_signal_ids` is the n-th source, in the order of their first findings. Sources of sections
that are completed later come last, so that no source changes its place.
A source is pending while it has no signal, or while its signal lacks one of its findings. A deleted signal lacks none.
"""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.research.runs.active import IS_BEING_ADDED
from sightline.research.runs.queries import RunState

PENDING = f"SELECT workspace_id, id, NULL::timestamptz FROM research_runs WHERE {IS_BEING_ADDED}"

_FIRST = "(array_agg({column} ORDER BY rank))[1] AS {column}"
_PENDING_SOURCES = sql(
    """
SELECT source_id, title, url, publisher, published_at, finding_ids, section_ids,
       (SELECT jsonb_agg(finding.observations ORDER BY n)
          FROM unnest(finding_ids, sources.observations) WITH ORDINALITY AS finding (id, observations, n)
         WHERE NOT coalesce(s.external_data -> 'findingIds' ? finding.id::text, false)) AS observations,
       place, s.id AS signal_id
  FROM (SELECT source_id, {first}, array_agg(id ORDER BY rank) AS finding_ids,
               array_agg(section_id ORDER BY rank) AS section_ids,
               array_agg(observations ORDER BY rank) AS observations,
               row_number() OVER (ORDER BY min(rank)) AS place
          FROM (SELECT coalesce(f.source_id, f.id) AS source_id, f.id, f.section_id, f.title, f.url, f.publisher,
                       f.published_at, f.observations,
                       row_number() OVER (ORDER BY s.sealed_at NULLS FIRST, s.position, f.position, f.id) AS rank
                  FROM research_findings AS f
                  JOIN research_sections AS s
                    ON s.workspace_id = :workspace_id AND s.run_id = f.run_id AND s.id = f.section_id
                 WHERE f.workspace_id = :workspace_id AND f.run_id = :run_id AND s.status = 'completed') AS found
         GROUP BY source_id) AS sources
  LEFT JOIN signals AS s ON s.workspace_id = :workspace_id AND s.id = (:signal_ids::uuid[])[sources.place]
 WHERE sources.place > cardinality(:signal_ids::uuid[])
    OR NOT coalesce(s.external_data -> 'findingIds' @> to_jsonb(sources.finding_ids), true)
 ORDER BY sources.place""",
    first=", ".join(_FIRST.format(column=column) for column in ("title", "url", "publisher", "published_at")),
)


class Source(NamedTuple):
    """A source with the findings that rest on it; `observations` is a list for each that its signal lacks.

    `signal_id` is null before the source is a signal. `place` counts the run's sources from 1.
    """

    source_id: UUID
    title: str
    url: str
    publisher: str | None
    published_at: datetime | None
    finding_ids: list[UUID]
    section_ids: list[UUID]
    observations: Any
    place: int
    signal_id: UUID | None


class Pending(NamedTuple):
    """How many sources have findings that are not delivered, and how many of these are not signals yet."""

    sources: int
    new: int


async def count_pending(tx: Tx, workspace_id: UUID, run: RunState) -> Pending:
    pending = await find_pending(tx, workspace_id, run)
    return Pending(len(pending), sum(one.place > len(run.addition_signal_ids) for one in pending))


async def find_pending(tx: Tx, workspace_id: UUID, run: RunState) -> list[Source]:
    """The sources with findings that are not delivered, in the order of delivery."""
    rows = await tx.rows(_PENDING_SOURCES, workspace_id=workspace_id, run_id=run.id, signal_ids=run.addition_signal_ids)
    return [Source(*row) for row in rows]


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
   AND addition_product_id = :product_id AND cardinality(addition_signal_ids) = :place - 1""")
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


class Delivered(NamedTuple):
    """The signal that a source has become, the product it was added to, and the place of the source."""

    signal_id: UUID
    product_id: UUID
    place: int


async def add_signal(tx: Tx, workspace_id: UUID, run_id: UUID, delivered: Delivered) -> bool:
    """Notes the signal of the source at that place, once, and takes its credit off what the run has reserved."""
    return await tx.run(_ADD_SIGNAL, workspace_id=workspace_id, run_id=run_id, **delivered._asdict()) == 1


async def hold_product(tx: Tx, workspace_id: UUID, id: UUID | None) -> bool:
    """Whether there is such a product; it cannot be deleted before the transaction ends."""
    return await tx.value(_HOLD_PRODUCT, workspace_id=workspace_id, id=id) is not None
