"""The SQL of applying and exporting a file, composed from the declarations of tables. All values are parameters."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from asyncpg import SerializationError

from sightline.platform.db import Row, Statement, Tx, sql
from sightline.platform.file_parts.entries import Run
from sightline.platform.file_parts.tables import Links, Table
from sightline.workspaces.changes import add_changes

_TYPES: dict[type, str] = {str: "text", int: "bigint", UUID: "uuid", datetime: "timestamptz"}

# Without current statistics the planner may look up a pair of columns in the index of the first one alone, and read a
# whole source for each record.
_OUTGROWN = sql("""
    SELECT pg_relation_size(oid) / current_setting('block_size')::bigint > greatest(64, 2 * relpages)
      FROM pg_class WHERE oid = :table::text::regclass""")


async def analyze_if_outgrown(tx: Tx, table: Table) -> None:
    """Refreshes the statistics of a table that has doubled in size."""
    if await tx.value(_OUTGROWN, table=table.name):
        await tx.run(sql("ANALYZE (SKIP_LOCKED) {table}", table=table.name))


def _shown(table: Table) -> str:
    """Returns the columns of a row, with the ids and flags of links that no column repeats."""
    shown = [f"t.{column}" for column in dict.fromkeys([*table.primary, *table.columns])]
    for field, links in table.links:
        if links.array is None or links.flag:
            shown.append(f"{_array(links, links.columns[1])} AS {field.column}_ids_")
        if links.flag:
            shown.append(f"{_array(links, links.flag)} AS {field.column}_flags_")
    return ", ".join(shown)


def _select(table: Table, given: str = "", same: Sequence[str] = (), *, is_export: bool = False) -> Statement:
    """Returns the statement for the rows that have the columns `same` of one of the `given` rows, a FROM item.

    `is_export`: only those that an export shows, in its order. Else they have their state in `state_`.
    """
    order = ", ".join(f"t.{column}" for column in (*same, *table.sorting))
    return sql(
        "SELECT {columns}{state} FROM {given}{table} AS t WHERE t.{tenant} = :workspace_id AND {where}{order}",
        columns=_shown(table),
        state="" if is_export else ", t.xmin::text AS state_",
        given=f"{given} AS g ({', '.join(same)}), " if same else "",
        table=table.name,
        tenant=table.tenant,
        where=" AND ".join([table.where if is_export else "true", *(f"t.{column} = g.{column}" for column in same)]),
        order=f" ORDER BY {order}" if is_export else "",
    )


def _array(links: Links, column: str) -> str:
    return (
        f"ARRAY(SELECT l.{column} FROM {links.table} AS l"
        f" WHERE l.workspace_id = :workspace_id AND l.{links.columns[0]} = t.id ORDER BY l.link)"
    )


def linked(field: Any, links: Links, row: Any) -> list[tuple[UUID, bool]]:
    """Returns the links of a stored row, in the order of linking; none of a new record, that has no row."""
    if row is None:
        return []
    ids = row[links.array] if links.array and not links.flag else row[f"{field.column}_ids_"]
    flags = row[f"{field.column}_flags_"] if links.flag else [False] * len(ids)
    return list(zip(ids, flags, strict=True))


async def find_rows(
    tx: Tx,
    table: Table,
    workspace_id: UUID,
    sets: Mapping[tuple[str, ...], Sequence[Sequence[Any]]],
    *,
    locks: bool = False,
) -> list[Row]:
    """Returns each row in which some columns have one of the sets of values, for any of the sets of columns.

    `locks`: none of them changes any more before the transaction ends.
    """
    primary = ", ".join(f"t.{column}" for column in table.primary)
    statements: list[str] = []
    named: dict[str, list[Any]] = {}
    for columns, values in sets.items():
        arrays = []
        for each in zip(*values, strict=True):
            named[f"v{len(named)}"] = list(each)
            arrays.append(f":v{len(named) - 1}::{_type_of(each)}[]")
        same = " AND ".join(f"{compared(table, column)} = g.{column}" for column in columns)
        statements.append(
            f"SELECT {primary} FROM unnest({', '.join(arrays)}) AS g ({', '.join(columns)})"
            f" JOIN {table.name} AS t ON t.{table.tenant} = :workspace_id AND {same}"
        )
    if not statements:
        return []
    found = f"({' UNION '.join(statements)})"
    if locks:
        lock = sql(
            "SELECT FROM {table} AS t WHERE ({primary}) IN {found} ORDER BY {primary} FOR NO KEY UPDATE",
            table=table.name,
            primary=primary,
            found=found,
        )
        await tx.rows(lock, workspace_id=workspace_id, **named)
    statement = _select(table, found, table.primary)
    return await tx.rows(statement, workspace_id=workspace_id, **named)


def _type_of(values: Iterable[Any]) -> str:
    return next((name for value in values for kind, name in _TYPES.items() if isinstance(value, kind)), "text")


def compared(table: Table, column: str) -> str:
    """Returns the expression that compares values of this column."""
    return f"lower(t.{column})" if column == table.folded else f"t.{column}"


_NAMES = """
    SELECT t.id, t.key, {number} AS number, {alias} AS alias, {name} AS name, {above} AS above FROM {table} AS t
     WHERE t.workspace_id = :workspace_id
       AND (t.id = ANY(:ids::uuid[]) OR t.key = ANY(:texts::text[]) OR {number} = ANY(:numbers::bigint[])
            OR {alias} = ANY(:folded::text[]) OR {name} = ANY(:texts::text[]))"""
# Short lists whose records people know by name: a name in place of a key gets a fault that says the key.
_NAMED = ("products", "products.features", "teams", "sprints", "integrations")


async def find_names(tx: Tx, table: Table, workspace_id: UUID, **names: Sequence[Any]) -> list[Row]:
    """Returns the names and the enclosing record of those with one of the `ids`, `texts`, `numbers` or `folded`."""
    statement = sql(
        _NAMES,
        table=table.name,
        number="t.number" if table.numbered else "NULL::bigint",
        alias=compared(table, table.alias) if table.alias else "NULL::text",
        name="t.name" if table.path in _NAMED else "NULL::text",
        above=f"t.{table.parents[-1]}" if table.parents else "NULL::uuid",
    )
    return await tx.rows(statement, workspace_id=workspace_id, **names)


async def add_rows(tx: Tx, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Adds rows by COPY."""
    await tx.connection.copy_records_to_table(table, records=rows, columns=list(columns))


