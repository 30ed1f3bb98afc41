"""The operations that are measured: the requests of each, in the order in which they are sent, with their statements.

Each function has the name of its row.
"""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from benchmarks import limits
from benchmarks.client import FRESH_ID
from benchmarks.limits import Ask
from benchmarks.world import World
from sightline.ideas.records import IdeaFilters
from sightline.initiatives.records import InitiativeFilters
from sightline.platform.db import Window
from sightline.platform.http.cursors import write_cursor
from sightline.signals.records import SignalFilters
from sightline.studies.records import FeedbackFilters

API = "/api/external/v1"
IDEAS, FEED = 20, 100  # records of a page
CHANGED = 100
FEED_PAGE = Window(FEED)
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)  # of the workspace
RENAMED = {"name": f"Renamed {FRESH_ID}"}  # another name each time

Statements = Callable[..., Awaitable[Any]]  # one of `limits`


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


def _ideas(
    world: World, query: str, offset: int = 0, statements: Statements = limits.list_ideas, **filters: Any
) -> Ask:
    values = {"filters": IdeaFilters(**filters), "window": Window(IDEAS, offset)}
    return _ask(world, "GET", f"ideas?limit={IDEAS}{query}", statements, **values)


def list_ideas(world: World) -> list[Ask]:
    return [_ideas(world, "")]


def list_ideas_filtered(world: World) -> list[Ask]:
    return [_ideas(world, f"&sourceKey={one}", source_key=one) for one in world.sources]


def list_ideas_classified(world: World) -> list[Ask]:
    return [_ideas(world, "&include=classifications", statements=limits.list_ideas_classified)]


def list_ideas_deep(world: World) -> list[Ask]:
    """At 50,000, or in the middle of a smaller workspace."""
    offset = min(50_000, world.size // 2)
    return [_ideas(world, f"&offset={offset}", offset)]


def list_initiatives(world: World) -> list[Ask]:
    values = {"filters": InitiativeFilters(), "window": Window(IDEAS)}
    return [_ask(world, "GET", f"initiatives?limit={IDEAS}", limits.list_initiatives, **values)]


def _signals(world: World, query: str, window: Window = FEED_PAGE, **filters: Any) -> Ask:
    values = {"filters": SignalFilters(**filters), "window": window}
    return _ask(world, "GET", f"signals?limit={FEED}{query}", limits.list_signals, **values)


def list_signals(world: World) -> list[Ask]:
    return [_signals(world, "")]


def list_signals_filtered(world: World) -> list[Ask]:
    return [_signals(world, "&status=failed&sourceType=helpdesk", status=("failed",), source_type=("helpdesk",))]


def list_signals_of_account(world: World) -> list[Ask]:
    return [_signals(world, f"&accountId={one}", account_id=(one,)) for one in world.account_ids[:50]]


def list_signals_changed(world: World) -> list[Ask]:
    return [_signals(world, "&updatedSince=2024-01-01", updated_since=FIRST_DAY)]


def list_signals_deep(world: World) -> list[Ask]:
    return [_signals(world, f"&offset={world.late}", Window(FEED, world.late))]


def list_signals_after(world: World) -> list[Ask]:
    return [_signals(world, f"&after={write_cursor(world.late_signal)}", Window(FEED, after=world.late_signal))]


def _feedback(world: World, query: str, window: Window = FEED_PAGE, **filters: Any) -> Ask:
    values = {"filters": FeedbackFilters(**filters), "window": window}
    return _ask(world, "GET", f"studies/feedback?limit={FEED}{query}", limits.list_study_feedback, **values)


def list_study_feedback(world: World) -> list[Ask]:
    return [_feedback(world, "")]


def list_study_feedback_filtered(world: World) -> list[Ask]:
    query = "&metric=effort&submittedFrom=2024-01-02"
    return [_feedback(world, query, metric="effort", submitted_from=FIRST_DAY + timedelta(days=1))]


def list_study_feedback_deep(world: World) -> list[Ask]:
    return [_feedback(world, f"&offset={world.late}", Window(FEED, world.late))]


def list_study_feedback_after(world: World) -> list[Ask]:
    return [_feedback(world, f"&after={write_cursor(world.late_rating)}", Window(FEED, after=world.late_rating))]


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
