"""The SQL of applying and exporting a file, composed from the declarations of tables. All values are parameters."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.platform.db import Row, Tx, sql
from sightline.platform.file_section import Link, Run, Table
from sightline.workspaces.changes import add_changes

_TYPES: dict[type, str] = {str: "text", int: "bigint", UUID: "uuid", datetime: "timestamptz"}

READ_BY_INDEX = (sql("SET LOCAL enable_seqscan = off"), sql("SET LOCAL jit = off"))
PREPARE = (
    *READ_BY_INDEX,
    sql("""
        CREATE TEMP TABLE IF NOT EXISTS file_seen (list text, id uuid, path text, PRIMARY KEY (list, id))
        ON COMMIT DELETE ROWS"""),
    sql("TRUNCATE pg_temp.file_seen"),
)

LOCK_SLUG = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline workspace ' || :slug, 0))")
SHARE_SLUG = sql("SELECT pg_advisory_xact_lock_shared(hashtextextended('sightline workspace ' || :slug, 0))")
LOCK_LIST = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline import ' || :slug || ' ' || :list, 0))")

ADD_SEEN = sql("""
    INSERT INTO pg_temp.file_seen (list, id, path)
    SELECT :list, id, path FROM unnest(:ids::uuid[], :paths::text[]) AS named (id, path)
    ON CONFLICT DO NOTHING RETURNING id""")
SEEN = sql("SELECT id, path FROM pg_temp.file_seen WHERE list = :list AND id = ANY(:ids)")

# Without current statistics the planner may look up a pair of columns in the index of the first one alone, and read a
# # whole source for each record.
_OUTGROWN = sql("""
    SELECT pg_relation_size(oid) / current_setting('block_size')::bigint > greatest(64, 2 * relpages)
      FROM pg_class WHERE oid = :table::text::regclass""")


async def analyze_if_outgrown(tx: Tx, table: Table) -> None:
    """Refreshes the statistics of a table that has doubled in size. Call it outside transactions."""
    if await tx.value(_OUTGROWN, table=table.name):
        await tx.run(sql("ANALYZE (SKIP_LOCKED) {table}", table=table.name))


def _column_type(values: Iterable[Any]) -> str:
    return next((name for value in values for kind, name in _TYPES.items() if isinstance(value, kind)), "text")


def compared(table: Table, column: str) -> str:
    """Returns the expression that compares values of this column."""
    return f"lower(t.{column})" if column in table.folded else f"t.{column}"


def rows_with(
    table: str, expressions: Sequence[str], sets: Sequence[Sequence[Any]]
) -> tuple[str, dict[str, list[Any]]]:
    """Returns a FROM item with the rows t in which the expressions have one of the sets of values, and its values.

    OFFSET 0 makes PostgreSQL look up each set in the index. It has no statistics of tables that were just filled: it
    would expect a small workspace, and read all of it for every batch.
    """
    values = {f"value_{place}": list(column) for place, column in enumerate(zip(*sets, strict=True))}
    arrays = ", ".join(f":{name}::{_column_type(column)}[]" for name, column in values.items())
    same = " AND ".join(f"{ours} = named.{name}" for ours, name in zip(expressions, values, strict=True))
    rows = f"SELECT * FROM {table} AS t WHERE t.workspace_id = :workspace_id AND {same} OFFSET 0"
    return f"unnest({arrays}) AS named ({', '.join(values)}) CROSS JOIN LATERAL ({rows}) AS t", values


def _columns_of(table: Table) -> str:
    return ", ".join(f"t.{column}" for column in table.columns)


async def find_by(
    tx: Tx, table: Table, workspace_id: UUID, columns: Sequence[str], sets: Sequence[Sequence[Any]]
) -> list[Row]:
    """Returns stored rows by the values of some columns. `sets`: at least one, each once."""
    found, named = rows_with(table.name, [compared(table, column) for column in columns], sets)
    statement = sql("SELECT {columns} FROM {found}", columns=_columns_of(table), found=found)
    return await tx.rows(statement, workspace_id=workspace_id, **named)


_KEYS_BY_NAME = """
SELECT name, string_agg(coalesce(key, id::text), ' or ' ORDER BY key, id) AS keys
  FROM {table}
 WHERE workspace_id = :workspace_id AND name = ANY(:names){scoped}
 GROUP BY name"""


async def keys_by_name(
    tx: Tx, table: Table, workspace_id: UUID, names: Sequence[str], scope: UUID | None
) -> dict[str, str]:
    """Returns the keys of the records with these names, in the enclosing record `scope`. Reads the whole list."""
    scoped = "" if scope is None else f" AND {table.parents[0][0]} = :scope"
    more = {} if scope is None else {"scope": scope}
    statement = sql(_KEYS_BY_NAME, table=table.name, scoped=scoped)
    return {
        row["name"]: row["keys"] for row in await tx.rows(statement, workspace_id=workspace_id, names=names, **more)
    }


async def add_rows(tx: Tx, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Adds rows by COPY."""
    await tx.connection.copy_records_to_table(table, records=rows, columns=list(columns))


