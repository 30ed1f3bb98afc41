"""The SQL of runs and their sections."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.intelligence.plans import PlanSection
from sightline.platform.db import Row, Tx, sql
from sightline.platform.errors import NotFound
from sightline.platform.lists.large import linked_size, stored_size
from sightline.research.runs.active import ACTIVE, IS_ACTIVE
from sightline.research.runs.records import RunReceipt

PENDING = f"SELECT workspace_id, id, NULL::timestamptz FROM research_runs WHERE {IS_ACTIVE}"


def other_apps(section: str) -> str:
    """The apps that the plan of run `r` reads for other sections only."""
    return f"""ARRAY(
    SELECT read ->> 'externalId' FROM jsonb_path_query(r.definition, '$.reads[*]') AS read
     WHERE jsonb_array_length(jsonb_path_query_array(read, '$.sectionIds[*]')) > 0
       AND NOT jsonb_path_query_array(read, '$.sectionIds[*]') ? ({section})::text)"""


# In the order of RunReceipt's fields.
RUN = f"""
    r.id, r.brief_id, r.operation_id, r.trigger, r.status,
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'id', s.id, 'name', s.name, 'type', s.type, 'status', s.status,
                'findingCount', (SELECT count(*) FROM research_findings AS f
                                  WHERE f.workspace_id = :workspace_id AND f.run_id = r.id AND f.section_id = s.id),
                'recordCount', (SELECT count(*) FROM research_records AS d
                                 WHERE d.workspace_id = :workspace_id AND d.run_id = r.id
                                   AND coalesce(d.section_id, s.id) = s.id
                                   AND d.external_id <> ALL({other_apps("s.id")})),
                'failure', s.failure) ORDER BY s.position, s.id), '[]')
       FROM research_sections AS s WHERE s.workspace_id = :workspace_id AND s.run_id = r.id) AS sections,
    r.native_read_count,
    CASE WHEN r.addition_status IS NOT NULL THEN jsonb_build_object(
        'status', r.addition_status, 'productId', r.addition_product_id, 'signalIds', r.addition_signal_ids,
        'failure', r.addition_failure) END AS addition,
    r.failure, iso(r.created_at) AS created_at, iso(r.started_at) AS started_at, iso(r.finished_at) AS finished_at"""
RUN_SIZE = f"""
    {stored_size("r.failure", "r.addition_failure")} + {linked_size("r.addition_signal_ids")}
    + (SELECT coalesce(sum({stored_size("s.failure")}), 0) FROM research_sections AS s
        WHERE s.workspace_id = :workspace_id AND s.run_id = r.id)"""

_FIND = sql(f"""
SELECT {RUN} FROM research_runs AS r
 WHERE r.workspace_id = :workspace_id AND r.brief_id = :brief_id AND r.id = :id""")
_FIND_LATEST = sql(f"""
SELECT {RUN} FROM research_runs AS r WHERE r.workspace_id = :workspace_id AND r.brief_id = :brief_id
 ORDER BY r.created_at DESC, r.id DESC LIMIT 1""")


async def find_run(tx: Tx, workspace_id: UUID, brief_id: UUID, id: UUID) -> RunReceipt:
    """Raises NotFound."""
    row = await tx.row(_FIND, workspace_id=workspace_id, brief_id=brief_id, id=id)
    if row is None:
        raise NotFound("The brief has no such run.", field="runId")
    return RunReceipt(*row)


async def find_latest_run(tx: Tx, workspace_id: UUID, brief_id: UUID) -> RunReceipt | None:
    row = await tx.row(_FIND_LATEST, workspace_id=workspace_id, brief_id=brief_id)
    return RunReceipt(*row) if row else None


class RunState(NamedTuple):
    """What decides about a run."""

    id: UUID
    brief_id: UUID
    status: str
    trigger: str
    revision: int
    definition: Any
    credits_reserved: int
    from_date_time: datetime | None
    to_date_time: datetime | None
    addition_status: str | None
    addition_product_id: UUID | None
    addition_signal_ids: list[UUID]
    scores: Any
    created_at: datetime

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def is_being_added(self) -> bool:
        """Whether an addition of its sources to a product is active."""
        return self.addition_status in ACTIVE


_LOCK = sql(f"""
SELECT {", ".join(RunState._fields)} FROM research_runs WHERE workspace_id = :workspace_id AND id = :id
   FOR NO KEY UPDATE""")


async def lock_run(tx: Tx, workspace_id: UUID, id: UUID, brief_id: UUID) -> RunState:
    """Returns the run. No other transaction changes it or its sections before this one ends. Raises NotFound."""
    run = await lock_known_run(tx, workspace_id, id)
    if run is None or run.brief_id != brief_id:
        raise NotFound("The brief has no such run.", field="command.runId")
    return run


async def lock_known_run(tx: Tx, workspace_id: UUID, id: UUID) -> RunState | None:
    """Returns the run, locked as by `lock_run`, or None if it was deleted."""
    row = await tx.row(_LOCK, workspace_id=workspace_id, id=id)
    return RunState(*row) if row else None


async def lock_active_run(tx: Tx, workspace_id: UUID, id: UUID) -> RunState | None:
    """Returns the run, locked as by `lock_run`, or None if it has ended or was deleted."""
    run = await lock_known_run(tx, workspace_id, id)
    return run if run and run.is_active else None


_FIND_ACTIVE = sql(f"""
SELECT id FROM research_runs WHERE workspace_id = :workspace_id AND brief_id = :brief_id AND {IS_ACTIVE}""")


async def find_active(tx: Tx, workspace_id: UUID, brief_id: UUID) -> UUID | None:
    found: UUID | None = await tx.value(_FIND_ACTIVE, workspace_id=workspace_id, brief_id=brief_id)
    return found


class NewRun(NamedTuple):
    """A run to add. A scheduled one has a slot, a requested one the request's id and hash."""

    id: UUID
    brief_id: UUID
    trigger: str
    revision: int
    definition: Any
    credits_reserved: int
    request_id: UUID | None = None
    request_hash: bytes | None = None
    slot: datetime | None = None


