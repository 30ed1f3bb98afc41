"""The limit's statements: for each operation, what a request of it runs, without anything around it.

Each function returns what it found or wrote, which is empty when that is nothing. A test compares them with the
statements that requests really run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

from asyncpg.connection import LoggedQuery

from benchmarks.rounds import BenchFailed, Round, during, time_each
from benchmarks.world import NewText, World
from sightline.catalog.products.feature_maps import FIND_MAP_VERSION
from sightline.catalog.taxonomy.groups import FIND_VERSION
from sightline.ideas import queries as ideas
from sightline.ideas.classifications.queries import FIND_VALUES
from sightline.ideas.decide import Outcome
from sightline.ideas.preparation import CHECK_NAMED
from sightline.ideas.proposal import Proposal
from sightline.ideas.records import IdeaFilters, IdeaProvenance
from sightline.ideas.status import FIND_STATE, MOVE_IDEA
from sightline.ideas.store import add_idea, change_columns, moved
from sightline.initiatives import queries as initiatives
from sightline.initiatives.records import InitiativeFilters
from sightline.platform.db import Database, Row, Tx, Window
from sightline.platform.db.updates import update_record
from sightline.platform.http.query_strings import Query, QueryReader, parse_query
from sightline.platform.ids import new_id
from sightline.platform.lists.paging import Paging
from sightline.platform.lists.totals import Totals
from sightline.signals.queries import page_of_signals
from sightline.signals.records import SignalFilters
from sightline.studies.queries import page_of_feedback
from sightline.studies.records import FeedbackFilters
from sightline.workspaces.changes import change_by, log_change, slot
from sightline.workspaces.numbers import TAKE, TAKE_IDEA

_totals = Totals()
_HASH = bytes(32)


Statements = Callable[[Tx], Awaitable[Any]]


class Ask(NamedTuple):
    """One request, and the statements that a server runs for it."""

    request: bytes
    statements: Statements


def read(world: World, path: str) -> Statements:
    """The statements of a GET: of a list, with the filters and the page that its query means, or of one idea."""
    resource, _, query = path.partition("?")
    if resource not in LISTS:
        return partial(get_idea, world=world, idea=UUID(resource.rpartition("/")[2]))
    kind, statements = LISTS[resource]
    filters, window = QueryReader(kind, Paging(cursor=True)).read(parse_query(query.encode()))
    return partial(statements, world=world, filters=filters, window=window)


async def get_idea(tx: Tx, world: World, idea: UUID) -> Any:
    return await tx.row(ideas.FIND_IDEA["id"].small, workspace_id=world.workspace_id, ref=idea)


async def list_ideas(tx: Tx, world: World, filters: IdeaFilters, window: Window) -> Any:
    found: Sequence[Any] = (await ideas.page_of_ideas(tx, world.workspace_id, filters, window, _as_rows)).items
    if filters.include:
        await tx.value(FIND_VERSION, workspace_id=world.workspace_id)
        await tx.rows(FIND_VALUES, workspace_id=world.workspace_id, idea_ids=[row["id"] for row in found])
    return found


async def _as_rows(_: Tx, rows: Sequence[Row]) -> list[Any]:
    return list(rows)


async def list_initiatives(tx: Tx, world: World, filters: InitiativeFilters, window: Window) -> Any:
    return (await initiatives.page_of_initiatives(tx, world.workspace_id, filters, window)).items


async def list_signals(tx: Tx, world: World, filters: SignalFilters, window: Window) -> Any:
    return (await page_of_signals(tx, _totals, world.workspace_id, filters, window, _as_rows)).items


async def list_feedback(tx: Tx, world: World, filters: FeedbackFilters, window: Window) -> Any:
    return (await page_of_feedback(tx, _totals, world.workspace_id, filters, window)).items


LISTS: dict[str, tuple[type[Query], Callable[..., Awaitable[Any]]]] = {
    "ideas": (IdeaFilters, list_ideas),
    "initiatives": (InitiativeFilters, list_initiatives),
    "signals": (SignalFilters, list_signals),
    "studies/feedback": (FeedbackFilters, list_feedback),
}


async def patch_idea(tx: Tx, world: World, idea: UUID) -> Any:
    async with tx.connection.transaction():
        await tx.row(ideas.LOCK_IDEA["id"].small, workspace_id=world.workspace_id, ref=idea)
        renamed = {"name": f"Renamed {new_id()}", "name_drafted": False}
        return await change_columns(tx, world.actor, idea, renamed, "updated", fields=["name"])


async def set_idea_status(tx: Tx, world: World, idea: UUID, status: str) -> Any:
    seen = await tx.row(FIND_STATE["id"], workspace_id=world.workspace_id, ref=idea, label=status)
    assert seen is not None  # noqa: S101 - the idea is there
    seen_as = {"seen_status": seen["status"], "seen_version": seen["version"], "detail": moved(seen["status"], status)}
    return await tx.row(MOVE_IDEA, **change_by(world.actor), **seen_as, id=idea, status=status)


async def create_idea(
    tx: Tx, world: World, text: NewText, feature_ids: list[UUID] | None = None, **matched: Any
) -> Any:
    taken = await tx.row(TAKE_IDEA, workspace_id=world.workspace_id, kind="idea")
    origin = {"id": new_id(), "number": taken and taken["last"], "created_source": "api"}
    origin["provenance"] = IdeaProvenance("api", world.actor.id)
    columns = {"name": text.name, "description": text.description, "name_drafted": True, **matched}
    new = Outcome(
        Proposal({}),
        columns,
        fields=[],
        feature_ids=feature_ids,
        is_described=True,
        drafted=text.drafted,
        suggested={},
        assignments=(),
        is_due=False,
    )
    return await add_idea(tx, world.actor, origin, new)


async def create_idea_matched(tx: Tx, world: World, text: NewText) -> Any:
    named = {"status": None, "integration_id": None, "feature_ids": (), "insight_ids": (), "account_ids": ()}
    await tx.row(CHECK_NAMED, workspace_id=world.workspace_id, product_id=world.product_id, **named)
    await tx.value(FIND_MAP_VERSION, workspace_id=world.workspace_id, product_id=world.product_id)
    return await create_idea(tx, world, text, text.feature_ids, product_id=world.product_id, **text.matched)


async def patch_initiative(tx: Tx, world: World, initiative: UUID) -> Any:
    async with tx.connection.transaction():
        await tx.row(initiatives.LOCK_INITIATIVE["id"], workspace_id=world.workspace_id, ref=initiative)
        await update_record(tx, "initiatives", world.workspace_id, initiative, {"name": f"Renamed {new_id()}"})
        await log_change(tx, world.actor, "initiative", initiative, "INITIATIVE-1", "updated", fields=["name"])
        return await tx.row(initiatives.FIND_INITIATIVE["id"].whole, workspace_id=world.workspace_id, ref=initiative)


async def create_initiative(tx: Tx, world: World, text: NewText) -> Any:
    id, teams = new_id(), world.team_ids[:1]
    named = {"id": id, "teams": teams, "product_id": world.product_id}
    await tx.row(initiatives.FIND_NAMED, workspace_id=world.workspace_id, **named)
    number = await tx.value(TAKE, workspace_id=world.workspace_id, kind="initiative")
    async with tx.connection.transaction():
        return await tx.row(
            initiatives.ADD_INITIATIVE,
            **change_by(world.actor),
            slot=slot(tx),
            id=id,
            number=number,
            name=text.name,
            description=text.description,
            priority="MEDIUM",
            product_id=world.product_id,
            team_ids=teams,
            request_hash=_HASH,
        )


class Limit:
    """The statements of requests, on connections that are opened and borrowed as the application does.

    Those of a read are put together once, and given to the driver as they are from then on.
    """

    def __init__(self, db: Database, asks: Sequence[Ask]) -> None:
        self._db, self._asks = db, asks
        self._is_read = asks[0].request.startswith(b"GET")
        self._logged: list[list[LoggedQuery]] = []
        self._turns = count()

    async def prepare(self) -> list[str]:
        """Returns the texts of the statements. Raises BenchFailed when they find or write nothing."""
        async with self._db.autocommit() as tx:
            await self._asks[0].statements(tx)  # what is cached by the first run is not run again
            asks = self._asks if self._is_read else self._asks[-1:]
            self._logged = [await self._log(tx, ask) for ask in asks]
        return [query.query for query in self._logged[-1]]

    async def _log(self, tx: Tx, ask: Ask) -> list[LoggedQuery]:
        logged: list[LoggedQuery] = []
        with tx.connection.query_logger(logged.append):
            if not await ask.statements(tx):
                raise BenchFailed(f"The statements find or write nothing for {ask.request.splitlines()[0].decode()}")
            await asyncio.sleep(0)  # the last one is logged in the next turn of the loop
        return logged

    async def measure(self, connections: int, seconds: float) -> Round:
        """One run after another, by so many at once."""

        async def work(_: int, turn: int) -> None:
            async with self._db.autocommit() as tx:
                if not self._is_read:
                    await self._asks[turn % len(self._asks)].statements(tx)
                    return
                for logged in self._logged[turn % len(self._logged)]:
                    await tx.connection.fetch(logged.query, *logged.args)

        return await time_each(during(seconds, self._turns), work, connections)
