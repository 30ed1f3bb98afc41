"""Runs migrations with Alembic on our own connection. Imported only if there is something to apply."""

from pathlib import Path
from typing import Any, cast

import asyncpg
import sqlalchemy
from alembic import op
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine.interfaces import AdaptedConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from sightline.platform.db import Connection, DatabaseUnavailable
from sightline.platform.db.database import first_line

HERE = Path(__file__).parent
SQL = HERE / "sql"


class _Lent:
    """The caller's connection, which SQLAlchemy must not close."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def close(self, **_options: Any) -> None:
        """Does nothing: the owner closes it."""

    def terminate(self) -> None:
        """Does nothing: the owner closes it."""


async def upgrade(connection: Connection, revision: str = "head") -> None:
    """Applies the missing revisions up to `revision` in one transaction, or in the connection's if one is open.

    Raises DatabaseUnavailable if a statement fails, and then changes nothing.
    """

    async def ours() -> Any:
        return _Lent(connection)

    engine = create_async_engine("postgresql+asyncpg://", async_creator=ours, poolclass=NullPool)
    try:
        async with engine.begin() as transaction:
            await transaction.run_sync(_apply, revision)
    except (asyncpg.PostgresError, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
        raise DatabaseUnavailable(f"The migration failed and was undone: {first_line(cause)}.") from error
    finally:
        await engine.dispose()


def scripts() -> ScriptDirectory:
    """Returns the revision files for Alembic."""
    return ScriptDirectory(str(HERE))


def _apply(connection: sqlalchemy.Connection, revision: str) -> None:
    known = scripts()

    def steps(seen: Any, _context: Any) -> Any:
        return known._upgrade_revs(revision, seen)

    with EnvironmentContext(Config(), known, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()


def run_sql(revision: str) -> None:
    """Runs the scripts of a revision in name order, for its upgrade()."""
    for script in sorted((SQL / revision).glob("*.sql")):
        _run_script(script.read_text(encoding="utf-8"))


def _run_script(text: str) -> None:
    """Runs a script of several statements on the driver, in Alembic's transaction."""
    driver = cast(AdaptedConnection, op.get_bind().connection.dbapi_connection)

    async def execute(connection: Any) -> None:
        await connection.execute(text)

    driver.run_async(execute)
