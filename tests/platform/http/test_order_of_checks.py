"""Who is refused first, and how refusals look. Decisions: Everywhere, Errors, 401, Order of checks, Headers."""

import asyncio
import re
from typing import Any

import httpx2
import pytest

from tests.platform.http.laboratory import SECRET
from tests.world import World

PROBLEM = {"type", "title", "status", "detail", "code", "requestId"}


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def change(
    client: httpx2.AsyncClient, path: str = "/things/1", body: Any = None, **options: Any
) -> httpx2.Response:
    return await client.patch(path, json={"name": "a"} if body is None else body, **options)


async def test_a_missing_key_comes_before_everything(lab: World) -> None:
    answer = await change(lab.client_of(None), "/things/!", {"odd": 1})
    assert code_of(answer) == (401, "INVALID_API_KEY")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_missing_scope_comes_before_reference_and_body(lab: World) -> None:
    reader = await lab.client_with("ideas:read")
    answer = await change(reader, "/things/!", {"odd": 1}, params={"since": "never"})
    assert code_of(answer) == (403, "INSUFFICIENT_SCOPE")
    assert answer.json()["requiredScopes"] == ["ideas:write"]


async def test_a_shapeless_reference_is_400(lab: World) -> None:
    assert code_of(await change(lab.client, "/things/!")) == (400, "INVALID_REFERENCE")


async def test_the_body_comes_before_the_record(lab: World) -> None:
    for reference in ("IDEA-99", "SIGNAL-1", "IDEA-0"):
        assert code_of(await change(lab.client, f"/things/{reference}", {"odd": 1})) == (400, "VALIDATION_FAILED")
        assert code_of(await change(lab.client, f"/things/{reference}")) == (404, "NOT_FOUND")


async def test_the_record_comes_before_the_role(lab: World) -> None:
    client = await lab.client_with("all", member=None)
    assert code_of(await change(client, "/things/IDEA-99")) == (404, "NOT_FOUND")


async def test_the_role_comes_before_the_version(lab: World) -> None:
    client = await lab.client_with("all", member=None)
    answer = await change(client, "/things/IDEA-1", headers={"If-Match": '"other"'})
    assert code_of(answer) == (403, "CREATOR_NOT_ALLOWED")


async def test_the_role_comes_before_a_conflict_and_nothing_is_written(lab: World) -> None:
    client = await lab.client_with("all", member=None)
    for headers in ({}, {"Idempotency-Key": "a"}, {"Idempotency-Key": "a"}):
        for body in ({"name": "of nobody"}, {"name": "of nobody", "isRefused": True}):
            assert code_of(await client.post("/things", json=body, headers=headers)) == (403, "CREATOR_NOT_ALLOWED")
    async with lab.database.autocommit() as tx:
        assert await tx.connection.fetchval("SELECT count(*) FROM changes WHERE action = 'of nobody'") == 0


async def test_a_write_may_need_more_than_an_editor_and_may_check_the_role_first(lab: World) -> None:
    emails = {role: f"{role}@{lab.slug}.test" for role in ("viewer", "editor", "admin")}
    members = [{"key": role, "email": email, "name": role, "role": "admin"} for role, email in emails.items()]
    await lab.add(members=members)
    clients = {role: await lab.client_with("all", member=email) for role, email in emails.items()}
    await lab.add(members=[{**member, "role": member["key"]} for member in members])
    statuses = {role: (await change(client, "/things/IDEA-1")).status_code for role, client in clients.items()}
    assert statuses == {"viewer": 403, "editor": 200, "admin": 200}
    for path, expected in (("/things/IDEA-1", 200), ("/things/IDEA-99", 404)):
        answers = {role: (await client.delete(path)).status_code for role, client in clients.items()}
        assert answers == {"viewer": 403, "editor": 403, "admin": expected}


MALFORMED_KEYS = [
    "",
    "Bearer",
    "Bearer nonsense",
    "Basic dXNlcjpwYXNz",
    "Bearer \xff",
    "Bearer a b",
    "bearer",
]