_ADD = sql("""
INSERT INTO research_runs (workspace_id, id, brief_id, operation_id, request_id, request_hash, trigger, slot, status,
                           revision, definition, credits_reserved, created_at)
VALUES (:workspace_id, :id, :brief_id, :operation_id, :request_id, :request_hash, :trigger, :slot, 'queued',
        :revision, :definition, :credits_reserved, :now)""")
_ADD_SECTIONS = sql("""
INSERT INTO research_sections (workspace_id, run_id, id, position, name, type, status)
SELECT :workspace_id, :run_id, s.id, s.n - 1, s.name, s.type, 'queued'
  FROM ROWS FROM (jsonb_to_recordset(:sections::jsonb) AS (id uuid, name text, type text)) WITH ORDINALITY
       AS s (id, name, type, n)""")


async def add_run(tx: Tx, workspace_id: UUID, new: NewRun, operation_id: UUID, sections: Sequence[PlanSection]) -> None:
    """Adds a queued run with its queued sections."""
    await tx.run(_ADD, workspace_id=workspace_id, operation_id=operation_id, **new._asdict())
    await tx.run(_ADD_SECTIONS, workspace_id=workspace_id, run_id=new.id, sections=sections)


_COUNT_SECTIONS = sql("""
SELECT count(*) FILTER (WHERE status = 'completed') AS completed,
       count(*) FILTER (WHERE status <> 'completed') AS unsealed
  FROM research_sections WHERE workspace_id = :workspace_id AND run_id = :run_id""")


async def count_sections(tx: Tx, workspace_id: UUID, run_id: UUID) -> Row:
    """How many sections of a run are `completed`, and how many `unsealed`: not completed."""
    return await tx.one(_COUNT_SECTIONS, workspace_id=workspace_id, run_id=run_id)


_END_SECTIONS = sql(f"""
UPDATE research_sections SET status = :status, failure = :failure
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND {IS_ACTIVE}""")
_END_RUN = sql("""
UPDATE research_runs SET status = :status, failure = :failure, credits_reserved = credits_reserved - :returned,
       finished_at = :now
 WHERE workspace_id = :workspace_id AND id = :run_id""")


async def end_sections(tx: Tx, workspace_id: UUID, run_id: UUID, status: str, failure: str | None) -> int:
    """Ends the active sections. Returns how many."""
    return await tx.run(_END_SECTIONS, workspace_id=workspace_id, run_id=run_id, status=status, failure=failure)


async def end_run(
    tx: Tx, workspace_id: UUID, run_id: UUID, status: str, failure: str | None = None, *, returned: int = 0
) -> None:
    """Ends the run; `returned` of its reserved credits were given back."""
    await tx.run(_END_RUN, workspace_id=workspace_id, run_id=run_id, status=status, failure=failure, returned=returned)
