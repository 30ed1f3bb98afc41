"""The SQL of applying a file, made from the declarations of tables. Values travel as parameters, always."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Link, Table

_TYPES: dict[type, str] = {str: "text", int: "bigint", UUID: "uuid", datetime: "timestamptz"}

BY_INDEX = ("SET LOCAL enable_seqscan = off", "SET LOCAL jit = off")
PREPARE = (
    *BY_INDEX,
    "CREATE TEMP TABLE IF NOT EXISTS file_seen (list text, id uuid, path text, PRIMARY KEY (list, id))"
    " ON COMMIT DELETE ROWS",
    "TRUNCATE pg_temp.file_seen",
)

LOCK_SLUG = "SELECT pg_advisory_xact_lock(hashtextextended('sightline workspace ' || $1, 0))"
SHARE_SLUG = "SELECT pg_advisory_xact_lock_shared(hashtextextended('sightline workspace ' || $1, 0))"
LOCK_LIST = "SELECT pg_advisory_xact_lock(hashtextextended('sightline import ' || $1 || ' ' || $2, 0))"

SEE = """
INSERT INTO pg_temp.file_seen (list, id, path) SELECT $1, * FROM unnest($2::uuid[], $3::text[])
ON CONFLICT DO NOTHING RETURNING id"""
SEEN = "SELECT id, path FROM pg_temp.file_seen WHERE list = $1 AND id = ANY($2)"


# Without figures, or with those of a much smaller table, the planner may look a pair of columns up in an index of the
# first one alone, and go through a whole source for each record.
_OUTGROWN = """
SELECT pg_relation_size(oid) / current_setting('block_size')::bigint > greatest(64, 2 * relpages)
  FROM pg_class WHERE oid = $1::text::regclass"""


async def keep_figures(tx: Tx, table: Table) -> None:
    """Lets the database count a table again that has doubled since it last did. In no transaction."""
    if await tx.value(_OUTGROWN, table.name):
        await tx.run(f"ANALYZE (SKIP_LOCKED) {table.name}")


def column_type(values: Iterable[Any]) -> str:
    return next((name for value in values for kind, name in _TYPES.items() if isinstance(value, kind)), "text")


def compared(table: Table, column: str) -> str:
    return f"lower(t.{column})" if column in table.folded else f"t.{column}"


def wanted_in(table: str, columns: Sequence[str], types: Sequence[str], first: int = 2) -> str:
    """FROM: those rows t of a table whose columns have one of the sets of values in $2 and on, an array a column.

    OFFSET 0 makes it look for one set after the other in the index of these columns. Of tables that were filled just
    now the planner has no figures: it believes a workspace small, and reads all of it for every batch.
    """
    arrays = ", ".join(f"${place}::{type}[]" for place, type in enumerate(types, first))
    names = [f"w{place}" for place in range(len(columns))]
    same = " AND ".join(f"{column} = wanted.{name}" for column, name in zip(columns, names, strict=True))
    rows = f"SELECT * FROM {table} AS t WHERE t.workspace_id = $1 AND {same} OFFSET 0"
    return f"unnest({arrays}) AS wanted ({', '.join(names)}) CROSS JOIN LATERAL ({rows}) AS t"


async def find_by(tx: Tx, table: Table, workspace_id: UUID, columns: Sequence[str], wanted: Sequence[Any]) -> list[Any]:
    """Stored rows by the values of some columns; `wanted` holds tuples, each once."""
    lists = [list(values) for values in zip(*wanted, strict=True)]
    names = [compared(table, column) for column in columns]
    found = wanted_in(table.name, names, [column_type(values) for values in lists])
    statement = f"SELECT {', '.join(f't.{column}' for column in table.columns)} FROM {found}"
    return await tx.rows(statement, workspace_id, *lists)


async def add_rows(tx: Tx, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    await tx.connection.copy_records_to_table(name, records=rows, columns=list(columns))


async def change_rows(tx: Tx, table: Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """`rows`: workspace, primary key, new values of the columns."""
    keys = ["workspace_id", *table.primary]
    moved = [f"{column} = ${place}" for place, column in enumerate(columns, len(keys) + 1)]
    if table.versioned and table.versioned not in columns:
        moved.append(f"{table.versioned} = {table.versioned} + 1")
    moved += ["written = pg_current_xact_id()"] if table.traced else []
    where = " AND ".join(f"{column} = ${place}" for place, column in enumerate(keys, 1))
    await tx.run_many(f"UPDATE {table.name} SET {', '.join(moved)} WHERE {where}", rows)


async def change_column(tx: Tx, table: Table, column: str, rows: Sequence[Sequence[Any]]) -> None:
    """`rows`: workspace, id, value. For what does not count as a change of the record's own."""
    moved = f"UPDATE {table.name} SET {column} = $3" + (
        f", {table.versioned} = {table.versioned} + 1" if table.versioned else ""
    )
    await tx.run_many(f"{moved} WHERE workspace_id = $1 AND id = $2", rows)