@pytest.mark.parametrize("authorization", MALFORMED_KEYS)
async def test_a_malformed_key_is_401(lab: World, authorization: str) -> None:
    client = lab.client_of(None)
    answer = await client.get("/things", headers={b"Authorization": authorization.encode("latin-1")})
    assert code_of(answer) == (401, "INVALID_API_KEY")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_the_scheme_is_written_in_any_case(lab: World) -> None:
    key = await lab.key("ideas:read")
    answers = [
        await lab.client_of(None).get("/things", headers={"Authorization": f"{scheme} {key}"})
        for scheme in ("Bearer", "bearer", "BEARER")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]


async def test_a_key_in_the_query_opens_nothing(lab: World) -> None:
    answer = await lab.client_of(None).get("/things", params={"access_token": await lab.key("ideas:read")})
    assert answer.status_code == 401


UNKNOWN = ["/nothing", "/things/", "/things/IDEA-1/more", "/things/a%2Fb", "/THINGS", "//things", "/things%00"]


@pytest.mark.parametrize("path", UNKNOWN)
async def test_an_unknown_address_is_a_problem(lab: World, path: str) -> None:
    answer = await lab.client.get(path)
    assert answer.status_code in (400, 404)
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/", "/api", "/API/external/v1/things", "/api/external/v1", "/api/external/v1/x", "/%ff"]
)
async def test_nothing_is_there_without_a_key_either(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.post(path)
    assert code_of(answer) in [(404, "NOT_FOUND"), (405, "METHOD_NOT_ALLOWED")]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND"])
async def test_a_known_address_tells_what_it_allows(lab: World, method: str) -> None:
    answer = await lab.client.request(method, "/things")
    assert code_of(answer) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == "GET, HEAD, POST"


async def test_a_refusal_is_a_problem_of_rfc_9457(lab: World) -> None:
    answer = await lab.client.get("/things/IDEA-99", headers={"X-Request-Id": "mine-1"})
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:sightline:problem:not-found",
        "title": "There is no such record",
        "status": 404,
        "detail": "There is no such record in this workspace.",
        "code": "NOT_FOUND",
        "requestId": "mine-1",
    }


async def test_a_fault_of_ours_says_nothing_of_the_inside(lab: World, capfd: pytest.CaptureFixture[str]) -> None:
    answer = await lab.client.get("/fails")
    assert code_of(answer) == (500, "INTERNAL_ERROR")
    assert set(answer.json()) == PROBLEM
    assert SECRET not in answer.text
    logged = capfd.readouterr().err
    assert SECRET in logged
    assert answer.json()["requestId"] in logged


async def test_a_lost_database_is_503_and_says_when_to_come_back(lab: World) -> None:
    answer = await lab.client.get("/loses-the-database")
    assert code_of(answer) == (503, "UNAVAILABLE")
    assert answer.headers["Retry-After"] == "1"
    assert SECRET not in answer.text


async def test_the_service_goes_on_after_a_fault(lab: World) -> None:
    await asyncio.gather(*(lab.client.get("/fails") for _ in range(20)))
    assert (await lab.client.get("/things")).status_code == 200


async def test_head_of_a_refusal_has_no_body(lab: World) -> None:
    answer = await lab.client.head("/things/IDEA-99")
    assert (answer.status_code, answer.content) == (404, b"")


SANE = ["a", "req-1", "A.b_c:d-e", "0" * 128]
NOT_SANE = ["", "a b", "x" * 129, "a\tb", "<script>", '"', "é", "a,b", "a;b"]


@pytest.mark.parametrize("given", SANE)
@pytest.mark.parametrize("path", ["/things", "/things/!", "/fails", "/nothing"])
async def test_a_sane_request_id_is_echoed(lab: World, given: str, path: str) -> None:
    answer = await lab.client.get(path, headers={"X-Request-Id": given})
    assert answer.headers.get_list("X-Request-Id") == [given]
    if answer.status_code >= 400:
        assert answer.json()["requestId"] == given


@pytest.mark.parametrize("given", NOT_SANE)
async def test_another_request_id_is_replaced(lab: World, given: str) -> None:
    answer = await lab.client.get("/things", headers={b"X-Request-Id": given.encode()})
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-Id"])


async def test_each_request_has_an_id_of_its_own(lab: World) -> None:
    answers = await asyncio.gather(*(lab.client.get("/things") for _ in range(20)))
    assert len({answer.headers["X-Request-Id"] for answer in answers}) == 20
