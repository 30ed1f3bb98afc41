"""Operations that exist in tests only: each shows one thing that the table of operations promises."""

import asyncio
from typing import Annotated
from uuid import UUID

import asyncpg
from msgspec import Meta

from sightline.platform.access import Role, Scope
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.http.operations import Call, Operation, operation
from sightline.platform.http.queries import Paging, Query
from sightline.platform.ids import new_id
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Id, Input, Moment, Page, Record, Text, Trimmed, Versioned, shown_moment, version_tag

SECRET = "the-inside-of-the-service"
THINGS = 45
GATES: dict[str, asyncio.Event] = {}


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


class Wanted(Query):
    since: Moment | None = None
    parent_id: Id | None = None


def made_by_hand(name: str) -> Thing:
    return Thing(new_id(), name)


@operation("POST", "/readings", scopes=[Scope.IDEAS_WRITE], status=201, body_limit=100_000)
async def read_body(call: Call, sent: Sent) -> Read:
    """Shows what was read."""
    return Read(sent.name, sent.note, sent.size, sent.weight, shown_moment(sent.at) if sent.at else None)


@operation("GET", "/things", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100, clamp=True))
async def list_things(call: Call, query: Wanted, window: Window) -> Page[Thing]:
    """Lists things, of which there are 45."""
    numbers = range(THINGS)[window.offset : window.offset + window.limit]
    return Page([Thing(UUID(int=n), f"thing {n}") for n in numbers], THINGS, window)


@operation("GET", "/strict-things", scopes=[Scope.IDEAS_READ], paging=Paging(20, 50))
async def list_strictly(call: Call, window: Window) -> Page[Thing]:
    """Lists nothing, but refuses long pages."""
    return Page([], THINGS, window)


@operation("GET", "/things/{ref}", scopes=[Scope.IDEAS_READ])
async def get_thing(call: Call, ref: IdeaRef, query: Wanted) -> Versioned[Thing]:
    """Gets a thing; there are only those with the numbers 1 to 3."""
    return _thing(ref)


@operation("PATCH", "/things/{ref}", scopes=[Scope.IDEAS_WRITE])
async def change_thing(call: Call, ref: IdeaRef, sent: Sent) -> Versioned[Thing]:
    """Changes nothing, for writers, if it is still the expected version."""
    found = _thing(ref)
    call.actor.require_role(Role.EDITOR)
    call.expect(found.tag)
    return found


def _thing(ref: IdeaRef) -> Versioned[Thing]:
    if ref.number not in (1, 2, 3):
        raise NotFound
    id = UUID(int=ref.number)
    return Versioned(Thing(id, "a thing"), version_tag(id, 7))


@operation("POST", "/things", scopes=[Scope.IDEAS_WRITE], status=201, keeps_answers=True)
async def make_thing(call: Call, made: Made) -> Thing:
    """Makes a thing: a row in `changes`. May wait at a gate, may refuse."""
    async with call.db.write() as tx:
        thing = made_by_hand(made.name)
        await tx.run(
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
            raise Conflict("Refused, as was wished.")
    return thing


@operation("GET", "/fails", scopes=[Scope.IDEAS_READ])
async def fail(call: Call) -> Thing:
    """Fails."""
    raise RuntimeError(SECRET)


@operation("GET", "/loses-the-database", scopes=[Scope.IDEAS_READ])
async def lose_the_database(call: Call) -> Thing:
    """Finds the database gone."""
    raise asyncpg.ConnectionDoesNotExistError(SECRET)


@operation("GET", "/long", scopes=[Scope.IDEAS_READ])
async def show_much(call: Call) -> Thing:
    """Shows more than a kilobyte."""
    return Thing(UUID(int=1), "long " * 1000)


@operation("GET", "/duplicate", scopes=[Scope.IDEAS_READ])
async def add_twice(call: Call) -> Thing:
    """Fails in the database, which then tells the values in its detail."""
    async with call.db.write() as tx:
        insert = "INSERT INTO workspaces SELECT * FROM workspaces WHERE id = $1"
        await tx.run(insert, call.actor.workspace_id)
    raise AssertionError


TABLE: list[Operation] = [value for value in list(globals().values()) if isinstance(value, Operation)]
