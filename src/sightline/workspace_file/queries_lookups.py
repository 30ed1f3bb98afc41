"""References of a file, looked up by the batch: by id, by public id, by key, by a name of their own."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Table
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries

REMEMBERED = 20_000


class Lookups:
    """Remembers what was found, as most records of a file name the same few others."""

    def __init__(self, tx: Tx, workspace_id: UUID, tables: Mapping[str, Table]) -> None:
        self.tx = tx
        self.workspace_id = workspace_id
        self.tables = tables
        self._found: dict[tuple[str, UUID | None], dict[str, UUID | None]] = {}

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None:
        return self._found.get((target, scope), {}).get(text)

    async def load(self, target: str, texts: Iterable[str], scope: UUID | None = None) -> None:
        known = self._found.setdefault((target, scope), {})
        if len(known) > REMEMBERED:
            known.clear()
        table = self.tables[target]
        missing = list({text for text in texts if text not in known})
        if missing:
            rows = await self._rows(table, missing, scope)
            found = _index(table, rows, unique_keys=table.parents != () and scope is None)
            known.update({text: _pick(table, text, found) for text in missing})

    def forget(self, target: str) -> None:
        """After records of the list went or changed their names."""
        for at in [at for at in self._found if at[0] == target]:
            del self._found[at]

    async def _rows(self, table: Table, texts: list[str], scope: UUID | None) -> list[Any]:
        ids = [id for text in texts if (id := parse_uuid(text))]
        numbers = [number for text in texts if (number := public_number(table, text))]
        columns = ["id", "key"] + (["number"] if table.numbered else []) + ([table.alias] if table.alias else [])
        scoped = "" if scope is None else f" WHERE t.{table.parents[0][0]} = $3"
        more = [] if scope is None else [scope]
        named: list[tuple[str, str, list[Any]]] = [("t.key", "text", texts), ("t.id", "uuid", list(set(ids)))]
        named.append(("t.number", "bigint", numbers))
        if table.alias:
            aliases = list({_alias(table, text) for text in texts})
            named.append((queries.compared(table, table.alias), "text", aliases))
        found = []
        for column, type, wanted in named:
            if wanted:
                rows = queries.wanted_in(table.name, [column], [type])
                statement = f"SELECT {', '.join(f't.{column}' for column in columns)} FROM {rows}{scoped}"
                found += await self.tx.rows(statement, self.workspace_id, wanted, *more)
        return found


def public_number(table: Table, text: str) -> int | None:
    """The number in a public id of this kind of record."""
    prefix, _, digits = text.partition("-")
    if table.numbered is None or prefix.lower() != table.numbered or not (digits.isdigit() and digits.isascii()):
        return None
    return int(digits) if len(digits) < 19 else None


def _alias(table: Table, text: str) -> str:
    return text.lower() if table.alias in table.folded else text


def _index(table: Table, rows: list[Any], unique_keys: bool) -> dict[str, UUID | None]:
    """By everything that may name a record, each with a mark of what it is."""
    found: dict[str, UUID | None] = {}
    for row in rows:
        id: UUID = row["id"]
        found[f"id {id}"] = id
        if row["key"] is not None:
            at = f"key {row['key']}"
            ambiguous = unique_keys and found.get(at, id) != id
            found[at] = None if ambiguous else id
        if table.numbered:
            found[f"number {row['number']}"] = id
        if table.alias and row[table.alias] is not None:
            found[f"alias {_alias(table, row[table.alias])}"] = id
    return found


def _pick(table: Table, text: str, found: Mapping[str, UUID | None]) -> UUID | None:
    number, alias = public_number(table, text), _alias(table, text)
    names = [f"id {text.lower()}", f"number {number}", f"key {text}", f"alias {alias}"]
    return next((found[name] for name in names if found.get(name) is not None), None)
