"""One database, PostgreSQL: the pool, the transaction, and SQL with values by name."""

from sightline.platform.db.database import Database, DatabaseUnavailable, Row, Tx, forget_commits, may_have_committed
from sightline.platform.db.pool import Connection
from sightline.platform.db.sql import Position, Statement, Where, Window, by_reference, sql

__all__ = [
    "Connection",
    "Database",
    "DatabaseUnavailable",
    "Position",
    "Row",
    "Statement",
    "Tx",
    "Where",
    "Window",
    "by_reference",
    "forget_commits",
    "may_have_committed",
    "sql",
]
