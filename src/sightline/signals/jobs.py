"""What happens later: a signal is processed."""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from sightline.intelligence.engine import Engine
from sightline.intelligence.evidence import DraftInsight, Quote, SignalMaterial, check_quotes
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.signals import content, queries_processing
from sightline.signals.processing import PROCESS_SIGNAL
from sightline.signals.queries_processing import Drafted, FoundBefore, Waiting
from sightline.workspaces.changes import log_change


async def process_signal(db: Database, tools: Tools, workspace_id: UUID, signal_id: UUID) -> None:
    """Reads, extracts, seals. What changed while it was read is read again; what is done already is left alone."""
    engine: Engine = tools[Engine]
    while True:
        async with db.write() as tx:
            waiting = await queries_processing.begin(tx, workspace_id, signal_id)
        if waiting is None:
            return
        material = _material(waiting)
        found = await asyncio.to_thread(engine.extract_insights, material)
        async with db.write() as tx:
            if await _seal(tx, workspace_id, signal_id, waiting, check_quotes(material, found)):
                return


def _material(waiting: Waiting) -> SignalMaterial:
    if waiting.analysis_profile == "none":
        return SignalMaterial(waiting.processor_type)
    raw = {} if waiting.raw is None else msgspec.json.decode(waiting.raw)
    return content.material_of(waiting.processor_type, raw, msgspec.json.decode(waiting.data))


async def _seal(tx: Tx, workspace_id: UUID, signal_id: UUID, waiting: Waiting, found: Sequence[DraftInsight]) -> bool:
    """Whether it was stored. The signal is locked before its insights, as everywhere."""
    signal = await queries_processing.lock_as_read(tx, workspace_id, signal_id, waiting.processing_id)
    if signal is None:
        return False
    tx = tx.later()
    actor = Actor(workspace_id, "job", str(waiting.processing_id))
    before = await queries_processing.find_before(tx, workspace_id, signal_id)
    gone, come = _difference(signal_id, before, found)
    kept = [one.id for one in before if one.is_ours and one.id not in gone]
    await queries_processing.link_accounts(tx, workspace_id, kept, signal.accounts)
    if gone or come:
        await queries_processing.replace(tx, actor, signal_id, signal.accounts, gone, come)
    await queries_processing.end(tx, workspace_id, signal_id)
    await log_change(tx, actor, "signal", signal_id, signal.public_id, "processed", added=len(come), removed=len(gone))
    return True


def _difference(
    signal_id: UUID, before: Sequence[FoundBefore], found: Sequence[DraftInsight]
) -> tuple[list[UUID], list[Drafted]]:
    """What goes and what comes. What was found before stays as it is; what was reviewed is not found again."""
    drafted = [
        Drafted(new_id(), one.title, one.category, [_extract(signal_id, q) for q in one.quotes]) for one in found
    ]
    ours = {_sameness(one): one.id for one in before if one.is_ours}
    reviewed = {_place(each) for one in before if not one.is_ours for each in one.extracts or ()}
    wanted = [one for one in drafted if not any(_place(each) in reviewed for each in one.extracts)]
    kept = {_sameness(one) for one in wanted}
    gone = [id for same, id in ours.items() if same not in kept]
    twice = [one.id for one in before if one.is_ours and one.id not in ours.values()]
    return sorted([*gone, *twice]), [one for one in wanted if _sameness(one) not in ours]


def _extract(signal_id: UUID, quote: Quote) -> dict[str, Any]:
    """A quote as it is kept: places count code points of the stored text, or of the text of the turn."""
    places = {"turn": quote.turn, "start": quote.start, "end": quote.end, "speaker": quote.speaker}
    given = {name: value for name, value in places.items() if value is not None}
    return {"text": quote.text, "signalId": str(signal_id)} | given


def _sameness(one: FoundBefore | Drafted) -> tuple[str, str, bytes]:
    return one.title, one.category, msgspec.json.encode(one.extracts, order="sorted")


def _place(extract: dict[str, Any]) -> tuple[Any, Any]:
    return extract.get("signalId"), extract.get("text")


async def give_up(db: Database, workspace_id: UUID, signal_id: UUID, error: Exception) -> None:
    """Lets the signal say that nothing was found; what went wrong inside stands in the log."""
    was_stopped = isinstance(error, JobStopped)
    message = "Somebody stopped it." if was_stopped else "The signal could not be processed."
    async with db.write() as tx:
        if await queries_processing.fail(tx, workspace_id, signal_id, message, was_stopped=was_stopped):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_failed")


async def revive(db: Database, workspace_id: UUID, signal_id: UUID) -> None:
    """Lets a failed signal wait again."""
    async with db.write() as tx:
        if await queries_processing.revive(tx, workspace_id, signal_id):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_queued")


async def resume(db: Database, tools: Tools) -> None:
    """Finds signals without a job: those of a file that says `pending`, or of a restored backup."""
    await add_missing_jobs(db, PROCESS_SIGNAL, queries_processing.PENDING)


JOBS = JobsOfRoom(
    work=[Work(PROCESS_SIGNAL, process_signal, give_up, revive=revive)], ticks=[Tick("signals.resume", resume)]
)
