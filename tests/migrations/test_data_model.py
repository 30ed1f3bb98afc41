"""Rules of the data model, asked of a migrated database, and of the files it is made from."""

import asyncio
import hashlib
import re
import sys
import zipfile
from pathlib import Path
from subprocess import run

import asyncpg
import pytest

from sightline.migrations import REVISIONS, SQL
from tools.schema import fresh_schema, normalised

ROOT = Path(__file__).parents[2]

Connection = asyncpg.Connection

DIRECTORIES = {
    "workspaces": "is what the others belong to",
    "api_keys": "found by its own id before the workspace is known",
    "portal_sessions": "found by the hash of its token before the workspace is known",
    "schema_revisions": "belongs to the migrations",
    "jobs": "workers take the next job of any workspace",
    "job_totals": "counts for monitoring, of all workspaces together",
}

PRIMARY_KEYS = """
    SELECT relname AS name, (SELECT attname FROM pg_attribute
                              WHERE attrelid = c.oid AND attnum = (SELECT conkey[1] FROM pg_constraint
                                                                    WHERE conrelid = c.oid AND contype = 'p')) AS first
      FROM pg_class AS c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""

FOREIGN_KEYS = """
    SELECT f.conname AS name, f.conrelid::regclass::text AS source, f.confrelid::regclass::text AS target,
           (SELECT bool_or(a.attname = 'workspace_id' AND b.attname IN ('workspace_id', 'id'))
              FROM unnest(f.conkey, f.confkey) AS pair (ours, theirs)
              JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = pair.ours
              JOIN pg_attribute AS b ON b.attrelid = f.confrelid AND b.attnum = pair.theirs) AS carries_workspace
      FROM pg_constraint AS f WHERE f.contype = 'f'
"""
BETWEEN_DIRECTORIES = {"api_keys_replaced_by_fkey": "a key and the one that replaced it; both are directory rows"}


async def test_every_primary_key_starts_with_the_workspace(connection: "Connection[asyncpg.Record]") -> None:
    found = {row["name"]: row["first"] for row in await connection.fetch(PRIMARY_KEYS)}
    others = {name for name, first in found.items() if first != "workspace_id"}
    assert others == set(DIRECTORIES), (
        "let the primary key start with workspace_id, or list the table with its reason in DIRECTORIES"
    )


async def test_every_foreign_key_carries_the_workspace(connection: "Connection[asyncpg.Record]") -> None:
    found = await connection.fetch(FOREIGN_KEYS)
    assert len(found) > 50
    others = {row["name"] for row in found if not row["carries_workspace"]}
    assert others == set(BETWEEN_DIRECTORIES), "a reference must not be able to leave its workspace"


async def test_every_time_is_stored_to_the_millisecond_with_its_zone(
    connection: "Connection[asyncpg.Record]",
) -> None:
    others = await connection.fetch(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
        "AND (data_type LIKE 'timestamp without%' OR data_type LIKE 'timestamp with %' AND datetime_precision <> 3)"
    )
    assert others == [], "times are timestamptz(3)"


async def test_no_table_with_a_generated_column_has_a_trigger_before_updates(
    connection: "Connection[asyncpg.Record]",
) -> None:
    """Such a trigger makes every update compute all generated columns, which are the words to search."""
    both = await connection.fetch("""
        SELECT tgrelid::regclass::text, tgname FROM pg_trigger
         WHERE NOT tgisinternal AND tgtype & 18 = 18  -- before, update
           AND tgrelid IN (SELECT attrelid FROM pg_attribute WHERE attgenerated = 's')""")
    assert both == []


async def test_a_function_without_nested_loops_has_hash_joins_whoever_calls_it(
    connection: "Connection[asyncpg.Record]",
) -> None:
    """A function inherits the settings of its caller, and the triggers of links have no hash joins."""
    lacking = await connection.fetch("""
        SELECT proname FROM pg_proc
         WHERE 'enable_nestloop=off' = ANY (proconfig) AND 'enable_hashjoin=on' <> ALL (proconfig)""")
    assert lacking == []


async def test_every_index_and_constraint_is_valid(connection: "Connection[asyncpg.Record]") -> None:
    assert await connection.fetchval("SELECT count(*) FROM pg_index WHERE NOT indisvalid") == 0
    assert await connection.fetchval("SELECT count(*) FROM pg_constraint WHERE NOT convalidated") == 0


async def test_the_kept_schema_is_that_of_a_fresh_database() -> None:
    fresh = await asyncio.to_thread(fresh_schema)
    assert (ROOT / "docs/schema.sql").read_text() == fresh, "run `make schema` and add docs/schema.sql to the change"


def test_a_dump_is_stripped_of_what_differs_between_machines() -> None:
    dump = "-- Dumped by 18.1\n\\restrict x\n\nSET a = 1;\n\n\nCREATE TABLE a (\n    b int\n);\n\n\\unrestrict x\n"
    assert normalised(dump).partition("\n\n")[2] == "CREATE TABLE a (\n    b int\n);\n"


def test_released_sql_is_never_edited() -> None:
    lines = (line.split() for line in (SQL / "checksums.txt").read_text().splitlines() if line[:1] not in ("#", ""))
    released = {name: checksum for checksum, name in lines}
    for revision in {name.partition("/")[0] for name in released}:
        now = {f"{revision}/{file.name}": hashlib.sha256(file.read_bytes()) for file in (SQL / revision).iterdir()}
        kept = {name: checksum for name, checksum in released.items() if name.startswith(f"{revision}/")}
        assert {name: found.hexdigest() for name, found in now.items()} == kept, (
            f"revision {revision} is released: put its files back as they were and write a new revision"
        )


def test_every_revision_is_a_folder_named_by_four_digits_with_sql_in_it() -> None:
    assert all(re.fullmatch("[0-9]{4}", name) for name in REVISIONS), "they are compared as texts"
    assert all(list((SQL / name).glob("[0-9][0-9]_*.sql")) for name in REVISIONS)


def test_a_wheel_brings_the_sql(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    packed = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    assert {str(file.relative_to(ROOT / "src")) for file in SQL.rglob("*.*")} <= packed


@pytest.mark.parametrize("moment", ["2026-01-02 03:04:05.678+02", "0999-12-31 23:59:59.9994Z"])
async def test_times_are_written_in_utc_to_the_millisecond(
    connection: "Connection[asyncpg.Record]", moment: str
) -> None:
    await connection.execute("SET timezone = 'Asia/Kathmandu'")
    written = await connection.fetchval("SELECT iso($1::text::timestamptz(3))", moment)
    assert written in ("2026-01-02T01:04:05.678Z", "0999-12-31T23:59:59.999Z")
