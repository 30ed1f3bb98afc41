"""Link ids stand twice, in the link table and as an array on the row: both always say the same."""

import asyncio
import random
from contextlib import suppress

import asyncpg
import pytest

from tests.migrations.rows import COUNT, LINKS, WORKSPACE, add, add_world, disagreements, named, record
from tests.migrations.servers import connected
from tests.waiting import until_blocked

Connection = asyncpg.Connection
Link = tuple[str, str, str, str, str, str, str]
EACH_LINK = pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link[1]}.{link[5]}")

UNLINKED_ARRAYS = {
    ("research_runs", "addition_signal_ids"): "a receipt: what a run added, also after it is gone",
    ("idea_classifications", "option_ids"): "options are retired, never deleted",
    ("idempotency_keys", "quoted_ids"): "the answer is emptied when one of them is deleted",
}


@pytest.fixture(autouse=True)
async def world(connection: "Connection[asyncpg.Record]") -> None:
    await add_world(connection)


async def link_all(connection: "Connection[asyncpg.Record]", link: Link, owners: list[int], members: list[int]) -> None:
    table, owner, owner_column, member, member_column, *_ = link
    extra, value = (", accepted", ", random() < 0.5") if table == "signal_initiatives" else ("", "")
    await connection.execute(
        f"INSERT INTO {table} (workspace_id, {owner_column}, {member_column}{extra}) "  # noqa: S608 - our names
        f"SELECT $1, {owner_column}, {member_column}{value} "
        f"FROM unnest($2::uuid[]) AS {owner_column}, unnest($3::uuid[]) AS {member_column} "
        f"ORDER BY {in_order(link)} ON CONFLICT DO NOTHING",
        WORKSPACE,
        [named(owner, number) for number in owners],
        [named(member, number) for number in members],
    )


async def unlink(connection: "Connection[asyncpg.Record]", link: Link, owners: list[int], members: list[int]) -> None:
    table, owner, owner_column, member, member_column, *_ = link
    await connection.execute(
        f"WITH gone AS (SELECT * FROM {table} WHERE {owner_column} = ANY($1) AND {member_column} = ANY($2) "  # noqa: S608
        f"              ORDER BY {in_order(link)} FOR UPDATE) "
        f"DELETE FROM {table} AS l USING gone WHERE l.link = gone.link",
        [named(owner, number) for number in owners],
        [named(member, number) for number in members],
    )


def in_order(link: Link) -> str:
    """One order for all writers: two that meet on the same links in different orders wait for each other."""
    return ", ".join(sorted((link[2], link[4])))


async def array_of(connection: "Connection[asyncpg.Record]", link: Link, number: int) -> list[object]:
    found = await connection.fetchval(f"SELECT {link[5]} FROM {link[1]} WHERE id = $1", named(link[1], number))  # noqa: S608
    return list(found)


async def test_every_array_of_ids_has_its_link_table(connection: "Connection[asyncpg.Record]") -> None:
    found = await connection.fetch(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND udt_name = '_uuid'"
    )
    kept = {(owner, array) for _, owner, _, _, _, array, _ in LINKS}
    assert {tuple(row) for row in found} == kept | set(UNLINKED_ARRAYS), "keep the array by 11_links.sql, and list it"


@EACH_LINK
async def test_a_link_is_on_the_row_and_leaves_with_its_member(
    connection: "Connection[asyncpg.Record]", link: Link
) -> None:
    await link_all(connection, link, [0, 1], [2])
    await link_all(connection, link, [0], [1])
    await connection.execute("UPDATE signal_initiatives SET accepted = true")
    assert await array_of(connection, link, 0) == [named(link[3], 2), named(link[3], 1)]
    await connection.execute(f"DELETE FROM {link[3]} WHERE id = $1", named(link[3], 2))  # noqa: S608 - our names
    assert await array_of(connection, link, 0) == [named(link[3], 1)]
    assert await array_of(connection, link, 1) == []
    assert await disagreements(connection) == []


@EACH_LINK
async def test_a_link_that_moves_changes_both_owners(connection: "Connection[asyncpg.Record]", link: Link) -> None:
    await link_all(connection, link, [0], [1])
    await connection.execute("UPDATE signal_initiatives SET accepted = true")
    await connection.execute(f"UPDATE {link[0]} SET {link[2]} = $1", named(link[1], 3))  # noqa: S608 - our names
    assert await array_of(connection, link, 0) == []
    assert await array_of(connection, link, 3) == [named(link[3], 1)]


@EACH_LINK
async def test_linking_moves_the_version_and_leaves_the_time(
    connection: "Connection[asyncpg.Record]", link: Link
) -> None:
    look = f"SELECT version, updated_at FROM {link[1]} WHERE id = $1"  # noqa: S608 - our names
    [(version, moment)] = await connection.fetch(look, named(link[1], 0))
    await link_all(connection, link, [0], [1])
    await connection.execute("UPDATE signal_initiatives SET accepted = true")
    assert tuple((await connection.fetch(look, named(link[1], 0)))[0]) == (version + 1, moment)
    await link_all(connection, link, [0], [1])
    assert tuple((await connection.fetch(look, named(link[1], 0)))[0]) == (version + 1, moment)


