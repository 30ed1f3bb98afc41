"""What comes back is what was there, on whichever server."""

from typing import Any

import pytest
import pytest_asyncio

from sightline.backup.records import LEFT_OUT
from sightline.migrations import pending
from sightline.platform.db import Database
from tests.backup.answers import answers, create_idea, delete_idea
from tests.backup.conftest import Filled
from tests.backup.copies import SLUG, backed_up, contents, new_database, restore, value
from tests.workspace_file.files import export
from tests.world import serving

TRIGGERS_OFF = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'D'"
STATEMENTS = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"


@pytest_asyncio.fixture(scope="module")
async def copy(database_server: str, filled: Filled) -> str:
    """The filled database, restored elsewhere."""
    url = await new_database(database_server)
    await restore(url, filled.backup)
    return url


async def exported(url: str) -> bytes:
    database = await Database.connect(url, size=2)
    try:
        return await export(database, SLUG)
    finally:
        await database.close()


async def test_every_row_comes_back(filled: Filled, copy: str) -> None:
    there = await contents(copy)
    assert there == filled.contents
    empty = [name for name, (rows, _) in there.items() if not rows]
    assert empty == [], "fill these tables in tests/backup/copies.py: the round trip proves nothing about them"


async def test_omitted_tables_are_not_restored(filled: Filled, copy: str) -> None:
    assert await value(filled.url, "SELECT count(*) FROM portal_sessions") > 0
    assert await value(copy, "SELECT count(*) FROM portal_sessions") == 0
    assert await pending(copy) == []


async def test_the_workspace_exports_the_same_bytes(filled: Filled, copy: str) -> None:
    assert await exported(copy) == await exported(filled.url)


async def test_the_api_answers_the_same_to_the_same_key(database_server: str, filled: Filled) -> None:
    copy = await new_database(database_server)
    await restore(copy, filled.backup)
    async with serving(filled.url) as before, serving(copy) as after:
        there = await answers(before, filled.key)
        assert len(there) > 20
        assert await answers(after, filled.key) == there


async def test_numbers_go_on_without_reuse(database_server: str, filled: Filled) -> None:
    source = await new_database(database_server)
    await restore(source, filled.backup)
    async with serving(source) as address:
        last = await create_idea(address, filled.key)
        await delete_idea(address, filled.key, last)
    copy = await new_database(database_server)
    await restore(copy, await backed_up(source))
    async with serving(copy) as address:
        assert number(await create_idea(address, filled.key)) == number(last) + 1


def number(idea: dict[str, Any]) -> int:
    return int(idea["publicId"].rpartition("-")[2])


async def test_restored_rows_count_as_written_by_the_restore(copy: str) -> None:
    assert await value(copy, "SELECT count(DISTINCT written) FROM changes") == 1
    assert await value(copy, "SELECT bool_and(pg_xact_status(written) = 'committed') FROM changes")


async def test_triggers_watch_again_and_identities_go_on(filled: Filled, copy: str) -> None:
    assert await value(copy, TRIGGERS_OFF) == 0
    assert await value(copy, STATEMENTS) == await value(filled.url, STATEMENTS)
    used = await value(filled.url, "SELECT last_value FROM pg_sequences WHERE sequencename = 'idea_features_link_seq'")
    assert used > 0
    assert await value(copy, "SELECT nextval('idea_features_link_seq')") == used + 1


async def test_a_deleted_link_leaves_its_number_unused(database_server: str, filled: Filled) -> None:
    source = await new_database(database_server)
    await restore(source, filled.backup)
    used = await value(source, "SELECT max(link) FROM idea_features")
    await value(source, "DELETE FROM idea_features WHERE link = (SELECT max(link) FROM idea_features)")
    copy = await new_database(database_server)
    await restore(copy, await backed_up(source))
    assert await value(copy, "SELECT nextval('idea_features_link_seq')") == used + 1


@pytest.mark.slow
async def test_the_newest_server_takes_a_backup_of_the_oldest(database_server: str, filled_on_oldest: Filled) -> None:
    await ensure_it_moves(filled_on_oldest, await new_database(database_server))


@pytest.mark.slow
async def test_the_oldest_server_takes_a_backup_of_the_newest(oldest: str, filled: Filled) -> None:
    await ensure_it_moves(filled, await new_database(oldest))


async def ensure_it_moves(source: Filled, target: str) -> None:
    restored = await restore(target, source.backup)
    there = await contents(target)
    assert there == source.contents
    assert (restored.tables, restored.rows) == (len(there), sum(rows for rows, _ in there.values()))
    assert await exported(target) == await exported(source.url)
    async with serving(source.url) as before, serving(target) as after:
        assert await answers(after, source.key) == await answers(before, source.key)


async def test_a_migrated_database_without_rows_can_be_restored_into(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server, migrated=True)
    await restore(url, filled.backup)
    assert await contents(url) == filled.contents


async def test_lost_secrets_leave_portals_that_need_new_ones(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server)
    restored = await restore(url, filled.backup, forget_secrets=True)
    assert restored.portals == [await value(filled.url, "SELECT alias FROM portals WHERE secret IS NOT NULL")]
    assert await value(url, "SELECT count(*) FROM portals WHERE secret IS NOT NULL") == 0


async def test_foreign_tables_are_copied_and_not_restored(database_server: str, filled: Filled) -> None:
    source = await new_database(database_server)
    await restore(source, filled.backup)
    await value(source, """CREATE TABLE "Their table" (n int GENERATED ALWAYS AS IDENTITY, "a ""word"" or two" text)""")
    await value(source, """INSERT INTO "Their table" ("a ""word"" or two") VALUES ('x')""")
    target = await new_database(database_server)
    restored = await restore(target, await backed_up(source))
    assert restored.skipped == ["Their table"]
    assert await contents(target) == filled.contents


async def test_every_table_is_copied_or_left_out_with_a_reason(filled: Filled) -> None:
    every = await value(
        filled.url,
        "SELECT array_agg(table_name::text) FROM information_schema.tables "
        "WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    )
    assert set(every) == (filled.contents).keys() | LEFT_OUT.keys()
    assert not (filled.contents).keys() & LEFT_OUT.keys()


async def test_a_column_that_is_not_copied_fills_itself(filled: Filled) -> None:
    """Generated ones do by their nature."""
    bare = await value(
        filled.url,
        "SELECT array_agg(table_name || '.' || column_name) FROM information_schema.columns WHERE udt_name = 'xid8' "
        "AND table_schema = 'public' AND column_default IS DISTINCT FROM 'pg_current_xact_id()'",
    )
    assert bare is None, "give it DEFAULT pg_current_xact_id(): a restored row takes the restoring transaction's id"
