"""The migrations' environment: Alembic on a connection of ours. Imported only when there is something to apply."""

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
    """A connection of the caller's, which stays open when SQLAlchemy has done with it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def close(self, **_options: Any) -> None:
        """Left to the owner."""

    def terminate(self) -> None:
        """Left to the owner."""


async def upgrade(connection: Connection, revision: str = "head") -> None:
    """Applies what is missing up to a revision in one transaction, which is part of the connection's if one is open.

    Refuses with DatabaseUnavailable when a statement fails; nothing is changed then.
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
    """The revision files, as Alembic knows them."""
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
    """A script of several statements goes to the driver as it is, in the transaction that Alembic has begun."""
    driver = cast(AdaptedConnection, op.get_bind().connection.dbapi_connection)

    async def execute(connection: Any) -> None:
        await connection.execute(text)

    driver.run_async(execute)
