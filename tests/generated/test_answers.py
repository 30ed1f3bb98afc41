"""What every answer carries, and what every read of one record and every list costs."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec
import pytest_asyncio

from sightline.app import API, build_app
from sightline.bench.capture import Trace, noting_pools, trace
from sightline.bench.inprocess import InProcess
from sightline.bench.wire import Request
from sightline.platform.http.operations import Operation
from sightline.settings import Settings
from tests.generated.made import LISTS, OPERATIONS, READS, Made, code_of, each, nowhere

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
async def test_a_record_that_did_not_change_is_not_sent_again(made: Made, operation: Operation) -> None:
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
async def test_every_answer_carries_a_request_id(made: Made, operation: Operation) -> None:
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


@each(READS)
async def test_a_read_shows_just_what_its_type_says(made: Made, operation: Operation) -> None:
    answer = await made.world.client.get(made.path(operation))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    shown = answer.json()
    for record in shown if operation.paging else [shown]:
        kind = operation.shown_type.__args__[0] if operation.paging else operation.shown_type
        assert record.keys() <= {field.encode_name for field in msgspec.structs.fields(kind)}
        msgspec.convert(record, kind)


@each([operation for operation in OPERATIONS if not operation.is_read])
async def test_a_problem_says_what_where_and_which_request(made: Made, operation: Operation) -> None:
    answer = await made.world.client_of(None).request(operation.method, nowhere(operation))
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem.keys() >= {"type", "title", "status", "detail", "code", "requestId"}
    assert problem["status"] == answer.status_code
    assert urlsplit(problem["type"]).scheme


async def test_an_address_where_nothing_is_answers_a_problem(made: Made) -> None:
    for path in ("/nothing", "/ideas/IDEA-1/nothing", "/ideas/", "/Ideas", "/"):
        answer = await made.world.client.get(path)
        assert code_of(answer) == (404, "NOT_FOUND"), path
        assert SANE.fullmatch(answer.headers["x-request-id"])


@pytest_asyncio.fixture(scope="module")
async def traced(made: Made, database_url: str) -> Any:
    """Traces requests to another workspace with many records, in an application of its own."""
    async with made.world.stranger() as world:
        many = Made(world)
        await many.furnish(ideas=MANY)
        given = {"database_url": database_url, "data_dir": Path("/nonexistent"), "log_level": "error"}
        settings = Settings.read(given, environment={}, file=Path("/nonexistent"))
        key = await world.key("all")
        with noting_pools():
            async with InProcess(build_app(settings, OPERATIONS)) as app:

                async def ask(path: str) -> Trace:
                    """The first requests fill caches; the key is looked up until its process hears of changes."""
                    request = Request("GET", f"{API}{path}", b"")
                    [_, seen] = await trace(app, [request] * 2, key)
                    while "FROM api_keys" in str(seen.shape):
                        [seen] = await trace(app, [request], key)
                    return seen

                yield many, ask


@each(LISTS)
async def test_a_longer_page_asks_no_more_questions(traced: Any, operation: Operation) -> None:
    many, ask = traced
    assert operation.paging is not None
    included = [""]
    for field in msgspec.structs.fields(operation.query_type) if operation.query_type else ():
        if field.encode_name == "include":
            included += [f"&include={choice}" for choice in field.type.__args__[0].__args__]
    for include in included:
        one = await ask(f"{many.path(operation)}?limit=1{include}")
        longest = await ask(f"{many.path(operation)}?limit={operation.paging.most}{include}")
        assert one.shape == longest.shape
        assert 1 <= len(one.statements) <= 3


@each([operation for operation in READS if operation.is_versioned])
async def test_one_record_is_read_in_a_few_statements(traced: Any, operation: Operation) -> None:
    many, ask = traced
    assert len((await ask(many.path(operation))).statements) <= 3


async def test_an_idea_and_a_page_of_ideas_are_one_statement_each(traced: Any) -> None:
    many, ask = traced
    for path in (f"/ideas/{many.ids['ideas']}", "/ideas", "/ideas?limit=100&offset=3"):
        assert len((await ask(path)).statements) == 1
