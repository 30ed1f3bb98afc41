"""The queue's tables are those of the installed PgQueuer."""

from pathlib import Path

import asyncpg
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.adapters.persistence.queries import Queries

from sightline.migrations import runner
from sightline.platform.db import Database
from sightline.platform.jobs.queue import SETTINGS

COLUMNS = """
SELECT table_name, column_name, data_type, udt_name, is_nullable, column_default, identity_generation
  FROM information_schema.columns WHERE table_schema = $1 AND table_name LIKE 'pgqueuer%' ORDER BY 1, 2"""
INDEXES = "SELECT replace(indexdef, $1 || '.', '') FROM pg_indexes WHERE schemaname = $1 AND tablename LIKE 'pgqueuer%'"
LABELS = """
SELECT enumlabel FROM pg_enum
  JOIN pg_type ON pg_type.oid = enumtypid JOIN pg_namespace ON pg_namespace.oid = typnamespace
 WHERE nspname = $1 ORDER BY enumsortorder"""
FUNCTION = """
SELECT prosrc FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
 WHERE nspname = $1 AND proname = 'fn_pgqueuer_changed'"""
TRIGGER = """
SELECT replace(pg_get_triggerdef(pg_trigger.oid), $1 || '.', '') FROM pg_trigger
  JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = $1 AND relname = 'pgqueuer'"""

INSTALL_ANEW = "write the difference as a new migration, and bring src/sightline/platform/jobs/queries.py to it"


async def described(
    connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]", schema: str
) -> dict[str, list[str]]:
    parts = {"columns": COLUMNS, "indexes": INDEXES, "labels": LABELS, "function": FUNCTION, "trigger": TRIGGER}
    found = {name: await connection.fetch(statement, schema) for name, statement in parts.items()}
    return {
        name: sorted(str(tuple(row)).replace(f"{schema}.", "") for row in rows)
        if name != "labels"
        else list(map(str, rows))
        for name, rows in found.items()
    }


async def test_the_tables_are_as_the_installed_version_makes_them(database: Database) -> None:
    async with database.pool.acquire() as connection:
        ours = await described(connection, "public")
        async with connection.transaction():
            await connection.execute("CREATE SCHEMA pgqueuers_own; SET LOCAL search_path = pgqueuers_own")
            await connection.execute(QueryBuilderEnvironment(SETTINGS).build_install_query())
            theirs = await described(connection, "pgqueuers_own")
    assert len(ours["columns"]) > 30
    assert ours == theirs, INSTALL_ANEW


async def test_the_installed_version_has_nothing_to_upgrade(database: Database) -> None:
    async with database.pool.acquire() as connection:
        queries = Queries.from_asyncpg_connection(connection)  # type: ignore[arg-type]  # a lent connection does as well
        queries.qbe = QueryBuilderEnvironment(SETTINGS)
        plan = await queries.plan_upgrade()
    assert list(plan.statements) == [], INSTALL_ANEW


def test_the_script_says_which_version_it_is_of() -> None:
    script = Path(runner.SQL, "0002", "01_queue.sql").read_text()
    assert "PgQueuer 1.6" in script.splitlines()[0]
