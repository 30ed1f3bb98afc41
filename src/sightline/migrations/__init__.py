"""Migrates a database to this version of the program.

A revision is a folder of sql/, named by its number. Its files run in name order and in one transaction, and the table
`schema_revisions` has the revisions that were applied. The first revision is the whole data model, by room. A released
revision is listed in sql/checksums.txt and never edited again. Alembic kept the record before: a database that it
brought to the first revision is adopted, an older one is refused.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from sightline.platform.db import Connection, DatabaseUnavailable
from sightline.platform.db.database import CONNECT_SECONDS, PROBED, block, ensure_supported, first_line, unreachable

SQL = Path(__file__).parent / "sql"
REVISIONS = tuple(sorted(folder.name for folder in SQL.iterdir() if folder.is_dir()))
BASELINE, HEAD = REVISIONS[0], REVISIONS[-1]

LOCK = 0x5197_11_0E  # an arbitrary number: the key of the advisory lock of all migrating programs

_RECORD = "CREATE TABLE IF NOT EXISTS schema_revisions (revision text PRIMARY KEY, applied_at timestamptz(3) NOT NULL)"
_LOST = "The connection to the database was lost. Migrations and restores are stored whole or not at all: try again."
_WITHOUT_LIMITS = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0"
_RECORDED = {"schema_revisions": "revision", "alembic_version": "version_num"}  # tables and their columns
_RIGHTS = "SELECT current_user, coalesce(current_schema(), 'public'), has_schema_privilege(current_schema(), 'CREATE')"
_ROLES = """
SELECT session_user AS role, pg_get_userbyid(relowner) AS owner, current_setting('track_activities')::bool AS is_seen
  FROM pg_class WHERE oid = to_regclass('changes')"""


async def migrate(url: str) -> list[str]:
    """Migrates the database to this version. Returns the applied revisions, [] if it is current.

    Several machines may call it at once: one of them migrates, the others wait without a limit.
    `url` is the server's own address: behind a transaction pooler the lock has no effect.
    Refuses with DatabaseUnavailable (unreachable, login refused, another role than that of the tables, no right to
    create tables, older than PostgreSQL 15, of a revision before the first, newer than this program, a statement
    that failed). The database is then at the last revision that was applied whole.
    """
    if not await pending(url):  # then it waits for nobody, such as a backup that holds the lock
        return []
    async with locked(url) as connection:
        return await migrate_within(connection, HEAD)


async def migrate_within(connection: Connection, revision: str) -> list[str]:
    """Migrates the connection's database up to one of REVISIONS, in the caller's transaction if there is one.

    The caller holds the lock, see locked(). Returns the applied revisions. Raises like migrate().
    """
    missing = [one for one in await pending_on(connection) if one <= revision]
    await refuse_unseen(connection)
    for one in missing:
        await _refuse_without_rights(connection)
        try:
            async with block(connection):
                await _apply(connection, one)
        except asyncpg.PostgresError as error:
            failed = f"Migration {one} failed and was undone: {first_line(error)}."
            raise DatabaseUnavailable(_LOST if connection.is_closed() else failed) from error
    return missing


async def _apply(connection: Connection, revision: str) -> None:
    is_adopted = await revision_on(connection) == revision  # applied by Alembic
    await connection.execute(_RECORD)
    if is_adopted:
        await connection.execute("DROP TABLE alembic_version")
    else:
        for file in sorted((SQL / revision).glob("*.sql")):
            await connection.execute(file.read_text(encoding="utf-8"))
    await connection.execute("INSERT INTO schema_revisions VALUES ($1, now())", revision)


@asynccontextmanager
async def locked(url: str, *, shared: bool = False) -> AsyncIterator[Connection]:
    """Yields a connection without time limits that holds the migration lock. Waits for other holders.

    Several may hold it `shared` at once, and then none of them may migrate. The database ends the session, and so the
    lock, a minute after the connection has fallen silent; a `shared` holder may stop reading for longer, as a backup
    does into a pipe. Raises like migrate().
    """
    async with _connection(url, PROBED | {"tcp_user_timeout": "0"} if shared else PROBED) as connection:
        await connection.execute(_WITHOUT_LIMITS)
        await connection.execute(f"SELECT pg_advisory_lock{'_shared' if shared else ''}({LOCK})")
        yield connection


async def pending(url: str) -> list[str]:
    """Returns the revisions that migrate() would apply. Raises like migrate()."""
    async with _connection(url, PROBED, CONNECT_SECONDS) as connection:
        await refuse_unseen(connection)
        return await pending_on(connection)


async def pending_on(connection: Connection) -> list[str]:
    """Returns the revisions missing in the connection's database, all of them while Alembic keeps its record.

    Raises like revision_on().
    """
    seen = await revision_on(connection)
    is_ours = await connection.fetchval("SELECT to_regclass('schema_revisions') IS NOT NULL")
    return [one for one in REVISIONS if seen is None or not is_ours or one > seen]


async def revision_on(connection: Connection) -> str | None:
    """Returns the revision of the connection's database, None before the first.

    Raises DatabaseUnavailable if it is older than the first, or this program does not know it.
    """
    seen: str | None = None
    for table, column in _RECORDED.items():
        if seen is None and await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", table):
            seen = await connection.fetchval(f"SELECT max({column}) FROM {table}")  # noqa: S608 - names from above
    if seen is not None and seen < BASELINE:
        raise DatabaseUnavailable(
            f"The database is at revision {seen} and this version of Sightline migrates from {BASELINE} on: "
            f"migrate it to {BASELINE} with an earlier version first."
        )
    if seen is not None and seen not in REVISIONS:
        raise DatabaseUnavailable(
            f"The database is at revision {seen} and this version of Sightline knows {HEAD} at most: "
            "run the newer version that migrated it, or restore a backup."
        )
    return seen


@asynccontextmanager
async def _connection(url: str, own: dict[str, str], seconds: float | None = None) -> AsyncIterator[Connection]:
    """Opens a connection for a block, with its `own` settings. A statement may take `seconds`, if given."""
    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, command_timeout=seconds, server_settings=own)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        raise unreachable(error) from error
    try:
        ensure_supported(connection)
        yield connection
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        failed = f"The database cannot be used: {first_line(error)}."
        raise DatabaseUnavailable(_LOST if connection.is_closed() else failed) from error
    finally:
        connection.terminate()


async def _refuse_without_rights(connection: Connection) -> None:
    user, schema, may_create = await connection.fetchrow(_RIGHTS) or (None, None, None)
    if not may_create:
        raise DatabaseUnavailable(f'User {user} may not create tables: GRANT CREATE ON SCHEMA "{schema}" TO "{user}".')


async def refuse_unseen(connection: Connection) -> None:
    """Refuses a role whose transactions others may not see, as lists of changes end before the oldest open one."""
    role, owner, is_seen = await connection.fetchrow(_ROLES) or (None, None, True)
    if role != owner:
        raise DatabaseUnavailable(
            f"The tables belong to the role {owner}: connect as it. Copies would miss what {role} writes."
        )
    if not is_seen:
        raise DatabaseUnavailable("The setting track_activities is off: switch it on, or copies miss records.")
