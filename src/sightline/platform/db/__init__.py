"""One database, PostgreSQL: the pool, the transaction, the pieces SQL is put together from."""

from sightline.platform.db.database import Connection, Database, DatabaseUnavailable, Tx
from sightline.platform.db.sql import Position, Where, Window

__all__ = ["Connection", "Database", "DatabaseUnavailable", "Position", "Tx", "Where", "Window"]
