"""One database, PostgreSQL: the pool, the transaction, and SQL with values by name."""

from sightline.platform.db.database import Database, DatabaseUnavailable, Row, Tx
from sightline.platform.db.pool import Connection
from sightline.platform.db.retries import retry_transaction, retry_when_overtaken
from sightline.platform.db.sql import Position, Statement, Where, Window, by_reference, sql
from sightline.platform.db.updates import update_record

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
    "retry_transaction",
    "retry_when_overtaken",
    "sql",
    "update_record",
]
