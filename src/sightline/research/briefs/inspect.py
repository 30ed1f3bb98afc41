"""The views of saved research. Specification: GET /research/:id. Reads the database only."""

from hashlib import sha256
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Position, Tx, Window
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.lists.paging import read_cursor, write_cursor
from sightline.platform.lists.single import SMALL_BYTES, LargeRecord
from sightline.platform.wire import Versioned
from sightline.research.briefs import queries, records
from sightline.research.runs import findings
from sightline.research.runs.queries import find_latest_run, find_run

_NEEDS = {"run": ("run_id",), "findings": ("run_id", "section_id"), "records": ("run_id",)}
_NAMES = {"run_id": "runId", "section_id": "sectionId"}


async def inspect(
    db: Database, actor: Actor, brief_id: UUID, asked: records.Inspection, window: Window, *, at_once: bool
) -> Versioned[records.ResearchView]:
    """Parameters that the view does not use have no effect.

    Raises ValidationFailed for a missing parameter, NotFound, and LargeRecord for a large view that is read `at_once`.
    """
    _ensure_needed(asked)
    _read_cursor(brief_id, asked.cursor)
    async with db.autocommit() if asked.view == "brief" else db.snapshot() as tx:
        view = await _view(tx, actor.workspace_id, brief_id, asked, window, at_once=at_once)
    body = msgspec.json.encode(view)
    if at_once and len(body) > SMALL_BYTES:  # such as a run, whose size is not known before
        raise LargeRecord
    digest = sha256(body).hexdigest()[:32]
    return Versioned(view, f'"{brief_id.hex}.{digest}"')


def _ensure_needed(asked: records.Inspection) -> None:
    needed = _NEEDS.get(asked.view, ())
    faults = [Fault(_NAMES[name], f"Required for view={asked.view}") for name in needed if getattr(asked, name) is None]
    if faults:
        raise ValidationFailed(faults)


def _read_cursor(brief_id: UUID, text: str | None) -> Position | None:
    if text is None:
        return None
    try:
        position = read_cursor(text)
        if position.order == findings.order_of_runs(brief_id).name and isinstance(position.tie, UUID):
            return position
    except ValueError:
        pass
    raise ValidationFailed.of("cursor", "Expected the nextCursor of this brief's runs")


async def _view(
    tx: Tx, workspace_id: UUID, brief_id: UUID, asked: records.Inspection, window: Window, *, at_once: bool
) -> records.ResearchView:
    if asked.view == "brief":
        return records.BriefView(await queries.find_brief(tx, workspace_id, brief_id, at_once=at_once))
    await tx.found(queries.BRIEF.known, workspace_id=workspace_id, id=brief_id)
    if asked.view == "runs":
        of_window = Window(window.limit, after=_read_cursor(brief_id, asked.cursor))
        runs = await findings.page_of_runs(tx, workspace_id, brief_id, of_window, at_once=at_once)
        return records.RunsView(runs.items, runs.has_more, write_cursor(runs.after) if runs.after else None)
    if asked.run_id is None:
        return records.ProgressView(await find_latest_run(tx, workspace_id, brief_id))
    run = await find_run(tx, workspace_id, brief_id, asked.run_id)
    if asked.view == "progress":
        return records.ProgressView(run)
    if asked.view == "run":
        execution = await findings.EXECUTION.find(tx, at_once=at_once, workspace_id=workspace_id, id=run.id)
        return records.RunView(run, *execution)
    section_id, answer = asked.section_id, None
    if section_id is not None:
        answer = await findings.find_answer(tx, workspace_id, run.id, section_id)
    if asked.view == "records":
        read = await findings.page_of_records(tx, workspace_id, run.id, section_id, window, at_once=at_once)
        return records.RecordsView(read.items, records.Pagination.of(read))
    assert section_id is not None  # noqa: S101 - the view needs it
    found = await findings.page_of_findings(tx, workspace_id, run.id, section_id, window, at_once=at_once)
    return records.FindingsView(answer, found.items, records.Pagination.of(found))
