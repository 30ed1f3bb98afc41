"""Looks up the references of a file in batches: by id, public id, key, or another name of the list."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sightline.platform.db import Row, Tx, sql
from sightline.platform.file_section import Table
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries

REMEMBERED = 20_000
# Short lists whose records people know by name: a name in place of a key gets a fault that says the key.
NAMED = frozenset({"products", "products.features", "teams", "sprints", "integrations"})


class Lookups:
    """Finds ids, and caches them, as most records of a file name the same few others."""

    def __init__(self, tx: Tx, workspace_id: UUID, tables: Mapping[str, Table]) -> None:
        self.tx = tx
        self.workspace_id = workspace_id
        self.tables = tables
        self._found: dict[tuple[str, UUID | None], dict[str, UUID | None]] = {}
        self._keys: dict[tuple[str, UUID | None], dict[str, str]] = {}

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None:
        return self._found.get((target, scope), {}).get(text)

    def key_by_name(self, target: str, name: str, scope: UUID | None = None) -> str | None:
        """Returns the key of the record with this name, or the keys of several, if no record was found by the text."""
        return self._keys.get((target, scope), {}).get(name)

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
            unknown = [text for text in missing if known[text] is None]
            if unknown and target in NAMED:
                keys = await queries.keys_by_name(self.tx, table, self.workspace_id, unknown, scope)
                self._keys.setdefault((target, scope), {}).update(keys)

    def forget(self, target: str) -> None:
        """Clears the cache of a list. Call it after its records were removed or renamed."""
        for at in [at for at in self._found if at[0] == target]:
            del self._found[at]
            self._keys.pop(at, None)

    async def _rows(self, table: Table, texts: list[str], scope: UUID | None) -> list[Row]:
        ids = [id for text in texts if (id := parse_uuid(text))]
        numbers = [number for text in texts if (number := public_number(table, text))]
        columns = ["id", "key"] + (["number"] if table.numbered else []) + ([table.alias] if table.alias else [])
        shown = ", ".join(f"t.{column}" for column in columns)
        scoped = "" if scope is None else f" WHERE t.{table.parents[0][0]} = :scope"
        named: dict[str, Iterable[Any]] = {"t.key": texts, "t.id": set(ids), "t.number": numbers}
        if table.alias:
            named[queries.compared(table, table.alias)] = {_alias(table, text) for text in texts}
        found: list[Row] = []
        for expression, names in named.items():
            if names:
                rows, values = queries.rows_with(table.name, [expression], [(value,) for value in names])
                statement = sql("SELECT {shown} FROM {rows}{scoped}", shown=shown, rows=rows, scoped=scoped)
                more = {} if scope is None else {"scope": scope}
                found += await self.tx.rows(statement, workspace_id=self.workspace_id, **values, **more)
        return found


def public_number(table: Table, text: str) -> int | None:
    """Returns the number in a public id of this kind of record."""
    prefix, _, digits = text.partition("-")
    if table.numbered is None or prefix.lower() != table.numbered or not (digits.isdigit() and digits.isascii()):
        return None
    return int(digits) if len(digits) < 19 else None


def _alias(table: Table, text: str) -> str:
    return text.lower() if table.alias in table.folded else text


def _index(table: Table, rows: list[Row], unique_keys: bool) -> dict[str, UUID | None]:
    """Returns ids by every name of a record, prefixed with its kind: `id`, `key`, `number` or `alias`."""
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