_CHANGE = """
    UPDATE {table} AS t SET ({columns}) = (SELECT {columns} FROM jsonb_populate_record(t, n.row) AS changed){version}
      FROM jsonb_array_elements(:rows) AS n (row) CROSS JOIN jsonb_populate_record(NULL::{table}, n.row) AS given
     WHERE t.{tenant} = :workspace_id AND {same} AND t.xmin::text = coalesce(n.row ->> 'state_', t.xmin::text)"""


async def change_rows(tx: Tx, table: Table, workspace_id: UUID, rows: Sequence[Mapping[str, Any]]) -> None:
    """Changes rows, and moves their versions. A row has its primary key and the columns that it changes.

    Raises SerializationError if one of them is no longer as its `state_` says, which is from find_rows().
    """
    version = table.versioned
    kept = {*table.primary, version, "state_"}
    columns = sorted({column for row in rows for column in row} - kept) or [*table.primary]
    statement = sql(
        _CHANGE,
        table=table.name,
        tenant=table.tenant,
        columns=", ".join(columns),
        version=f", {version} = CASE WHEN n.row ? '{version}' THEN given.{version} ELSE t.{version} + 1 END"
        if version
        else "",
        same=" AND ".join(f"t.{column} = given.{column}" for column in table.primary),
    )
    values = {"workspace_id": workspace_id, "rows": [map_bytes(row) for row in rows]}
    if rows and await tx.run(statement, **values) < len(rows):
        raise SerializationError(f"Other writes keep changing {table.path}.")


def map_bytes(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the row with bytes in PostgreSQL's hexadecimal form."""
    return {name: rf"\x{value.hex()}" if isinstance(value, bytes) else value for name, value in row.items()}


_UNLINK = """
    DELETE FROM {table} AS t USING unnest(:owners::uuid[], :members::uuid[]) AS gone (owner, member)
     WHERE t.workspace_id = :workspace_id AND t.{owner} = gone.owner AND t.{member} = gone.member"""


async def remove_links(tx: Tx, links: Links, workspace_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """Removes links by owner and member."""
    statement = sql(_UNLINK, table=links.table, owner=links.columns[0], member=links.columns[1])
    owners, members = [owner for owner, _ in pairs], [member for _, member in pairs]
    await tx.run(statement, workspace_id=workspace_id, owners=owners, members=members)


_REMOVE = """
    WITH removed AS (
        DELETE FROM {table} AS t WHERE t.workspace_id = :workspace_id AND {condition}
        RETURNING t.id, t.key, {public_id} AS public_id
    ), logged AS ({changes})
    SELECT coalesce(key, public_id, id::text) AS name FROM removed"""


async def remove_where(run: Run, table: Table, condition: str, **values: Any) -> list[str]:
    """Deletes records and logs it. `condition`: SQL over t with `values`. Returns their keys, public ids or ids."""
    statement = sql(
        _REMOVE,
        table=table.name,
        condition=condition,
        public_id=f"'{table.kind.upper()}-' || t.number" if table.numbered else "NULL::text",
        changes=add_changes(table.kind, "deleted", "removed", change_id="gen_random_uuid()"),
    )
    actor = {"actor_kind": "file", "actor_id": run.actor_id}
    rows = await run.tx.rows(statement, workspace_id=run.workspace_id, **actor, **values)
    return [row["name"] for row in rows]


def all_rows(tx: Tx, table: Table, workspace_id: UUID) -> AsyncIterator[list[Row]]:
    """Returns all rows of a list in their order, in batches."""
    return tx.batches(_select(table, is_export=True), table.batch, workspace_id=workspace_id)


async def rows_inside(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[Sequence[Any]]) -> list[Row]:
    """Returns the rows of some enclosing records, or of a list that is not nested, in their order."""
    named = {
        f"p_{column}": list(values) for column, values in zip(table.parents, zip(*parents, strict=True), strict=False)
    }
    if not parents:
        return []
    given = f"unnest({', '.join(f':{name}::uuid[]' for name in named)})"
    return await tx.rows(_select(table, given, table.parents, is_export=True), workspace_id=workspace_id, **named)
