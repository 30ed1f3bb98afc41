"""The limit's statements: for each operation, what a request of it runs, without anything around it.

A test compares the table with the statements that requests really run. Each entry returns what it found last, which is
empty when it found or wrote nothing.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any
from uuid import UUID

from asyncpg.connection import LoggedQuery

from benchmarks.failure import BenchFailed
from benchmarks.operations import Ask, Operation
from benchmarks.rounds import Round, in_parallel
from benchmarks.world import NewText, World
from sightline.catalog.products.feature_maps import FIND_MAP_VERSION
from sightline.catalog.taxonomy.active import FIND_TAXONOMY
from sightline.ideas.classifications.queries import FIND_VALUES
from sightline.ideas.queries import FIND_IDEA, LOCK_IDEA, add_idea, page_of_ideas
from sightline.ideas.records import IdeaFilters, Provenance
from sightline.ideas.references import CHECK_NAMED, Named
from sightline.ideas.status import FIND_STATE, MOVE_IDEA
from sightline.initiatives.limits import FIND_PLAN
from sightline.initiatives.queries import (
    ADD_INITIATIVE,
    FIND_INITIATIVE,
    FIND_MISSING,
    FIND_REQUESTED,
    LOCK_INITIATIVE,
    page_of_initiatives,
)
from sightline.initiatives.records import InitiativeFilters
from sightline.platform.db import Database, Row, Tx, Window
from sightline.platform.db.feeds import Totals
from sightline.platform.db.updates import update_record
from sightline.platform.ids import new_id
from sightline.signals.queries import page_of_signals
from sightline.signals.records import SignalFilters
from sightline.studies.queries import page_of_feedback
from sightline.studies.records import FeedbackFilters
from sightline.workspaces.changes import change_by, log_change, slot
from sightline.workspaces.numbers import TAKE_IDEA_UNFLUSHED, TAKE_UNFLUSHED

_totals = Totals()
_HASH = bytes(32)


async def _get_idea(tx: Tx, world: World, idea: UUID) -> Any:
    return await tx.row(FIND_IDEA["id"], workspace_id=world.workspace, ref=idea)


async def _as_rows(_: Tx, rows: Sequence[Row]) -> list[Any]:
    return list(rows)


async def _list_ideas(tx: Tx, world: World, filters: IdeaFilters, window: Window) -> Any:
    return (await page_of_ideas(tx, world.workspace, filters, window, _as_rows)).items


async def _list_ideas_classified(tx: Tx, world: World, filters: IdeaFilters, window: Window) -> Any:
    ideas = await _list_ideas(tx, world, filters, window)
    await tx.rows(FIND_TAXONOMY, workspace_id=world.workspace)
    await tx.rows(FIND_VALUES, workspace_id=world.workspace, idea_ids=[row["id"] for row in ideas])
    return ideas


async def _list_initiatives(tx: Tx, world: World, filters: InitiativeFilters, window: Window) -> Any:
    return (await page_of_initiatives(tx, world.workspace, filters, window)).items


async def _list_signals(tx: Tx, world: World, filters: SignalFilters, window: Window) -> Any:
    return (await page_of_signals(tx, _totals, world.workspace, filters, window)).rows


async def _list_feedback(tx: Tx, world: World, filters: FeedbackFilters, window: Window) -> Any:
    return (await page_of_feedback(tx, _totals, world.workspace, filters, window)).rows


async def _patch_idea(tx: Tx, world: World, idea: UUID) -> Any:
    async with tx.connection.transaction():
        await tx.row(LOCK_IDEA["id"], workspace_id=world.workspace, ref=idea)
        await update_record(tx, "ideas", world.workspace, idea, {"name": f"Renamed {new_id()}"})
        await log_change(tx, world.actor, "idea", idea, "IDEA-1", "updated", fields=["name"])
        return await tx.row(FIND_IDEA["id"], workspace_id=world.workspace, ref=idea)


async def _set_idea_status(tx: Tx, world: World, idea: UUID, status: str) -> Any:
    seen = await tx.row(FIND_STATE["id"], workspace_id=world.workspace, ref=idea, label=status)
    seen_as = {"seen_status": seen and seen["status"], "seen_version": seen and seen["version"]}
    return await tx.value(MOVE_IDEA, **change_by(world.actor), **seen_as, id=idea, status=status)


async def _create_idea(
    tx: Tx, world: World, text: NewText, links: dict[str, list[UUID]] | None = None, **matched: Any
) -> Any:
    taken = await tx.row(TAKE_IDEA_UNFLUSHED, workspace_id=world.workspace, kind="idea")
    idea = {"id": new_id(), "number": taken and taken["last"], "name": text.name, **matched}
    idea |= {"description": text.description, "created_source": "api", "provenance": Provenance("api", world.actor.id)}
    return await add_idea(tx, world.actor, idea, text.drafted, links=links)


async def _create_idea_matched(tx: Tx, world: World, text: NewText) -> Any:
    await tx.row(CHECK_NAMED, workspace_id=world.workspace, **Named(product_id=world.product)._asdict())
    await tx.value(FIND_MAP_VERSION, workspace_id=world.workspace, product_id=world.product)
    links = {"feature_ids": text.feature_ids}
    return await _create_idea(tx, world, text, links, product_id=world.product, **text.matched)


async def _patch_initiative(tx: Tx, world: World, initiative: UUID) -> Any:
    async with tx.connection.transaction():
        await tx.row(LOCK_INITIATIVE["id"], workspace_id=world.workspace, ref=initiative)
        await update_record(tx, "initiatives", world.workspace, initiative, {"name": f"Renamed {new_id()}"})
        await log_change(tx, world.actor, "initiative", initiative, "INITIATIVE-1", "updated", fields=["name"])
        return await tx.row(FIND_INITIATIVE["id"], workspace_id=world.workspace, ref=initiative)


async def _create_initiative(tx: Tx, world: World, text: NewText) -> Any:
    id, teams = new_id(), world.teams[:1]
    await tx.row(FIND_REQUESTED, workspace_id=world.workspace, id=id)
    await tx.row(FIND_MISSING, workspace_id=world.workspace, teams=teams, product_id=world.product)
    number = await tx.value(TAKE_UNFLUSHED, workspace_id=world.workspace, kind="initiative")
    async with tx.connection.transaction():
        await tx.row(FIND_PLAN, workspace_id=world.workspace)
        return await tx.row(
            ADD_INITIATIVE,
            **change_by(world.actor),
            slot=slot(),
            id=id,
            number=number,
            name=text.name,
            description=text.description,
            priority="MEDIUM",
            product_id=world.product,
            team_ids=teams,
            request_hash=_HASH,
        )


LIMITS: dict[str, Callable[..., Awaitable[Any]]] = {
    "get_idea": _get_idea,
    "list_ideas": _list_ideas,
    "list_ideas_filtered": _list_ideas,
    "list_ideas_classified": _list_ideas_classified,
    "list_ideas_deep": _list_ideas,
    "list_initiatives": _list_initiatives,
    "list_signals": _list_signals,
    "list_signals_filtered": _list_signals,
    "list_signals_of_account": _list_signals,
    "list_signals_changed": _list_signals,
    "list_signals_deep": _list_signals,
    "list_signals_after": _list_signals,
    "list_study_feedback": _list_feedback,
    "list_study_feedback_filtered": _list_feedback,
    "list_study_feedback_deep": _list_feedback,
    "list_study_feedback_after": _list_feedback,
    "patch_idea": _patch_idea,
    "set_idea_status": _set_idea_status,
    "create_idea": _create_idea,
    "create_idea_matched": _create_idea_matched,
    "patch_initiative": _patch_initiative,
    "create_initiative": _create_initiative,
}


class Limit:
    """The statements of one operation, on a pool that is opened as the application opens its own.

    Those of a read are put together once, and given to the driver as they are from then on.
    """

    def __init__(self, db: Database, world: World, operation: Operation) -> None:
        self._db, self._world = db, world
        self._name, self._run = operation.name, LIMITS[operation.name]
        self._asks, self._turns = operation.asks(world), count()
        self._read: list[list[LoggedQuery]] = []

    async def prepare(self) -> list[str]:
        """Returns the texts of the statements. Raises BenchFailed when they find or write nothing."""
        is_read = self._asks[0].request.method == "GET"
        async with self._db.pool.acquire() as connection:
            await self._from_table(connection, self._asks[0])  # what is cached by the first run is not run again
            logged = [await self._logged(connection, ask) for ask in (self._asks if is_read else self._asks[-1:])]
        self._read = logged if is_read else []
        return [query.query for query in logged[-1]]

    async def _logged(self, connection: Any, ask: Ask) -> list[LoggedQuery]:
        logged: list[LoggedQuery] = []
        with connection.query_logger(logged.append):
            if not await self._from_table(connection, ask):
                raise BenchFailed(f"The statements of {self._name} find or write nothing.")
            await asyncio.sleep(0)  # the last one is logged in the next turn of the loop
        return logged

    async def _from_table(self, connection: Any, ask: Ask) -> Any:
        tx = Tx(connection, self._db.clock.now(), commits_alone=True)
        return await self._run(tx, self._world, **ask.values)

    async def round(self, connections: int, seconds: float) -> Round:
        """One run after another, by so many at once."""
        microseconds = Counter[int]()
        deadline = time.monotonic() + seconds

        async def one_after_another() -> None:
            while time.monotonic() < deadline:
                started, turn = time.perf_counter_ns(), next(self._turns)
                async with self._db.pool.acquire() as connection:
                    await self._once(connection, turn)
                microseconds[(time.perf_counter_ns() - started) // 1000] += 1

        return await in_parallel(one_after_another, connections, microseconds)

    async def _once(self, connection: Any, turn: int) -> None:
        if not self._read:
            await self._from_table(connection, self._asks[turn % len(self._asks)])
            return
        for logged in self._read[turn % len(self._read)]:
            await connection.fetch(logged.query, *logged.args)
