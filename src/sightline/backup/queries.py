"""Queries of the system catalogues. Names of tables and columns come from there and are quoted."""

from collections.abc import Iterable

from sightline.backup.records import LEFT_OUT, LEFT_OUT_BEFORE
from sightline.platform.db import Connection
from sightline.platform.db.database import Row
from sightline.platform.db.tables import OURS, tables_in_order

# Values are read as they were written, independent of the server's settings.
WRITE_ALIKE = """
SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC'; SET extra_float_digits = 1;
SET bytea_output = 'hex'; SET lc_monetary = 'C'; SET xmloption = 'content'"""

# Transaction ids of another server would hide rows from pages of changes, or show them too early: restored rows get the
# id of the restoring transaction. Generated columns are generated again.
_COLUMNS = f"""
SELECT relname::text AS name, array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
 WHERE {OURS} AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
   AND attgenerated = '' AND atttypid <> 'xid8'::regtype
 GROUP BY relname"""

_SEQUENCES = f"""
SELECT relname::text AS name, seqincrement AS step FROM pg_class JOIN pg_sequence ON seqrelid = pg_class.oid
 WHERE {OURS}
 ORDER BY relname"""


async def columns_by_table(connection: Connection) -> dict[str, list[str]]:
    """Returns the tables to copy, each after those it refers to, with the columns to copy."""
    columns = {row["name"]: row["columns"] for row in await connection.fetch(_COLUMNS)}
    left_out = LEFT_OUT.keys() | LEFT_OUT_BEFORE
    return {name: columns[name] for name in await tables_in_order(connection) if name not in left_out}


async def count_rows(connection: Connection, table: str) -> int:
    return int(await connection.fetchval(f"SELECT count(*) FROM {quoted(table)}"))


async def has_rows(connection: Connection, table: str) -> bool:
    return bool(await connection.fetchval(f"SELECT EXISTS (SELECT FROM {quoted(table)})"))


async def next_numbers(connection: Connection) -> dict[str, int]:
    """Returns the next number of each sequence. pg_sequences has no start of a restarted sequence."""
    return {row["name"]: await _next_number(connection, row) for row in await connection.fetch(_SEQUENCES)}


async def _next_number(connection: Connection, sequence: Row) -> int:
    statement = f"SELECT last_value, is_called FROM {quoted(sequence['name'])}"
    last, is_given = await connection.fetchrow(statement) or (1, False)
    return int(last + sequence["step"] if is_given else last)


async def set_next_number(connection: Connection, sequence: str, number: int) -> None:
    """Sets the next number. Unlike setval(), a rollback undoes it."""
    await connection.execute(f"ALTER SEQUENCE {quoted(sequence)} RESTART WITH {int(number)}")


async def switch_triggers(connection: Connection, tables: Iterable[str], how: str) -> None:
    """Runs `how`, ENABLE or DISABLE, for our own triggers; foreign keys stay enforced. Blocks other writers."""
    for table in tables:
        await connection.execute(f"ALTER TABLE {quoted(table)} {how} TRIGGER USER")


async def analyze(connection: Connection, tables: Iterable[str]) -> None:
    await connection.execute(f"ANALYZE {', '.join(map(quoted, tables))}")


async def forget_portal_secrets(connection: Connection) -> list[str]:
    """Removes the portals' secrets. Returns the aliases of the portals that had one."""
    rows = await connection.fetch("UPDATE portals SET secret = NULL WHERE secret IS NOT NULL RETURNING alias")
    return sorted(row["alias"] for row in rows)


def select_all(table: str, columns: Iterable[str]) -> str:
    return f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)}"


def quoted(name: str) -> str:
    """Returns the name of a table or a column, quoted for a statement."""
    return '"' + name.replace('"', '""') + '"'
