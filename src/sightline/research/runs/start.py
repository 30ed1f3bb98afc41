"""Saving a plan and queueing its run, once per request id. Specification: POST /research/run, start."""

from hashlib import sha256
from uuid import UUID

import msgspec

from sightline.catalog.products.named import ensure_product
from sightline.intelligence.plans import PlanDefinition
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, retry_transaction, sql
from sightline.platform.errors import Conflict, RequestIdReused
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobKind, add_job
from sightline.platform.wire import Record
from sightline.research.briefs import queries as briefs
from sightline.research.briefs.queries import BriefRow
from sightline.research.commands import StartCommand
from sightline.research.plans.definition import complete, ensure_consistent
from sightline.research.refusals import RunActive, ScheduleNotAllowed, StalePlan
from sightline.research.runs import queries
from sightline.research.runs.queries import NewRun
from sightline.research.runs.records import RunReceipt
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import reserve_credits

SEARCH_RUN = JobKind("research.search")
SECTION_CREDITS = 5


class StartedRun(Record):
    """The brief and its queued run. Poll `view=progress` of the brief."""

    brief_id: UUID
    run: RunReceipt

    @property
    def quoted_ids(self) -> list[UUID]:
        return [self.brief_id]


async def start(db: Database, actor: Actor, command: StartCommand) -> StartedRun:
    """A retry returns the run that the first request made, in its current state.

    Raises ValidationFailed, NotFound, RequestIdReused, CreditsExhausted, ScheduleNotAllowed, StalePlan, RunActive.
    """
    ensure_consistent(command, "command")
    definition = complete(command.definition)
    request_hash = _hash_of(command, definition)
    busy = Conflict("The research keeps changing. Read it and try again.")
    return await retry_transaction(db, lambda tx: _start(tx, actor, command, definition, request_hash), busy)


def _hash_of(command: StartCommand, definition: PlanDefinition) -> bytes:
    """The hash of the normalised request: names trimmed, defaults filled in."""
    normalised = [command.name, definition, command.brief_id, command.expected_row_version]
    return sha256(msgspec.json.encode(normalised)).digest()


# The run that a start with this request id made.
_FIND_REQUESTED = sql("""
SELECT id, brief_id, request_hash FROM research_runs
 WHERE workspace_id = :workspace_id AND request_id = :request_id""")


async def _start(
    tx: Tx, actor: Actor, command: StartCommand, definition: PlanDefinition, request_hash: bytes
) -> StartedRun:
    await ensure_product(tx, actor.workspace_id, definition.product_id, "command.definition.productId")
    brief = None if command.brief_id is None else await briefs.lock_brief(tx, actor.workspace_id, command.brief_id)
    requested = await tx.row(_FIND_REQUESTED, workspace_id=actor.workspace_id, request_id=command.request_id)
    if requested is not None:
        if requested["request_hash"] != request_hash:
            raise RequestIdReused("This requestId was used for another request.", field="command.requestId")
        run = await queries.find_run(tx, actor.workspace_id, requested["brief_id"], requested["id"])
        return StartedRun(run.brief_id, run)
    tx = tx.later()
    credits = SECTION_CREDITS * len(definition.sections)
    await reserve_credits(tx, actor.workspace_id, credits)
    if brief is None:
        brief_id, revision = await _add_brief(tx, actor, command.name, definition), 1
    else:
        brief_id, revision = brief.id, await _edit(tx, actor, brief, command, definition)
    new = NewRun(
        id=new_id(),
        brief_id=brief_id,
        trigger="manual",
        revision=revision,
        definition=definition,
        credits_reserved=credits,
        request_id=command.request_id,
        request_hash=request_hash,
    )
    return await queue_run(tx, actor, new, definition)


async def queue_run(tx: Tx, actor: Actor, new: NewRun, definition: PlanDefinition) -> StartedRun:
    """Adds the run with its job; its credits are reserved. The last step of a transaction."""
    await queries.add_run(tx, actor.workspace_id, new, new_id(), definition.sections)
    await log_change(tx, actor, "research_run", new.id, None, "queued", briefId=str(new.brief_id), trigger=new.trigger)
    await add_job(tx, SEARCH_RUN, actor.workspace_id, new.id)
    return StartedRun(new.brief_id, await queries.find_run(tx, actor.workspace_id, new.brief_id, new.id))


_ADD_DRAFT = sql(
    """
INSERT INTO research_briefs (workspace_id, id, name, state, definition, search, created_by, created_at, updated_at)
VALUES (:workspace_id, :id, :name, 'draft', :definition, {words}, :created_by, :now, :now)""",
    words=briefs.words_of(":name::text", "''", ":definition::jsonb"),
)


async def _add_brief(tx: Tx, actor: Actor, name: str, definition: PlanDefinition) -> UUID:
    id = new_id()
    new = {"id": id, "name": name, "definition": definition, "created_by": actor.member_id}
    await tx.run(_ADD_DRAFT, workspace_id=actor.workspace_id, **new)
    await log_change(tx, actor, "research_brief", id, None, "created")
    return id


_CHANGE_PLAN = sql(
    """
UPDATE research_briefs
   SET name = :name, definition = :definition, revision = :revision, row_version = row_version + 1,
       search = {words}, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id""",
    words=briefs.words_of(":name::text", "question", ":definition::jsonb"),
)


async def _edit(tx: Tx, actor: Actor, brief: BriefRow, command: StartCommand, definition: PlanDefinition) -> int:
    """Saves the plan in its brief. Returns the plan's revision, which is a new one if the plan is another."""
    if brief.state == "archived":
        raise ScheduleNotAllowed("Archived research cannot be started.", currentState=brief.state)
    if brief.row_version != command.expected_row_version:
        detail = f"The research is at row version {brief.row_version}. Read it again."
        raise StalePlan(detail, currentRowVersion=brief.row_version)
    active = await queries.find_active(tx, actor.workspace_id, brief.id)
    if active is not None:
        raise RunActive("A run of this research has not ended. Wait for it, or stop it.", runId=str(active))
    is_same = _content_of(brief.definition) == _content_of(msgspec.json.encode(definition))
    revision = brief.revision if is_same else brief.revision + 1
    changed = {"name": command.name, "definition": definition, "revision": revision}
    await tx.run(_CHANGE_PLAN, workspace_id=actor.workspace_id, id=brief.id, **changed)
    await log_change(tx, actor, "research_brief", brief.id, None, "changed", fields=["name", "definition"])
    return revision


def _content_of(definition: msgspec.Raw | bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(definition), order="sorted")
