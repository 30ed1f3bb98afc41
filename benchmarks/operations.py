"""The requests of each operation, in the order in which they are sent again and again, with their statements."""

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks import limits
from benchmarks.client import FRESH_ID
from benchmarks.limits import Ask
from benchmarks.world import World
from sightline.ideas.records import IdeaFilters
from sightline.initiatives.records import InitiativeFilters
from sightline.platform.db import Position, Window
from sightline.platform.http.cursors import write_cursor
from sightline.signals.records import SignalFilters
from sightline.studies.records import FeedbackFilters

API = "/api/external/v1"
IDEAS, FEED = 20, 100  # records of a page
CHANGED = 100
FEED_PAGE = Window(FEED)
RENAMED = {"name": f"Renamed {FRESH_ID}"}  # another name each time

Statements = Callable[..., Awaitable[Any]]  # one of `limits`
ListFeed = Callable[[World, str, Window], list[Ask]]


def write_request(method: str, path: str, *, body: bytes = b"", **headers: str) -> bytes:
    """A request as a usual client sends it. An underscore stands for a hyphen in the names of headers."""
    headers = {"host": "127.0.0.1", "accept": "application/json", "user_agent": "benchmark", **headers}
    if body:
        headers = {"content_type": "application/json", **headers, "content_length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def call(world: World, method: str, path: str, body: Any = None) -> bytes:
    """A request of the API."""
    sent = b"" if body is None else json.dumps(body).encode()
    return write_request(method, f"{API}/{path}", authorization=f"Bearer {world.key}", body=sent)


def _ask(world: World, method: str, path: str, statements: Statements, body: Any = None, **values: Any) -> Ask:
    return Ask(call(world, method, path, body), partial(statements, world=world, **values))


def get_idea(world: World) -> list[Ask]:
    return [_ask(world, "GET", f"ideas/{one}", limits.get_idea, idea=one) for one in world.idea_ids]


def list_ideas(
    world: World, query: str = "", offset: int = 0, statements: Statements = limits.list_ideas, **filters: Any
) -> list[Ask]:
    window = Window(IDEAS, offset)
    path = f"ideas?limit={IDEAS}{query}"
    return [_ask(world, "GET", path, statements, filters=IdeaFilters(**filters), window=window)]


def list_ideas_of_sources(world: World) -> list[Ask]:
    return [ask for one in world.sources for ask in list_ideas(world, f"&sourceKey={one}", source_key=one)]


def list_ideas_deep(world: World) -> list[Ask]:
    """At 50,000, or in the middle of a smaller workspace."""
    offset = min(50_000, world.size // 2)
    return list_ideas(world, f"&offset={offset}", offset)


def list_initiatives(world: World) -> list[Ask]:
    path, window = f"initiatives?limit={IDEAS}", Window(IDEAS)
    return [_ask(world, "GET", path, limits.list_initiatives, filters=InitiativeFilters(), window=window)]


def list_signals(world: World, query: str = "", window: Window = FEED_PAGE, **filters: Any) -> list[Ask]:
    path = f"signals?limit={FEED}{query}"
    return [_ask(world, "GET", path, limits.list_signals, filters=SignalFilters(**filters), window=window)]


def list_signals_of_accounts(world: World) -> list[Ask]:
    accounts = world.account_ids[:50]
    return [ask for one in accounts for ask in list_signals(world, f"&accountId={one}", account_id=(one,))]


def list_feedback(world: World, query: str = "", window: Window = FEED_PAGE, **filters: Any) -> list[Ask]:
    path = f"studies/feedback?limit={FEED}{query}"
    return [_ask(world, "GET", path, limits.list_feedback, filters=FeedbackFilters(**filters), window=window)]


def at_offset(list_feed: ListFeed, world: World) -> list[Ask]:
    """The last tenth of a feed, by its offset."""
    return list_feed(world, f"&offset={world.late}", Window(FEED, world.late))


def after(list_feed: ListFeed, world: World, position: Position) -> list[Ask]:
    return list_feed(world, f"&after={write_cursor(position)}", Window(FEED, after=position))


def patch_idea(world: World) -> list[Ask]:
    ideas = world.idea_ids[:CHANGED]
    return [_ask(world, "PATCH", f"ideas/{one}", limits.patch_idea, RENAMED, idea=one) for one in ideas]


def set_idea_status(world: World) -> list[Ask]:
    """One label and another in turn, so that every request moves an idea."""
    return [
        _ask(world, "PATCH", f"ideas/{one}/status", limits.set_idea_status, {"status": label}, idea=one, status=label)
        for label in world.statuses[1:3]
        for one in world.idea_ids[:CHANGED]
    ]


def create_idea(world: World) -> list[Ask]:
    return _create(world, "ideas", limits.create_idea)


def create_idea_matched(world: World) -> list[Ask]:
    """With a product, whose 30 features the description is matched with."""
    return _create(world, "ideas", limits.create_idea_matched, productId=str(world.product_id))


def patch_initiative(world: World) -> list[Ask]:
    statements = limits.patch_initiative
    return [
        _ask(world, "PATCH", f"initiatives/{one}", statements, RENAMED, initiative=one)
        for one in world.initiative_ids[:CHANGED]
    ]


def create_initiative(world: World) -> list[Ask]:
    """Each time under a request id of its own: the same again would create nothing."""
    fixed = {"clientRequestId": FRESH_ID, "productId": str(world.product_id), "teamIds": [str(world.team_ids[0])]}
    return _create(world, "initiatives", limits.create_initiative, **fixed)


def _create(world: World, path: str, statements: Statements, **fixed: Any) -> list[Ask]:
    return [
        _ask(world, "POST", path, statements, {"name": text.name, "description": text.description, **fixed}, text=text)
        for text in world.texts
    ]
