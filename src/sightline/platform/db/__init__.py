"""One database, PostgreSQL: the pool, the transaction, the pieces SQL is put together from."""

from sightline.platform.db.database import Connection, Database, DatabaseUnavailable, Tx
from sightline.platform.db.sql import Where, Window

__all__ = ["Connection", "Database", "DatabaseUnavailable", "Tx", "Where", "Window"]
