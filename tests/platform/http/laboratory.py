"""Operations that exist in tests only: each shows one thing that the table of operations promises."""

import asyncio
from typing import Annotated, Literal
from uuid import UUID

import asyncpg
from msgspec import Meta

from sightline.platform.access import Role
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.http.operations import Call, Operation, operation
from sightline.platform.http.query_strings import Query
from sightline.platform.ids import new_id
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import IdeaRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Id, Input, Moment, Page, Record, Text, Trimmed, Versioned, shown_moment, version_tag

SECRET = "the-inside-of-the-service"
THINGS = 45


class Gate(asyncio.Event):
    """Keeps a request from being answered until it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.reached.set()
        return await super().wait()


GATES: dict[str, Gate] = {}


class Thing(Record):
    id: UUID
    name: str


class Read(Record):
    """What came of a body."""

    name: str
    note: str | None
    size: int | None
    weight: float | None
    at: str | None


class Name(Trimmed):
    longest = 20


class Part(Input):
    label: Name
    count: Annotated[int, Meta(ge=1, le=9)]


class Sent(Input):
    name: Name
    note: Text | None = None
    size: Annotated[int, Meta(ge=0, le=100)] | None = None
    weight: float | None = None
    at: Moment | None = None
    parent_id: Id | None = None
    parts: Annotated[list[Part], Meta(max_length=3)] | None = None


class Made(Input):
    name: Name
    is_refused: bool = False
    gate: str | None = None


class ThingFilters(Query):
    since: Moment | None = None
    parent_id: Id | None = None
    q: str | None = None
    parents: tuple[Id, ...] = ()


def made_by_hand(name: str) -> Thing:
    return Thing(new_id(), name)


@operation("POST", "/readings", scopes=[Scope.IDEAS_WRITE], status=201, body_limit=100_000)
async def read_body(call: Call, sent: Sent) -> Read:
    """Shows what was read."""
    return Read(sent.name, sent.note, sent.size, sent.weight, shown_moment(sent.at) if sent.at else None)


@operation("GET", "/things", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100, clamp=True))
async def list_things(call: Call, query: ThingFilters, window: Window) -> Page[Thing]:
    """Lists things, of which there are 45."""
    numbers = range(THINGS)[window.offset : window.offset + window.limit]
    return Page([Thing(UUID(int=n), f"thing {n}") for n in numbers], THINGS, window)


@operation("GET", "/strict-things", scopes=[Scope.IDEAS_READ], paging=Paging(20, 50))
async def list_strictly(call: Call, window: Window) -> Page[Thing]:
    """Lists nothing, but refuses long pages."""
    return Page([], THINGS, window)


@operation("GET", "/things/{ref}", scopes=[Scope.IDEAS_READ])
async def get_thing(call: Call, ref: IdeaRef, query: ThingFilters) -> Versioned[Thing]:
    """Gets a thing; there are only those with the numbers 1 to 3."""
    return _thing(ref)


@operation("PATCH", "/things/{ref}", scopes=[Scope.IDEAS_WRITE])
async def change_thing(call: Call, ref: IdeaRef, sent: Sent) -> Versioned[Thing]:
    """Changes nothing, for writers, if it is still the expected version."""
    found = _thing(ref)
    call.expect(found.tag)
    return found


@operation("DELETE", "/things/{ref}", scopes=[Scope.IDEAS_DELETE], role=Role.ADMIN, role_first=True)
async def remove_thing(call: Call, ref: IdeaRef) -> Thing:
    """Removes nothing, for admins."""
    return _thing(ref).record


def _thing(ref: IdeaRef) -> Versioned[Thing]:
    if ref.number not in (1, 2, 3):
        raise NotFound
    id = UUID(int=ref.number)
    return Versioned(Thing(id, "a thing"), version_tag(id, 7))


@operation("POST", "/things", scopes=[Scope.IDEAS_WRITE], status=201)
async def make_thing(call: Call, made: Made) -> Thing:
    """Makes a thing: a row in `changes`. May wait at a gate, may refuse."""
    async with call.db.transaction() as tx:
        thing = made_by_hand(made.name)
        await tx.connection.execute(
            "INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, at)"
            " VALUES ($1, $2, 'thing', $2, $3, 'key', $4)",
            call.actor.workspace_id,
            thing.id,
            made.name,
            tx.now,
        )
        if made.gate is not None:
            await GATES[made.gate].wait()
        if made.is_refused:
            raise Conflict("Refused on request.")
    return thing


@operation("GET", "/fails", scopes=[Scope.IDEAS_READ])
async def fail(call: Call) -> Thing:
    """Fails."""
    raise RuntimeError(SECRET)


class Loss(Input):
    at_commit: bool


@operation("POST", "/losses", scopes=[Scope.IDEAS_WRITE], status=201)
async def lose_the_connection(call: Call, loss: Loss) -> Thing:
    """Loses the connection in a transaction: at its COMMIT, by the table's deferred trigger, or before."""
    async with call.db.transaction() as tx:
        await tx.connection.execute("INSERT INTO doomed DEFAULT VALUES")
        if not loss.at_commit:
            await tx.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    raise AssertionError


@operation("GET", "/loses-the-database", scopes=[Scope.IDEAS_READ])
async def lose_the_database(call: Call) -> Thing:
    """Finds the database gone."""
    raise asyncpg.ConnectionDoesNotExistError(SECRET)


@operation("GET", "/times-out", scopes=[Scope.IDEAS_READ])
async def time_out(call: Call) -> Thing:
    """Waits for the database for too long."""
    raise TimeoutError


@operation("GET", "/long", scopes=[Scope.IDEAS_READ])
async def show_much(call: Call) -> Thing:
    """Shows more than a kilobyte."""
    return Thing(UUID(int=1), "long " * 1000)


@operation("GET", "/duplicate", scopes=[Scope.IDEAS_READ])
async def add_twice(call: Call) -> Thing:
    """Fails in the database, whose error then holds the values in its detail."""
    async with call.db.transaction() as tx:
        insert = "INSERT INTO workspaces SELECT * FROM workspaces WHERE id = $1"
        await tx.connection.execute(insert, call.actor.workspace_id)
    raise AssertionError


TABLE: list[Operation] = [value for value in list(globals().values()) if isinstance(value, Operation)]
