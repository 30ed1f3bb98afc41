"""GZip and CORS. Reference: conventions integrators like."""

from collections.abc import AsyncIterator
from time import perf_counter

import httpx2
import pytest
import pytest_asyncio

from sightline.platform.db import Database
from sightline.platform.http.compression import accepts_gzip
from tests.platform.http.conftest import laboratory
from tests.world import World, serving

ORIGIN = "https://app.example"


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip", "gzip;q=0.5", "deflate,gzip ; q=1.0, *;q=0"])
async def test_a_long_answer_is_compressed(lab: World, accepted: str) -> None:
    answer = await lab.client.get("/long", headers={"Accept-Encoding": accepted})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert int(answer.headers["Content-Length"]) < 200
    assert len(answer.json()["name"]) == 5000


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip;q=0.000", "xgzip", "gzipped"])
async def test_who_takes_no_gzip_gets_none(lab: World, accepted: str) -> None:
    answer = await lab.client.get("/long", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers
    assert not accepts_gzip(accepted)


@pytest.mark.parametrize("accepted", ["gzip{}x", "gzip;{}q=0.5", "{}gzip", "gzip;q=0{}.5", "gzip,{}br"])
async def test_no_header_takes_long_to_read(lab: World, accepted: str) -> None:
    started = perf_counter()
    await lab.client.get("/long", headers={"Accept-Encoding": accepted.format(" " * 10_000)})
    assert perf_counter() - started < 1


async def test_a_short_answer_is_sent_as_it_is(lab: World) -> None:
    answer = await lab.client.get("/things/IDEA-1", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


async def test_a_compressed_refusal_is_still_a_problem(lab: World) -> None:
    body = {f"unknown{n}": 1 for n in range(100)}
    answer = await lab.client.post("/readings", json=body, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (400, "gzip")
    assert len(answer.json()["errors"]) == 100


async def test_other_origins_are_told_nothing_by_default(lab: World) -> None:
    answer = await lab.client.get("/things", headers={"Origin": ORIGIN})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest_asyncio.fixture(scope="module")
async def open_lab(database: Database, database_url: str) -> AsyncIterator[World]:
    """The laboratory, opened to pages of one origin."""
    async with (
        serving(database_url, laboratory(database_url, cors_origins=ORIGIN)) as address,
        World(database, address) as lab,
    ):
        yield lab


async def ask_first(lab: World, **headers: str) -> httpx2.Response:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "PATCH"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return await lab.client_of(None).options("/things/IDEA-1", headers=asked)


async def test_a_preflight_needs_no_key(open_lab: World) -> None:
    headers = "authorization, content-type, idempotency-key, if-match, if-none-match, x-request-id"
    answer = await ask_first(open_lab, Access_Control_Request_Headers=headers, X_Request_Id="mine")
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, ORIGIN)
    assert "PATCH" in answer.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert set(headers.split(", ")) <= allowed
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert (answer.headers["X-Request-Id"], answer.headers["X-Content-Type-Options"]) == ("mine", "nosniff")


async def test_another_origin_is_not_let_in(open_lab: World) -> None:
    answer = await ask_first(open_lab, Origin="https://other.example")
    assert (answer.status_code, answer.json()["code"]) == (400, "PREFLIGHT_REFUSED")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["requestId"] == answer.headers["X-Request-Id"]
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    "asked", [{"Access_Control_Request_Method": "FOO"}, {"Access_Control_Request_Headers": "x-other"}], ids=str
)
async def test_a_preflight_for_what_no_page_may_send_is_a_problem(open_lab: World, asked: dict[str, str]) -> None:
    answer = await ask_first(open_lab, **asked)
    assert (answer.status_code, answer.json()["code"]) == (400, "PREFLIGHT_REFUSED")


async def test_options_without_a_question_is_another_method(open_lab: World) -> None:
    answer = await open_lab.client_of(None).options("/things/IDEA-1", headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("path", ["/things", "/things/!", "/things/IDEA-99", "/fails", "/nothing", "/things/a%2Fb"])
async def test_refusals_too_can_be_read_by_the_page(open_lab: World, path: str) -> None:
    answer = await open_lab.client.get(path, headers={"Origin": ORIGIN})
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    shown = {name.strip() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert shown == {
        *("X-Total-Count", "X-Limit", "X-Offset", "X-Has-More", "Link", "ETag", "X-Request-Id", "Retry-After"),
        *("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
        *("Idempotent-Replayed", "Location"),
    }
    assert "Origin" in answer.headers["Vary"]


async def test_a_page_without_a_key_can_read_that_it_needs_one(open_lab: World) -> None:
    answer = await open_lab.client_of(None).get("/things", headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (401, ORIGIN)
