"""Turning the sources of a run into signals, one after the other, each once. Decisions: a delivered signal.

A finding that a later search of the run adds to a delivered source is appended to its signal.
"""

from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, sql
from sightline.platform.errors import NotFound
from sightline.platform.wire import read_wire_type, shown_moment
from sightline.research.delivery import queries
from sightline.research.delivery.queries import Source
from sightline.research.runs.queries import RunState, lock_known_run
from sightline.research.runs.records import Observation
from sightline.signals.change import append_passages
from sightline.signals.create import create_signal
from sightline.signals.records import LONGEST_NAME, NewSignal, WebAddress
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import return_credits, settle_credits

SOURCE_KEY = "research"
DELETED = "The product was deleted."


class Delivery(NamedTuple):
    """A source that is to be delivered, and where it goes."""

    brief_id: UUID
    run_id: UUID
    product_id: UUID
    source: Source


async def find_next(tx: Tx, workspace_id: UUID, run_id: UUID) -> Delivery | None:
    """The next source. Ends the addition and returns None when all are delivered, or the product is gone."""
    run = await lock_known_run(tx, workspace_id, run_id)
    if run is None or not run.is_being_added:
        return None
    tx = tx.later()
    if not await queries.hold_product(tx, workspace_id, run.addition_product_id):
        await _fail(tx, workspace_id, run, DELETED)
        return None
    assert run.addition_product_id is not None  # noqa: S101 - the product was found
    pending = await queries.find_pending(tx, workspace_id, run)
    if not pending:
        await queries.set_addition(tx, workspace_id, run_id, "completed")
        await _log(tx, workspace_id, run, "added")
        return None
    await queries.set_addition(tx, workspace_id, run_id, "running")
    return Delivery(run.brief_id, run_id, run.addition_product_id, pending[0])


# Notes the signal of the source at a place, once, and takes its credit off what the run has reserved.
_ADD_SIGNAL = sql("""
UPDATE research_runs
   SET addition_signal_ids = addition_signal_ids || :signal_id::uuid, credits_reserved = credits_reserved - 1
 WHERE workspace_id = :workspace_id AND id = :run_id AND addition_status = 'running'
   AND addition_product_id = :product_id AND cardinality(addition_signal_ids) = :place - 1""")


async def deliver(db: Database, engine: EmbeddedEngine, workspace_id: UUID, delivery: Delivery) -> None:
    """Creates the signal, or finds the one that an interrupted attempt created, and notes it at the run.

    A signal that was noted before gets what was found since.
    """
    actor = Actor(workspace_id, "job", str(delivery.run_id))
    if delivery.source.signal_id is not None:
        await _append(db, actor, delivery, delivery.source.signal_id)
        return
    created = await create_signal(db, engine, actor, _signal_of(delivery))
    async with db.transaction() as tx:
        if await lock_known_run(tx, workspace_id, delivery.run_id) is None:
            return
        is_noted = await tx.later().run(
            _ADD_SIGNAL,
            workspace_id=workspace_id,
            run_id=delivery.run_id,
            product_id=delivery.product_id,
            signal_id=created.record.id,
            place=delivery.source.place,
        )
        if is_noted:
            await settle_credits(tx, workspace_id, 1)


async def _append(db: Database, actor: Actor, delivery: Delivery, signal_id: UUID) -> None:
    source = delivery.source
    new_data = {"sectionIds": _texts(source.section_ids), "findingIds": _texts(source.finding_ids)}
    async with db.transaction() as tx:
        with suppress(NotFound):  # somebody has deleted it
            await append_passages(tx, actor, signal_id, _quotes_of(source), new_data)


def _texts(ids: list[UUID]) -> list[str]:
    return [str(id) for id in dict.fromkeys(ids)]


def _signal_of(delivery: Delivery) -> NewSignal:
    source = delivery.source
    external_data = {
        "briefId": str(delivery.brief_id),
        "runId": str(delivery.run_id),
        "sectionId": str(source.section_ids[0]),
        "sectionIds": _texts(source.section_ids),
        "productId": str(delivery.product_id),
        "findingIds": _texts(source.finding_ids),
        "publishedAt": shown_moment(source.published_at) if source.published_at else None,
    }
    name = source.title.strip()[:LONGEST_NAME].strip() or source.url[:LONGEST_NAME]
    signal = {
        "name": name,
        "text": "\n\n".join(_quotes_of(source)),
        "context": "research",
        "processorType": "document",
        "providerType": "research",
        "evidenceKind": "report",
        "analysisProfile": "market_evidence",
        "source": {"type": "research", "external_data": external_data},
        "sourceLabel": "Research",
        "sourceLinks": _links(name, source.url),
        "sourceKey": SOURCE_KEY,
        "externalId": f"{delivery.run_id}:{source.source_id}",
    }
    return msgspec.convert(signal, NewSignal, dec_hook=read_wire_type)


def _quotes_of(source: Source) -> list[str]:
    """The quotes of the source's findings; its title if there are none."""
    of_findings = msgspec.json.decode(source.observations, type=list[list[Observation]])
    quotes = dict.fromkeys(one.quote for observations in of_findings for one in observations)
    return list(quotes) or [source.title]


def _links(name: str, url: str) -> list[dict[str, Any]]:
    """The address of the source, if people can follow it: a saved page may have none on the web."""
    try:
        return [{"name": name, "url": WebAddress.read(url), "type": "source", "primary": True}]
    except ValueError:
        return []


async def fail(tx: Tx, workspace_id: UUID, run_id: UUID, failure: str) -> None:
    """Ends an addition that cannot go on; the signals that it made stay."""
    run = await lock_known_run(tx, workspace_id, run_id)
    if run is not None and run.is_being_added:
        await _fail(tx.later(), workspace_id, run, failure)


async def _fail(tx: Tx, workspace_id: UUID, run: RunState, failure: str) -> None:
    new = (await queries.count_pending(tx, workspace_id, run)).new
    await return_credits(tx, workspace_id, new)
    await queries.set_addition(tx, workspace_id, run.id, "failed", failure, returned=new)
    await _log(tx, workspace_id, run, "addition_failed")


async def _log(tx: Tx, workspace_id: UUID, run: RunState, action: str) -> None:
    actor = Actor(workspace_id, "job", str(run.id))
    await log_change(tx, actor, "research_run", run.id, None, action, briefId=str(run.brief_id))
