"""The requests of the operations, in the order in which they are sent again and again, with their statements."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from benchmarks import limits
from benchmarks.client import FRESH_ID
from benchmarks.limits import Ask
from benchmarks.world import World
from sightline.platform.lists.paging import write_cursor

API = "/api/external/v1"
CHANGED = 100
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


def read(template: str, world: World) -> list[Ask]:
    """The GETs of a path such as `ideas/{idea}`, one for each value of its name."""
    values: dict[str, Sequence[object]] = {
        "idea": world.idea_ids,
        "source": world.sources,
        "account": world.account_ids[:50],
        "deep": [min(50_000, world.size // 2)],
        "late": [world.late],
        "late_idea": [write_cursor(world.late_idea)],
        "late_signal": [write_cursor(world.late_signal)],
        "late_rating": [write_cursor(world.late_rating)],
    }
    name = next((name for name in values if f"{{{name}}}" in template), None)
    paths = [template.format(**{name: value}) for value in values[name]] if name else [template]
    return [Ask(call(world, "GET", path), limits.read(world, path)) for path in paths]


def _write(world: World, method: str, path: str, body: Any, statements: Statements, **values: Any) -> Ask:
    return Ask(call(world, method, path, body), partial(statements, world=world, **values))


def patch_idea(world: World) -> list[Ask]:
    ideas = world.idea_ids[:CHANGED]
    return [_write(world, "PATCH", f"ideas/{one}", RENAMED, limits.patch_idea, idea=one) for one in ideas]


def set_idea_status(world: World) -> list[Ask]:
    """One label and another in turn, so that every request moves an idea."""
    return [
        _write(world, "PATCH", f"ideas/{one}/status", {"status": label}, limits.set_idea_status, idea=one, status=label)
        for label in world.statuses[1:3]
        for one in world.idea_ids[:CHANGED]
    ]


def create_idea(world: World) -> list[Ask]:
    return _create(world, "ideas", limits.create_idea)


def create_idea_matched(world: World) -> list[Ask]:
    """With a product, whose 30 features the description is matched with."""
    return _create(world, "ideas", limits.create_idea_matched, productId=str(world.product_id))


def create_idea_with_features(world: World) -> list[bytes]:
    """With three features of the product."""
    chosen = {"productId": str(world.product_id), "featureIds": [str(one) for one in world.feature_ids[:3]]}
    return [ask.request for ask in _create(world, "ideas", limits.create_idea, **chosen)]


def patch_initiative(world: World) -> list[Ask]:
    return [
        _write(world, "PATCH", f"initiatives/{one}", RENAMED, limits.patch_initiative, initiative=one)
        for one in world.initiative_ids[:CHANGED]
    ]


def create_initiative(world: World) -> list[Ask]:
    """Each time under a request id of its own: the same again would create nothing."""
    fixed = {"clientRequestId": FRESH_ID, "productId": str(world.product_id), "teamIds": [str(world.team_ids[0])]}
    return _create(world, "initiatives", limits.create_initiative, **fixed)


def _create(world: World, path: str, statements: Statements, **fixed: Any) -> list[Ask]:
    return [
        _write(world, "POST", path, {"name": text.name, "description": text.description} | fixed, statements, text=text)
        for text in world.texts
    ]
