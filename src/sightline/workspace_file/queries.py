"""The SQL of applying a file, made from the declarations of tables. Values travel as parameters, always."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Link, Table

_TYPES: dict[type, str] = {str: "text", int: "bigint", UUID: "uuid", datetime: "timestamptz"}

PREPARE = (
    # A plan made while a table was empty would read the whole table for every batch that follows.
    "SET LOCAL enable_seqscan = off",
    "SET LOCAL jit = off",
    "CREATE TEMP TABLE IF NOT EXISTS file_seen (list text, id uuid, path text, PRIMARY KEY (list, id))"
    " ON COMMIT DELETE ROWS",
    "TRUNCATE pg_temp.file_seen",
)

LOCK_SLUG = "SELECT pg_advisory_xact_lock(hashtextextended('sightline workspace ' || $1, 0))"

SEE = """
INSERT INTO pg_temp.file_seen (list, id, path) SELECT $1, * FROM unnest($2::uuid[], $3::text[])
ON CONFLICT DO NOTHING RETURNING id"""
SEEN = "SELECT id, path FROM pg_temp.file_seen WHERE list = $1 AND id = ANY($2)"


def column_type(values: Iterable[Any]) -> str:
    return next((name for value in values for kind, name in _TYPES.items() if isinstance(value, kind)), "text")


def _compared(table: Table, column: str) -> str:
    return f"lower({column})" if column in table.folded else column


def among(columns: Sequence[str], types: Sequence[str]) -> str:
    """A condition that some columns have one of the sets of values in $2 and on, an array for each column.

    The first part is for the index, as a whole set is looked up by reading the whole table; the second is the truth.
    """
    arrays = [f"${place}::{type}[]" for place, type in enumerate(types, 2)]
    parts = [f"{column} = ANY({array})" for column, array in zip(columns, arrays, strict=True)]
    if len(columns) > 1:
        parts.append(f"({', '.join(columns)}) IN (SELECT * FROM unnest({', '.join(arrays)}))")
    return " AND ".join(parts)


async def find_by(tx: Tx, table: Table, workspace_id: UUID, columns: Sequence[str], wanted: Sequence[Any]) -> list[Any]:
    """Stored rows by the values of some columns; `wanted` holds tuples."""
    lists = [list(values) for values in zip(*wanted, strict=True)]
    compared = [_compared(table, column) for column in columns]
    condition = among(compared, [column_type(values) for values in lists])
    statement = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE workspace_id = $1 AND {condition}"
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
    flag = link.flag or "false"
    statement = (
        f"SELECT {link.owner}, {link.member}, {flag} FROM {link.table}"
        f" WHERE workspace_id = $1 AND {link.owner} = ANY($2) ORDER BY {link.owner}, link"
    )
    return await tx.rows(statement, workspace_id, owners)


async def remove_links(tx: Tx, link: Link, workspace_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    condition = among((link.owner, link.member), ("uuid", "uuid"))
    statement = f"DELETE FROM {link.table} WHERE workspace_id = $1 AND {condition}"
    await tx.run(statement, workspace_id, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


async def last_positions(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[tuple[Any, ...]]) -> list[Any]:
    """For each of the enclosing records: its key columns, the largest position and how many records it has."""
    columns = [column for column, _ in table.parents]
    key = ", ".join(columns)
    if not columns:
        return await tx.rows(
            f"SELECT max({table.position}), count(*) FROM {table.name} WHERE workspace_id = $1", workspace_id
        )
    lists = [list(values) for values in zip(*parents, strict=True)]
    statement = (
        f"SELECT {key}, max({table.position}), count(*) FROM {table.name}"
        f" WHERE workspace_id = $1 AND {among(columns, ['uuid'] * len(columns))} GROUP BY {key}"
    )
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