async def find_links(tx: Tx, link: Link, workspace_id: UUID, owners: Sequence[UUID]) -> list[Any]:
    """Owner, member, flag, in the order of linking."""
    flag = f"t.{link.flag}" if link.flag else "false"
    found = wanted_in(link.table, [f"t.{link.owner}"], ["uuid"])
    statement = f"SELECT t.{link.owner}, t.{link.member}, {flag} FROM {found} ORDER BY t.{link.owner}, t.link"
    return await tx.rows(statement, workspace_id, owners)


async def remove_links(tx: Tx, link: Link, rows: Sequence[Sequence[Any]]) -> None:
    """`rows`: workspace, owner, its members that go."""
    same = f"workspace_id = $1 AND {link.owner} = $2 AND {link.member} = ANY($3)"
    await tx.run_many(f"DELETE FROM {link.table} WHERE {same}", rows)


async def last_positions(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[tuple[Any, ...]]) -> list[Any]:
    """For each of the enclosing records: its key columns, the largest position and how many records it has."""
    columns = [column for column, _ in table.parents]
    key = ", ".join(f"t.{column}" for column in columns)
    if not columns:
        return await tx.rows(
            f"SELECT max({table.position}), count(*) FROM {table.name} WHERE workspace_id = $1", workspace_id
        )
    lists = [list(values) for values in zip(*parents, strict=True)]
    found = wanted_in(table.name, [f"t.{column}" for column in columns], ["uuid"] * len(columns))
    statement = f"SELECT {key}, max(t.{table.position}), count(*) FROM {found} GROUP BY {key}"
    return await tx.rows(statement, workspace_id, *lists)


async def move_others_back(
    tx: Tx, table: Table, workspace_id: UUID, parent: Sequence[Any], kept: Sequence[Any], by: int
) -> None:
    """Puts those that the file does not name behind those that it does."""
    own = table.primary[-1]
    columns = [column for column, _ in table.parents]
    where = "".join(f" AND {column} = ${place}" for place, column in enumerate(columns, 4))
    statement = (
        f"UPDATE {table.name} SET {table.position} = {table.position} + $3"
        f" WHERE workspace_id = $1 AND {own} <> ALL($2::{column_type(kept)}[]){where}"
    )
    await tx.run(statement, workspace_id, kept, by, *parent)


REMOVE = """
WITH gone AS (
    DELETE FROM {table} AS t WHERE t.workspace_id = $1 AND {condition} RETURNING t.id, {public_id} AS public_id
), told AS (
    INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at)
    SELECT $1, gen_random_uuid(), $2, id, public_id, 'deleted', 'file', $3, $4 FROM gone
)
SELECT count(*) FROM gone"""


async def remove_where(tx: Tx, table: Table, workspace_id: UUID, actor_id: str, condition: str, *values: Any) -> int:
    """Deletes records and tells the trail; `condition` may use $5 and on. How many went."""
    public_id = f"'{table.numbered.upper()}-' || t.number" if table.numbered else "NULL::text"
    statement = REMOVE.format(table=table.name, condition=condition, public_id=public_id)
    removed: int = await tx.value(statement, workspace_id, table.kind, actor_id, tx.now, *values)
    return removed


UNSEEN = "NOT EXISTS (SELECT FROM pg_temp.file_seen s WHERE s.list = $5 AND s.id = t.id)"
OF_UNSEEN_STUDIES = f"t.study_id IN (SELECT id FROM studies AS t WHERE t.workspace_id = $1 AND {UNSEEN})"
