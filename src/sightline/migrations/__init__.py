"""Migrates a database to this version of the program.

A migration is a short file in versions/ that runs the SQL of the folder in sql/ with its number, in name order. Once
a migration is released its SQL is listed in sql/checksums.txt and never edited again. Alembic and SQLAlchemy are
imported only when there is something to apply: whether there is, is one query of `alembic_version`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg

from sightline.platform.db import Connection, DatabaseUnavailable
from sightline.platform.db.database import first_line

__all__ = [
    "HEAD",
    "REVISIONS",
    "DatabaseTooNew",
    "is_current",
    "locked",
    "migrate",
    "migrate_within",
    "pending",
    "pending_on",
    "revision_on",
]

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0005",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
)
HEAD = REVISIONS[-1]

LOCK = 0x5197_11_0E  # an arbitrary number: the key of the advisory lock of all migrating programs
CONNECT_SECONDS = 15
CLOSE_SECONDS = 5
OLDEST_SERVER = 15


class DatabaseTooNew(DatabaseUnavailable):
    """The database was migrated by a newer version of the program. The message is one line."""


async def migrate(url: str) -> list[str]:
    """Migrates the database to this version in one transaction. Returns the applied revisions, [] if current.

    Several machines may call it at once: one of them migrates, the others wait without a limit.
    `url` is the server's own address: behind a transaction pooler the lock has no effect.
    Refuses with DatabaseUnavailable (unreachable, login refused, no right to create tables, a standby, older than
    PostgreSQL 15, a statement that failed) and DatabaseTooNew; the database is then as it was.
    """
    async with _connection(url) as connection:
        if not await pending_on(connection):
            return []
        await _lock(connection)
        missing = await pending_on(connection)
        await migrate_within(connection, HEAD)
        return missing


async def migrate_within(connection: Connection, revision: str) -> None:
    """Migrates the connection's database up to one of REVISIONS, in the caller's transaction if there is one.

    The caller holds the lock, see locked(). Raises like migrate(). Does nothing if the revision is applied already.
    """
    if revision not in await pending_on(connection):
        return
    await _refuse_without_rights(connection)
    from sightline.migrations.runner import upgrade

    await upgrade(connection, revision)


@asynccontextmanager
async def locked(url: str, *, shared: bool = False) -> AsyncIterator[Connection]:
    """Yields a connection without time limits that holds the migration lock. Waits for other holders.

    Several may hold it `shared` at once, and then none of them may migrate. Raises like migrate().
    """
    async with _connection(url) as connection:
        await _lock(connection, shared=shared)
        yield connection


async def _lock(connection: Connection, *, shared: bool = False) -> None:
    """Takes the lock until the connection is closed."""
    await connection.execute(
        "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0"
    )
    await connection.execute(f"SELECT pg_advisory_lock{'_shared' if shared else ''}({LOCK})")


async def pending(url: str) -> list[str]:
    """Returns the revisions that migrate() would apply. Raises like migrate()."""
    async with _connection(url) as connection:
        return await pending_on(connection)


async def is_current(url: str) -> bool:
    """Whether migrate() would do nothing. Raises like migrate()."""
    return not await pending(url)


async def pending_on(connection: Connection) -> list[str]:
    """Returns the revisions missing in the connection's database. Raises DatabaseTooNew."""
    seen = await revision_on(connection)
    return list(REVISIONS if seen is None else REVISIONS[REVISIONS.index(seen) + 1 :])


async def revision_on(connection: Connection) -> str | None:
    """Returns the revision of the connection's database, None before the first. Raises DatabaseTooNew."""
    if await connection.fetchval("SELECT to_regclass('alembic_version') IS NULL"):
        return None
    seen: str | None = await connection.fetchval("SELECT max(version_num) FROM alembic_version")
    if seen is not None and seen not in REVISIONS:
        raise DatabaseTooNew(
            f"The database is at revision {seen} and this version of Sightline knows {HEAD} at most: "
            "run the newer version that migrated it, or restore a backup."
        )
    return seen


@asynccontextmanager
async def _connection(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await _connect(url)
    try:
        if (major := connection.get_server_version().major) < OLDEST_SERVER:
            raise DatabaseUnavailable(f"PostgreSQL {OLDEST_SERVER} or newer is needed; this server is {major}.")
        yield connection
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise DatabaseUnavailable(f"The database cannot be used: {first_line(error)}.") from error
    finally:
        with suppress(TimeoutError):
            await connection.close(timeout=CLOSE_SECONDS)


async def _connect(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    try:
        return await asyncpg.connect(url, timeout=CONNECT_SECONDS)
    except asyncpg.InvalidAuthorizationSpecificationError as error:
        raise DatabaseUnavailable(
            f"The database refuses the login: {first_line(error)}. Check the user and password of --database-url."
        ) from error
    except asyncpg.InvalidCatalogNameError as error:
        raise DatabaseUnavailable(f"There is no such database: {first_line(error)}. Create it first.") from error
    except TimeoutError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: no answer in {CONNECT_SECONDS} s.") from error
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {first_line(error)}.") from error


async def _refuse_without_rights(connection: Connection) -> None:
    user, schema, is_standby, may_create = await connection.fetchrow(
        "SELECT current_user, current_schema(), pg_is_in_recovery(), has_schema_privilege(current_schema(), 'CREATE')"
    ) or (None, None, None, None)
    if is_standby:
        raise DatabaseUnavailable("This server is a read-only standby: give the address of the primary.")
    if not may_create:
        schema = schema or "public"
        raise DatabaseUnavailable(
            f'User {user} may not create tables: run GRANT CREATE ON SCHEMA "{schema}" TO "{user}", '
            "or give the database an owner who may."
        )
