"""The tables of the database and their references, as its catalogue has them."""

from collections.abc import Iterable
from graphlib import TopologicalSorter

from sightline.platform.db.pool import Connection

# Of our schema, and of no extension.
OURS = """relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
   AND NOT EXISTS (SELECT FROM pg_depend
                    WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')"""

_TABLES = f"""
SELECT relname::text AS name,
       EXISTS (SELECT FROM pg_attribute
                WHERE attrelid = pg_class.oid AND attname = 'workspace_id' AND atttypid = 'uuid'::regtype
              ) AS is_of_workspaces
  FROM pg_class
 WHERE {OURS} AND relkind IN ('r', 'p') AND NOT relispartition
 ORDER BY relname"""

_REFERENCES = f"""
SELECT pg_class.relname::text AS child, parent.relname::text AS parent
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
 WHERE contype = 'f' AND conrelid <> confrelid AND pg_class.{OURS}"""


async def tables_in_order(connection: Connection) -> Iterable[str]:
    """Returns all tables, each after those that it refers to."""
    order = TopologicalSorter({row["name"]: set[str]() for row in await connection.fetch(_TABLES)})
    for row in await connection.fetch(_REFERENCES):
        order.add(row["child"], row["parent"])
    return order.static_order()


async def tables_of_workspaces(connection: Connection) -> list[str]:
    """Returns the tables with rows of workspaces, each before those that it refers to.

    Tables that refer to none come last: triggers of the others may write them.
    """
    names = {row["name"] for row in await connection.fetch(_TABLES) if row["is_of_workspaces"]}
    return [name for name in reversed([*await tables_in_order(connection)]) if name in names]