async def test_a_signal_counts_only_accepted_initiatives(connection: "Connection[asyncpg.Record]") -> None:
    link = LINKS[10]
    await connection.execute(
        "INSERT INTO signal_initiatives (workspace_id, signal_id, initiative_id) VALUES ($1, $2, $3)",
        *(WORKSPACE, named("signals", 0), named("initiatives", 0)),
    )
    for accepted, shown in ((False, []), (True, [named("initiatives", 0)]), (False, [])):
        await connection.execute("UPDATE signal_initiatives SET accepted = $1", accepted)
        assert await array_of(connection, link, 0) == shown


async def test_links_of_a_row_made_in_the_same_statement_are_on_it(connection: "Connection[asyncpg.Record]") -> None:
    await connection.execute(
        "WITH made AS (INSERT INTO ideas (workspace_id, id, number, name, description, status, created_at, updated_at) "
        "              VALUES ($1, $2, 99, 'New', '', 'New', now(), now()) RETURNING workspace_id, id) "
        "INSERT INTO idea_features (workspace_id, idea_id, feature_id) SELECT workspace_id, id, $3 FROM made",
        *(WORKSPACE, named("ideas", 99), named("features", 0)),
    )
    assert await array_of(connection, LINKS[0], 99) == [named("features", 0)]


@EACH_LINK
async def test_who_waits_for_another_linker_keeps_the_other_link(
    connection: "Connection[asyncpg.Record]", database: str, link: Link
) -> None:
    async with connected(database) as second:
        async with connection.transaction():
            await link_all(connection, link, [0], [1])
            await connection.execute("UPDATE signal_initiatives SET accepted = true")
            waiting = asyncio.create_task(link_all(second, link, [0], [2]))
            await until_blocked(connection)
        await waiting
        await second.execute("UPDATE signal_initiatives SET accepted = true")
    assert await array_of(connection, link, 0) == [named(link[3], 1), named(link[3], 2)]


async def test_twenty_linkers_of_the_same_rows_never_meet_in_a_deadlock(
    connection: "Connection[asyncpg.Record]", database: str
) -> None:
    async def link_often(seed: int) -> None:
        chance = random.Random(seed)
        async with connected(database) as mine:
            for _ in range(12):
                chosen = [chance.sample(range(COUNT), 3) for _ in range(2)]
                act = chance.choice((link_all, link_all, unlink))
                await act(mine, chance.choice(LINKS[:1] + LINKS[6:8]), *chosen)

    await asyncio.gather(*(link_often(seed) for seed in range(20)))
    assert await disagreements(connection) == []


async def test_linked_signals_follow_the_links_of_signals(
    connection: "Connection[asyncpg.Record]",
) -> None:
    ways = [link for link in LINKS if link[0] in ("signal_accounts", "insight_signals", "insight_accounts")]
    for link in ways:
        await link_all(connection, link, [0, 1], [0, 1])
        assert await disagreements(connection) == []
    await connection.execute(
        "UPDATE signals SET created_at = '2020-01-01', number = number + 100, updated_at = '2020-02-01'"
    )
    assert await disagreements(connection) == []
    insight, another = named("insights", 0), named("insights", 2)
    account, signal = named("accounts", 0), named("signals", 0)
    for statement in (
        "DELETE FROM signal_accounts",
        f"DELETE FROM insights WHERE id = '{insight}'",  # noqa: S608 - our names
        f"UPDATE insight_accounts SET insight_id = '{another}' WHERE account_id = '{account}'",  # noqa: S608 - our names
        f"DELETE FROM accounts WHERE id = '{account}'",  # noqa: S608 - our names
        f"DELETE FROM signals WHERE id = '{signal}'",  # noqa: S608 - our names
        "DELETE FROM insight_signals",
    ):
        await connection.execute(statement)
        assert await disagreements(connection) == [], statement
    assert await connection.fetchval("SELECT count(*) FROM linked_signals") == 0


async def test_arrays_agree_after_a_crowd_of_writers(connection: "Connection[asyncpg.Record]", database: str) -> None:
    """Removals of records that are linked with each other may meet in a deadlock, which PostgreSQL ends."""

    async def write(mine: "Connection[asyncpg.Record]", chance: random.Random) -> None:
        link = chance.choice(LINKS)
        chosen = [chance.sample(range(COUNT), 3) for _ in range(2)]
        match chance.randrange(8):
            case 0:
                table, number = link[chance.choice((1, 3))], chance.randrange(COUNT)
                await mine.execute(f"DELETE FROM {table} WHERE id = $1", named(table, number))  # noqa: S608 - our names
            case 1:
                table = chance.choice((link[1], link[3]))
                await add(mine, table, record(table, chance.randrange(COUNT)))
            case 2 | 3:
                await unlink(mine, link, *chosen)
            case _:
                await link_all(mine, link, *chosen)

    async def write_often(seed: int) -> None:
        chance = random.Random(seed)
        async with connected(database) as mine:
            for _ in range(25):
                with suppress(asyncpg.DeadlockDetectedError, asyncpg.ForeignKeyViolationError):
                    await write(mine, chance)

    await asyncio.gather(*(write_often(seed) for seed in range(12)))
    assert await disagreements(connection) == []
