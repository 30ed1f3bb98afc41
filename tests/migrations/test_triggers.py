"""What triggers do: the versions of feature maps and of records, and the notification that access changed."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from tests.migrations.rows import MADE, WORKSPACE, add, add_world, named
from tests.migrations.servers import connected

Connection = asyncpg.Connection
KEY, MEMBER = named("api_keys", 0), named("members", 0)


@pytest.fixture(autouse=True)
async def world(connection: "Connection[asyncpg.Record]") -> None:
    await add_world(connection)
    member = {"id": MEMBER, "email": "ada@acme.test", "name": "Ada", "role": "owner"}
    key = {"id": KEY, "token_id": "t", "secret_hash": b"h", "member_id": MEMBER, "name": "K", "scopes": ["ideas:read"]}
    await add(connection, "members", {"workspace_id": WORKSPACE, **member, **MADE})
    await add(connection, "api_keys", {"workspace_id": WORKSPACE, **key, "created_at": MADE["created_at"]})


async def map_versions(connection: "Connection[asyncpg.Record]") -> list[int]:
    rows = await connection.fetch("SELECT map_version FROM products WHERE id = ANY($1) ORDER BY id = $2 DESC",
                                  [named("products", 0), named("products", 1)], named("products", 0))  # fmt: skip
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ("INSERT INTO features (workspace_id, id, product_id, name, created_at, updated_at) "
         "SELECT workspace_id, gen_random_uuid(), id, n::text, now(), now() FROM products, generate_series(1, 3) AS n "
         "WHERE id = '{product}'", [1, 0]),
        ("UPDATE features SET name = 'Renamed' WHERE id = '{feature}'", [1, 0]),
        ("UPDATE features SET product_id = '{other}' WHERE id = '{feature}'", [1, 1]),
        ("DELETE FROM features WHERE id = '{feature}'", [1, 0]),
        ("UPDATE features SET name = 'Renamed' WHERE false", [0, 0]),
        ("UPDATE products SET name = 'Renamed' WHERE id = '{product}'", [0, 0]),
    ],
)  # fmt: skip
async def test_the_map_version_moves_with_the_features_of_a_product(
    connection: "Connection[asyncpg.Record]", change: str, moves: list[int]
) -> None:
    before = await map_versions(connection)
    names = {"product": named("products", 0), "other": named("products", 1), "feature": named("features", 0)}
    await connection.execute(change.format(**names))
    after = await map_versions(connection)
    assert [now - then for now, then in zip(after, before, strict=True)] == moves


async def test_no_move_of_the_map_version_is_lost_among_many(
    connection: "Connection[asyncpg.Record]", database: str
) -> None:
    async def change(number: int) -> None:
        statement = "UPDATE features SET position = position + 1 WHERE id = $1"
        async with connected(database) as mine:
            for _ in range(5):
                await mine.execute(statement, named("features", number))

    before = await map_versions(connection)
    await asyncio.gather(*(change(number) for number in range(6)))
    assert await map_versions(connection) == [before[0] + 30, before[1]]


@pytest.mark.parametrize(
    ("table", "reference", "lost"),
    [
        ("ideas", "product_id", "products"),
        ("ideas", "initiative_id", "initiatives"),
        ("initiatives", "product_id", "products"),
        ("signals", "account_id", "accounts"),
        ("insights", "merged_into", "insights"),
    ],
)
async def test_the_version_of_a_record_moves_once_when_a_deleted_one_takes_a_reference_along(
    connection: "Connection[asyncpg.Record]", table: str, reference: str, lost: str
) -> None:
    id, gone = named(table, 0), named(lost, 1)
    found = f"SELECT version, {reference} FROM {table} WHERE id = $1"  # noqa: S608 - our names
    await connection.execute(
        f"UPDATE {table} SET {reference} = $2, version = 7 WHERE id = $1",  # noqa: S608 - our names
        id,
        gone,
    )
    assert tuple(await connection.fetchrow(found, id) or ()) == (7, gone)
    await connection.execute(f"DELETE FROM {lost} WHERE id = $1", gone)  # noqa: S608 - our names
    assert tuple(await connection.fetchrow(found, id) or ()) == (8, None)


@pytest_asyncio.fixture
async def notifications(connection: "Connection[asyncpg.Record]", database: str) -> AsyncIterator["asyncio.Queue[str]"]:
    """What arrives on sightline_access."""
    messages: asyncio.Queue[str] = asyncio.Queue()
    async with connected(database) as listener:
        await listener.add_listener("sightline_access", lambda *said: messages.put_nowait(said[3]))
        yield messages


async def until_now(connection: "Connection[asyncpg.Record]", notifications: "asyncio.Queue[str]") -> set[str]:
    """Everything said before: notifications arrive in the order of commits."""
    await connection.execute("SELECT pg_notify('sightline_access', 'end')")
    said: set[str] = set()
    while (word := await asyncio.wait_for(notifications.get(), 10)) != "end":
        said.add(word)
    return said


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE api_keys SET revoked_at = now()",
        "UPDATE api_keys SET expires_at = now()",
        "UPDATE api_keys SET scopes = '{}'",
        "DELETE FROM api_keys",
        "UPDATE members SET active = false",
        "UPDATE members SET role = 'viewer'",
        "DELETE FROM members",
        'UPDATE workspaces SET settings = \'{"engine": "embedded"}\'',
        "DELETE FROM workspaces",
    ],
)
async def test_a_change_of_access_is_notified(
    connection: "Connection[asyncpg.Record]", notifications: "asyncio.Queue[str]", change: str
) -> None:
    await connection.execute(change)
    assert await until_now(connection, notifications) == {str(WORKSPACE)}


@pytest.mark.parametrize(
    "change",
    ["UPDATE api_keys SET last_used_at = now()", "UPDATE api_keys SET revoked_at = now() WHERE false",
     "UPDATE ideas SET name = 'Renamed'"],
)  # fmt: skip
async def test_other_changes_are_not_notified(
    connection: "Connection[asyncpg.Record]", notifications: "asyncio.Queue[str]", change: str
) -> None:
    await connection.execute(change)
    assert await until_now(connection, notifications) == set()