_CHANGE_ROW = "UPDATE {table} SET {assignments} WHERE workspace_id = :workspace_id AND {same}"


async def change_rows(tx: Tx, table: Table, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """Changes rows. `rows`: by name the workspace, the primary key as `stored_<column>`, and the new values."""
    assignments = [f"{column} = :{column}" for column in columns]
    if table.versioned and table.versioned not in columns:
        assignments.append(f"{table.versioned} = {table.versioned} + 1")
    same = " AND ".join(f"{column} = :stored_{column}" for column in table.primary)
    await tx.run_many(sql(_CHANGE_ROW, table=table.name, assignments=", ".join(assignments), same=same), rows)


async def change_column(run: Run, table: Table, column: str, becomes: Mapping[UUID, Any]) -> None:
    """Sets one column by id, and `updatedAt` unless the run creates the workspace."""
    assignments = [f"{column} = :value"]
    assignments += [] if run.is_new or not table.stamped else ["updated_at = :now"]
    assignments += [f"{table.versioned} = {table.versioned} + 1"] if table.versioned else []
    statement = sql(_CHANGE_ROW, table=table.name, assignments=", ".join(assignments), same="id = :id")
    await run.tx.run_many(
        statement, [{"workspace_id": run.workspace_id, "id": id, "value": value} for id, value in becomes.items()]
    )


async def find_links(tx: Tx, link: Link, workspace_id: UUID, owners: Sequence[UUID]) -> list[Row]:
    """Returns rows of `owner`, `member` and `flag`, in the order of linking. `owners`: at least one."""
    found, named = rows_with(link.table, [f"t.{link.owner}"], [(owner,) for owner in owners])
    statement = sql(
        "SELECT t.{owner} AS owner, t.{member} AS member, {flag} AS flag FROM {found} ORDER BY t.{owner}, t.link",
        owner=link.owner,
        member=link.member,
        flag=f"t.{link.flag}" if link.flag else "false",
        found=found,
    )
    return await tx.rows(statement, workspace_id=workspace_id, **named)


async def remove_links(tx: Tx, link: Link, workspace_id: UUID, removed: Mapping[UUID, Sequence[UUID]]) -> None:
    """Removes links. `removed`: the members to unlink, by owner."""
    statement = sql(
        "DELETE FROM {table} WHERE workspace_id = :workspace_id AND {owner} = :owner AND {member} = ANY(:members)",
        table=link.table,
        owner=link.owner,
        member=link.member,
    )
    rows = [{"workspace_id": workspace_id, "owner": owner, "members": members} for owner, members in removed.items()]
    await tx.run_many(statement, rows)


async def find_last_positions(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[Sequence[Any]]) -> list[Row]:
    """Returns for each enclosing record its columns, the largest `position`, None without records, and the `count`."""
    columns = [f"t.{column}" for column, _ in table.parents]
    figures = f"max(t.{table.position}) AS position, count(*) AS count"
    if not columns:
        statement = "SELECT {figures} FROM {table} AS t WHERE workspace_id = :workspace_id"
        return await tx.rows(sql(statement, figures=figures, table=table.name), workspace_id=workspace_id)
    found, named = rows_with(table.name, columns, parents)
    key = ", ".join(columns)
    statement = "SELECT {key}, {figures} FROM {found} GROUP BY {key}"
    return await tx.rows(sql(statement, key=key, figures=figures, found=found), workspace_id=workspace_id, **named)


async def move_others_back(
    tx: Tx, table: Table, workspace_id: UUID, parent: Sequence[Any], kept: Sequence[Any], by: int
) -> None:
    """Moves the records that are not in the file behind those that are."""
    columns = [column for column, _ in table.parents]
    statement = sql(
        """
        UPDATE {table} SET {position} = {position} + :by
         WHERE workspace_id = :workspace_id AND {own} <> ALL(:kept::{type}[]){same}""",
        table=table.name,
        position=str(table.position),
        own=table.primary[-1],
        type=_column_type(kept),
        same="".join(f" AND {column} = :{column}" for column in columns),
    )
    named = dict(zip(columns, parent, strict=True))
    await tx.run(statement, workspace_id=workspace_id, kept=kept, by=by, **named)


_REMOVE = """
    WITH removed AS (
        DELETE FROM {table} AS t WHERE t.workspace_id = :workspace_id AND {condition}
        RETURNING t.id, {public_id} AS public_id
    ), logged AS ({changes})
    SELECT count(*) FROM removed"""
UNSEEN = "NOT EXISTS (SELECT FROM pg_temp.file_seen s WHERE s.list = :list AND s.id = t.id)"
OF_UNSEEN_STUDIES = f"t.study_id IN (SELECT id FROM studies AS t WHERE t.workspace_id = :workspace_id AND {UNSEEN})"


async def remove_where(run: Run, table: Table, condition: str, **values: Any) -> int:
    """Deletes records and logs it. `condition`: SQL over t with `values`. Returns how many were deleted."""
    statement = sql(
        _REMOVE,
        table=table.name,
        condition=condition,
        public_id=f"'{table.numbered.upper()}-' || t.number" if table.numbered else "NULL::text",
        changes=add_changes(table.kind or table.name, "deleted", "removed", change_id="gen_random_uuid()"),
    )
    actor = {"actor_kind": "file", "actor_id": run.actor_id}
    removed: int = await run.tx.value(statement, workspace_id=run.workspace_id, **actor, **values)
    return removed


async def batches(tx: Tx, table: Table, workspace_id: UUID, parent: Sequence[Any] = ()) -> AsyncIterator[list[Row]]:
    """Yields all rows of a list in their order, in batches. `parent`: the columns that name the enclosing record."""
    named = dict(zip([column for column, _ in table.parents], parent, strict=False))
    statement = sql(
        "SELECT {columns} FROM {table} AS t WHERE workspace_id = :workspace_id AND {where}{same} ORDER BY {order}",
        columns=_columns_of(table),
        table=table.name,
        where=table.where,
        same="".join(f" AND {column} = :{column}" for column in named),
        order=table.order,
    )
    arguments = statement.arguments({"workspace_id": workspace_id, **named})
    batch: list[Row] = []
    async for row in tx.connection.cursor(statement.text, *arguments, prefetch=table.batch):
        batch.append(row)
        if len(batch) >= table.batch:
            yield batch
            batch = []
    if batch:
        yield batch


async def find_inside(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[Sequence[Any]]) -> list[Row]:
    """Returns nested rows of some enclosing records, in their order."""
    columns = [f"t.{column}" for column, _ in table.parents]
    found, named = rows_with(table.name, columns, parents)
    statement = sql(
        "SELECT {columns} FROM {found} ORDER BY {parents}, {order}",
        columns=_columns_of(table),
        found=found,
        parents=", ".join(columns),
        order=table.order,
    )
    return await tx.rows(statement, workspace_id=workspace_id, **named)
