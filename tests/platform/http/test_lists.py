"""Queries and pages. Decisions: Everywhere, Query; specification: Pagination."""

import re
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.platform.http.conftest import laboratory
from tests.platform.http.laboratory import THINGS
from tests.world import World, serving

WRONG_NUMBERS = [
    "1_0",
    " 1",
    "1 ",
    "+1",
    "-1",
    "1.0",
    "1e1",
    "0x1",
    "",
    "\N{ARABIC-INDIC DIGIT THREE}",
    "\N{FULLWIDTH DIGIT ONE}",
    "ten",
    "null",
    "1,2",
    "00000000001",
    "0" * 30_000,
    "9" * 5000,
    "1\0",
]


@pytest.mark.parametrize("text", [*WRONG_NUMBERS, "0", "0000000000"])
async def test_a_wrong_limit_is_refused_by_name(lab: World, text: str) -> None:
    answer = await lab.client.get("/things", params={"limit": text})
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "VALIDATION_FAILED", "limit")
    assert answer.json()["errors"][0]["path"] == "limit"


@pytest.mark.parametrize("text", [*WRONG_NUMBERS, str(2**31), str(2**63)])
async def test_a_wrong_offset_is_refused_by_name(lab: World, text: str) -> None:
    answer = await lab.client.get("/things", params={"offset": text})
    assert (answer.status_code, answer.json()["field"]) == (400, "offset")


@pytest.mark.parametrize("given", ["101", "1000", "2147483648", "9999999999"])
async def test_a_larger_limit_counts_as_the_most(lab: World, given: str) -> None:
    answer = await lab.client.get("/things", params={"limit": given})
    assert (answer.status_code, answer.headers["X-Limit"], len(answer.json())) == (200, "100", THINGS)


@pytest.mark.parametrize("given", ["51", "1000", "9" * 5000])
async def test_where_a_range_is_given_a_larger_limit_is_refused(lab: World, given: str) -> None:
    answer = await lab.client.get("/strict-things", params={"limit": given})
    assert (answer.status_code, answer.json()["field"]) == (400, "limit")


async def test_the_bounds_themselves_are_fine(lab: World) -> None:
    for query in ({"limit": "1"}, {"limit": "50"}, {"limit": "007"}, {"offset": str(2**31 - 1)}, {"offset": "0"}):
        assert (await lab.client.get("/strict-things", params=query)).status_code == 200


async def test_a_page_tells_where_it_lies(lab: World) -> None:
    answer = await lab.client.get("/things", params={"limit": "10", "offset": "30"})
    told = [answer.headers[name] for name in ("X-Total-Count", "X-Limit", "X-Offset", "X-Has-More")]
    assert told == ["45", "10", "30", "true"]
    assert answer.headers["Link"] == f'<{lab.address}/api/external/v1/things?limit=10&offset=40>; rel="next"'


@pytest.mark.parametrize(("offset", "length"), [(40, 5), (35, 10), (45, 0), (1000, 0), (2**31 - 1, 0)])
async def test_the_last_page_and_what_lies_behind_have_no_next(lab: World, offset: int, length: int) -> None:
    answer = await lab.client.get("/things", params={"limit": "10", "offset": str(offset)})
    assert (answer.status_code, len(answer.json())) == (200, length)
    assert answer.headers["X-Has-More"] == "false"
    assert "Link" not in answer.headers


def next_of(link: str) -> str:
    found = re.fullmatch(r'<([^>]+)>; rel="next"', link)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("limit", [1, 7, 45, 100])
async def test_following_the_links_shows_everything_once(lab: World, limit: int) -> None:
    seen: list[Any] = []
    address: str | None = f"{lab.address}/api/external/v1/things?limit={limit}&q=%C3%A4%26b"
    while address is not None:
        answer = await lab.client.get(address)
        seen += [each["name"] for each in answer.json()]
        address = next_of(answer.headers["Link"]) if "Link" in answer.headers else None
        assert address is None or "q=%C3%A4%26b" in address
    assert seen == [f"thing {n}" for n in range(THINGS)]


async def test_head_tells_of_a_page_what_get_tells(lab: World) -> None:
    got = await lab.client.get("/things", headers={"Accept-Encoding": "identity"})
    headed = await lab.client.head("/things", headers={"Accept-Encoding": "identity"})
    assert headed.content == b""
    for name in ("X-Total-Count", "X-Limit", "X-Offset", "X-Has-More", "Link", "Content-Length", "Content-Type"):
        assert headed.headers[name] == got.headers[name]


