"""Who is let in: for every operation, whichever rooms are added."""

from collections.abc import AsyncIterator

import httpx2
import pytest
import pytest_asyncio

from sightline.platform.http.operations import Operation
from sightline.platform.scopes import Scope
from sightline.workspaces.keys.tokens import make_token
from tests.generated.made import OPERATIONS, READS, WITH_BODY, WITH_REFERENCE, WRITES, Made, code_of, each, nowhere

ALL: frozenset[str] = frozenset(Scope)
GUARDED = [operation for operation in OPERATIONS if operation.scopes or operation.any_of]
OPEN = [operation for operation in OPERATIONS if operation not in GUARDED]


def test_every_body_has_an_example() -> None:
    assert [operation.name for operation in WITH_BODY if operation.example is None] == []


@each(WITH_REFERENCE)
async def test_a_key_of_another_workspace_finds_nothing(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as stranger:
        foreign = await made.ask(operation, stranger.client)
        unknown = await made.ask(operation, stranger.client, nowhere(operation))
    assert code_of(foreign) == (404, "NOT_FOUND")
    problems = [{**answer.json(), "requestId": ""} for answer in (foreign, unknown)]
    assert problems[0] == problems[1]


@each(WITH_REFERENCE)
async def test_a_key_of_the_workspace_finds_the_record(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        answer = await twin.ask(operation, other.client)
        assert answer.status_code == operation.status, answer.text


ENDINGS = {
    "revoked": "revoked_at = now()",
    "expired": "created_at = now() - interval '1 day', expires_at = now() - interval '1 second'",
}


@pytest_asyncio.fixture(scope="module")
async def wrong_headers(made: Made) -> dict[str, str]:
    """What may stand in Authorization and is no valid key."""
    key, revoked, expired = [await made.world.key("all", name=name) for name in ("valid", "revoked", "expired")]
    async with made.world.database.transaction() as tx:
        for name, change in ENDINGS.items():
            statement = f"UPDATE api_keys SET {change} WHERE workspace_id = $1 AND name = $2"  # noqa: S608
            await tx.connection.execute(statement, made.world.workspace_id, name)
    return {
        "garbage": "Bearer garbage",
        "empty": "Bearer",
        "no scheme": key,
        "another scheme": f"Basic {key}",
        "two keys in one": f"Bearer {key}, Bearer {key}",
        "wrong checksum": f"Bearer {key[:-1]}{'0' if key[-1] != '0' else '1'}",
        "mistyped": f"Bearer {key[:20]}{'0' if key[20] != '0' else '1'}{key[21:]}",
        "cut": f"Bearer {key[:-1]}",
        "two keys": f"Bearer {key} {key}",
        "unknown": f"Bearer {make_token().text}",
        "not ASCII": "Bearer sl_\u00e9",
        "revoked": f"Bearer {revoked}",
        "expired": f"Bearer {expired}",
    }


@each(OPERATIONS)
async def test_a_request_without_a_valid_key_is_refused(
    made: Made, operation: Operation, wrong_headers: dict[str, str]
) -> None:
    client = made.world.client_of(None)
    for path in (made.path(operation), nowhere(operation)):
        answer = await client.request(operation.method, path, json=operation.example)
        assert code_of(answer) == (401, "INVALID_API_KEY")
    for name, header in wrong_headers.items():
        headers = {b"Authorization": header.encode("latin-1")}
        answer = await client.request(operation.method, made.path(operation), headers=headers, json=operation.example)
        assert code_of(answer) == (401, "INVALID_API_KEY"), name
        assert answer.headers["www-authenticate"] == "Bearer"


def keys_that_lack(operation: Operation) -> list[frozenset[str]]:
    """All scopes but one that is needed, or but all of those of which one is needed."""
    lacking = [ALL - {scope} for scope in operation.scopes]
    return [*lacking, ALL.difference(operation.any_of)] if operation.any_of else lacking


def keys_that_suffice(operation: Operation) -> list[frozenset[str]]:
    """Just the scopes that are needed; of those of which one is needed, every one in turn."""
    needed = frozenset(operation.scopes)
    return [needed | {one} for one in operation.any_of] or [needed]


@each(GUARDED)
async def test_a_key_without_the_scope_is_refused(made: Made, operation: Operation) -> None:
    for scopes in keys_that_lack(operation):
        client = await made.world.client_with(*scopes)
        for path in (made.path(operation), nowhere(operation)):
            answer = await client.request(operation.method, path, json={"nonsense": 1})
            assert code_of(answer) == (403, "INSUFFICIENT_SCOPE")
            needed = {one for said in answer.json()["requiredScopes"] for one in said.split(" or ")}
            assert needed == {*operation.scopes, *operation.any_of}


@each(GUARDED)
async def test_a_key_with_exactly_the_scopes_is_accepted(made: Made, operation: Operation) -> None:
    for scopes in keys_that_suffice(operation):
        client = await made.world.client_with(*scopes)
        status, _ = code_of(await made.ask(operation, client, nowhere(operation)))
        assert status in ({404} if operation.path_types else {operation.status})


@each(OPEN)
async def test_an_operation_without_scopes_serves_any_valid_key(made: Made, operation: Operation) -> None:
    for scope in Scope:
        client = await made.world.client_with(scope)
        assert (await made.ask(operation, client)).status_code == operation.status


@pytest_asyncio.fixture(scope="module")
async def not_writers(made: Made) -> AsyncIterator[dict[str, httpx2.AsyncClient]]:
    """Keys that can only read: without a creator, or with one who is a viewer or has left."""
    world = made.world
    members = [
        {"key": key, "email": f"{key}@{world.slug}.test", "name": key, "role": "admin"} for key in ("vera", "lena")
    ]
    await world.add(members=members)
    clients = {
        "nobody's": await world.client_with("all", member=None),
        "viewer's": await world.client_with("all", member=members[0]["email"]),
        "leaver's": await world.client_with("all", member=members[1]["email"]),
    }
    await world.add(members=[{**members[0], "role": "viewer"}, {**members[1], "active": False}])
    for client in clients.values():
        assert (await client.get("/auth/context")).status_code == 200
    yield clients


@each(WRITES)
async def test_a_key_whose_creator_may_not_write_only_reads(
    made: Made, operation: Operation, not_writers: dict[str, httpx2.AsyncClient]
) -> None:
    before = await contents(made)
    for whose, client in not_writers.items():
        assert code_of(await made.ask(operation, client)) == (403, "CREATOR_NOT_ALLOWED"), whose
    assert await contents(made) == before


TABLES = """
SELECT table_name FROM information_schema.columns
 WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name <> 'api_keys' ORDER BY table_name"""


async def contents(made: Made) -> dict[str, str]:
    """A digest of each table's rows of the workspace; of keys the last use may move."""
    async with made.world.database.autocommit() as tx:
        names = [row["table_name"] for row in await tx.connection.fetch(TABLES)]
        digest = "SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {} t WHERE workspace_id = $1"
        return {name: await tx.connection.fetchval(digest.format(name), made.world.workspace_id) for name in names}


@each([operation for operation in WRITES if operation.path_types])
async def test_a_missing_record_is_reported_before_the_creators_role(
    made: Made, operation: Operation, not_writers: dict[str, httpx2.AsyncClient]
) -> None:
    for client in not_writers.values():
        assert code_of(await made.ask(operation, client, nowhere(operation))) == (404, "NOT_FOUND")


@each(READS)
async def test_a_key_whose_creator_may_not_write_reads_everything(
    made: Made, operation: Operation, not_writers: dict[str, httpx2.AsyncClient]
) -> None:
    for client in not_writers.values():
        assert (await made.ask(operation, client)).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "TRACE", "OPTIONS", "PROPFIND"])
async def test_another_method_is_refused_with_the_allowed_ones(made: Made, method: str) -> None:
    for path in {operation.path for operation in OPERATIONS}:
        answer = await made.world.client.request(method, path.format_map(_Anything()))
        assert code_of(answer) == (405, "METHOD_NOT_ALLOWED")
        allowed = {operation.method for operation in OPERATIONS if operation.path == path}
        assert set(answer.headers["allow"].split(", ")) == allowed | ({"HEAD"} if "GET" in allowed else set())


class _Anything(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "IDEA-1"
