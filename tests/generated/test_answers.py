"""What every answer carries, and what every read of one record and every list costs."""

import re
from itertools import count
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin
from urllib.parse import urlsplit

import httpx2
import msgspec
import pytest_asyncio

from sightline.app import API, build_app
from sightline.platform.http.operations import Operation
from sightline.platform.http.query_strings import type_of_parameter
from sightline.reference.openapi import shown_type
from sightline.settings import Settings
from tests.generated.made import LISTS, OPERATIONS, READS, Made, code_of, each, nowhere
from tests.statements import Traced, logged_pools
from tests.world import serving

MANY = 12
SANE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
CHANGING = {"x-request-id", "date"}


def lasting(answer: httpx2.Response) -> dict[str, str]:
    """The headers that do not differ from one answer to the next."""
    return {name: value for name, value in answer.headers.items() if name not in CHANGING}


@each(READS)
async def test_head_answers_like_get_without_the_body(made: Made, operation: Operation) -> None:
    for path in {made.path(operation), nowhere(operation)}:
        seen, head = await made.world.client.get(path), await made.world.client.head(path)
        assert (head.status_code, head.content) == (seen.status_code, b"")
        assert lasting(head) == lasting(seen)


@each([operation for operation in READS if operation.is_versioned])
async def test_an_unchanged_record_is_not_sent_again(made: Made, operation: Operation) -> None:
    path = made.path(operation)
    seen = await made.world.client.get(path)
    tag = seen.headers["etag"]
    assert re.fullmatch(r'"[^"]+"', tag)
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = await made.world.client.get(path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    answer = await made.world.client.get(path, headers={"If-None-Match": '"other"'})
    assert (answer.status_code, answer.content) == (200, seen.content)


def test_every_read_of_one_record_is_versioned() -> None:
    """A record is what a path leads to by its own id; what hangs below it without one is a list or a view."""
    ending = re.compile(r"\{\w+\}$")
    assert [one.name for one in READS if ending.search(one.path) and not one.is_versioned] == []


@each(OPERATIONS)
async def test_every_response_has_a_request_id(made: Made, operation: Operation) -> None:
    nobody = made.world.client_of(None)
    for client in (made.world.client, nobody):
        path = nowhere(operation)
        ids = {(await client.request(operation.method, path)).headers["x-request-id"] for _ in range(2)}
        assert len(ids) == 2
        assert all(SANE.fullmatch(id) for id in ids)
        answer = await client.request(operation.method, path, headers={"X-Request-Id": "trace-7:a.b_c"})
        assert answer.headers["x-request-id"] == "trace-7:a.b_c"
        if not answer.is_success:
            assert answer.json()["requestId"] == "trace-7:a.b_c"
        for insane in ("a b", "x" * 129, "<script>", ""):
            answer = await client.request(operation.method, path, headers={"X-Request-Id": insane})
            assert SANE.fullmatch(answer.headers["x-request-id"])


@each(OPERATIONS)
async def test_every_response_has_its_cache_control(made: Made, operation: Operation) -> None:
    for client in (made.world.client, made.world.client_of(None)):
        answer = await client.request(operation.method, nowhere(operation))
        kept = "private, no-cache" if "etag" in answer.headers else "private, no-store"
        assert answer.headers.get_list("cache-control") == [kept]
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    if operation.is_read:
        answer = await made.world.client.get(made.path(operation))
        kept = "private, no-cache" if operation.is_versioned else "private, no-store"
        assert answer.headers.get_list("cache-control") == [kept]


@each(READS)
async def test_a_read_has_exactly_the_fields_of_its_type(made: Made, operation: Operation) -> None:
    answer = await made.world.client.get(made.path(operation))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    shown = answer.json()
    for record in shown if operation in LISTS else [shown]:
        kind = shown_type(operation).__args__[0] if operation in LISTS else _kind_of(shown_type(operation), record)
        tag = kind.__struct_config__.tag_field
        assert record.keys() - {tag} <= {field.encode_name for field in msgspec.structs.fields(kind)}
        msgspec.convert(record, kind)


def _kind_of(shown: Any, record: dict[str, Any]) -> Any:
    """The record of a union that has this constant."""
    if get_origin(shown) is not UnionType:
        return shown
    return next(kind for kind in get_args(shown) if kind.__struct_config__.tag == record["view"])


@each([operation for operation in OPERATIONS if not operation.is_read])
async def test_a_problem_has_all_its_members(made: Made, operation: Operation) -> None:
    answer = await made.world.client_of(None).request(operation.method, nowhere(operation))
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem.keys() >= {"type", "title", "status", "detail", "code", "requestId"}
    assert problem["status"] == answer.status_code
    assert urlsplit(problem["type"]).scheme


async def test_an_unknown_address_returns_a_problem(made: Made) -> None:
    for path in ("/nothing", "/ideas/IDEA-1/nothing", "/ideas/", "/Ideas", "/"):
        answer = await made.world.client.get(path)
        assert code_of(answer) == (404, "NOT_FOUND"), path
        assert SANE.fullmatch(answer.headers["x-request-id"])
        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest_asyncio.fixture(scope="module")
async def traced(made: Made, database_url: str) -> Any:
    """Traces requests to another workspace with many records, in an application of its own."""
    async with made.world.stranger() as world:
        many = Made(world)
        await many.furnish(ideas=MANY)
        given = {"database_url": database_url, "data_dir": Path("/nonexistent"), "log_level": "error"}
        settings = Settings.read(given, environment={}, file=Path("/nonexistent"))
        app = Traced(build_app(settings, OPERATIONS))
        headers = {"Authorization": f"Bearer {await world.key('all')}"}
        with logged_pools():
            async with serving(database_url, app) as address, httpx2.AsyncClient(timeout=30, verify=False) as client:

                async def ask(path: str) -> tuple[str, ...]:
                    """The first requests fill caches; the key is looked up until its process is notified of changes."""
                    seen: tuple[str, ...] = ()
                    for turn in count():
                        answer = await client.get(f"{address}{API}{path}", headers=headers)
                        assert answer.status_code == 200
                        seen = await app.statements()
                        if turn and "last_used_at" not in str(seen):
                            break
                    return seen

                yield many, ask


@each(LISTS)
async def test_a_longer_page_needs_no_more_statements(traced: Any, operation: Operation) -> None:
    many, ask = traced
    assert operation.paging is not None
    included = [""]
    for field in msgspec.structs.fields(operation.query_type) if operation.query_type else ():
        if field.encode_name == "include":
            included += [f"&include={choice}" for choice in type_of_parameter(field.type).__args__[0].__args__]
    for include in included:
        one = await ask(f"{many.path(operation)}?limit=1{include}")
        longest = await ask(f"{many.path(operation)}?limit={operation.paging.most}{include}")
        assert one == longest
        assert 1 <= len(one) <= 3


@each([operation for operation in READS if operation.is_versioned])
async def test_one_record_is_read_in_a_few_statements(traced: Any, operation: Operation) -> None:
    many, ask = traced
    assert len(await ask(many.path(operation))) <= 3


async def test_an_idea_and_a_page_of_ideas_are_one_statement_each(traced: Any) -> None:
    many, ask = traced
    for path in (f"/ideas/{many.ids['ideas']}", "/ideas", "/ideas?limit=100&offset=3"):
        assert len(await ask(path)) == 1