async def test_an_unknown_parameter_is_refused_with_those_there_are(lab: World) -> None:
    answer = await lab.client.get("/things?limit=1&updatedsince=2026-01-01")
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert answer.json()["field"] == "updatedsince"
    expected = "Unknown parameter; expected one of: since, parentId, q, parents, limit, offset"
    assert answer.json()["errors"] == [{"path": "updatedsince", "message": expected}]
    answer = await lab.client.get("/things?nonsense=1&nonsense=2&Limit=x&%20=&=")
    assert [fault["path"] for fault in answer.json()["errors"]] == ["nonsense", "Limit", " ", ""]


async def test_an_operation_without_parameters_refuses_any(lab: World) -> None:
    answer = await lab.client.get("/long?q=a")
    expected = {"path": "q", "message": "Unknown parameter; this operation takes none"}
    assert (answer.status_code, answer.json()["errors"]) == (400, [expected])


async def test_only_feeds_take_after(lab: World) -> None:
    answer = await lab.client.get("/things?after=abc")
    assert (answer.status_code, answer.json()["field"]) == (400, "after")


async def test_many_and_long_unknown_parameters_make_a_short_answer(lab: World) -> None:
    query = "&".join(f"{n}{'x' * 280}=" for n in range(200))
    answer = await lab.client.get(f"/things?{query}")
    assert answer.status_code == 400
    assert len(answer.json()["errors"]) == 100
    assert len(answer.content) < 65_536


async def test_a_searched_string_and_a_comma_list_have_bounds(lab: World) -> None:
    ids = [str(uuid4()) for _ in range(201)]
    for query in ({"q": "\u00e9" * 1000}, {"parents": ",".join(ids[:200])}, {"parents": f",,{ids[0]},," + "," * 500}):
        assert (await lab.client.get("/things", params=query)).status_code == 200
    for wrong in (f"q={'x' * 1001}", f"parents={','.join(ids)}", f"parents={ids[0]}&parents={','.join(ids[1:])}"):
        answer = await lab.client.get(f"/things?{wrong}")
        assert (answer.status_code, answer.json()["field"]) == (400, wrong.partition("=")[0])


async def test_all_wrong_parameters_are_named_at_once(lab: World) -> None:
    answer = await lab.client.get("/things?limit=x&offset=y&since=z&parentId=w")
    assert {fault["path"] for fault in answer.json()["errors"]} == {"limit", "offset", "since", "parentId"}
    assert "field" not in answer.json()


@pytest.mark.parametrize("query", ["limit=1&limit=2", "offset=0&offset=0", "since=2026-01-01&since=2026-01-02"])
async def test_a_parameter_given_twice_is_refused(lab: World, query: str) -> None:
    answer = await lab.client.get(f"/things?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")


@pytest.mark.parametrize("query", ["limit=%ff", "x=%ff", "parentId=%00", "&".join(["a=b"] * 201)])
async def test_a_query_that_cannot_be_read_is_refused(lab: World, query: str) -> None:
    assert (await lab.client.get(f"/things?{query}")).status_code == 400


async def test_a_filter_by_an_unknown_id_gives_an_empty_page(world: World) -> None:
    answer = await world.client.get("/ideas", params={"integrationId": str(uuid4())})
    assert (answer.status_code, answer.json(), answer.headers["X-Total-Count"]) == (200, [], "0")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.binary(max_size=40))
async def test_no_query_makes_the_service_fail(lab: World, query: bytes) -> None:
    answer = await lab.client.get(
        f"/things?{''.join(f'%{byte:02x}' if byte % 2 else chr(byte % 94 + 33) for byte in query)}"
    )
    assert answer.status_code in (200, 400)


async def test_the_link_names_the_host_that_was_asked_for(lab: World, database_url: str) -> None:
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "ideas.example"}
    untrusted = await lab.client.get("/things?limit=1", headers=forwarded)
    assert next_of(untrusted.headers["Link"]).startswith(f"{lab.address}/api/")
    named = await lab.client.get("/things?limit=1", headers={"Host": "localhost:4711"})
    assert next_of(named.headers["Link"]).startswith("http://localhost:4711/api/")
    app = laboratory(database_url, trusted_proxies="127.0.0.0/8")
    async with serving(database_url, app) as address, httpx2.AsyncClient(base_url=address, verify=False) as client:
        headers = {**forwarded, "Authorization": f"Bearer {await lab.key('all')}"}
        answer = await client.get("/api/external/v1/things?limit=1", headers=headers)
    assert next_of(answer.headers["Link"]).startswith("https://ideas.example/api/external/v1/things?")
