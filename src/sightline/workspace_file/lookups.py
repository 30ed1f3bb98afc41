"""Looks up the references of a file: by id, public id, key, or another name of the list."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Table
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries

# Short lists whose records people know by name: a name in place of a key gets a fault that says the key.
NAMED = frozenset({"products", "products.features", "teams", "sprints", "integrations"})
_Scoped = tuple[str, UUID | None]


class Lookups:
    """Finds ids: those of the file's own records in a dictionary, the others in one query for each batch."""

    def __init__(self, tx: Tx, workspace_id: UUID, tables: Mapping[str, Table]) -> None:
        self.tx = tx
        self.workspace_id = workspace_id
        self.tables = tables
        self._found: dict[_Scoped, dict[str, UUID | None]] = {}
        self._keys: dict[_Scoped, dict[str, str]] = {}

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None:
        return self._found.get((target, scope), {}).get(text)

    def key_by_name(self, target: str, name: str, scope: UUID | None = None) -> str | None:
        """Returns the key of the record with this name, or the keys of several, if no record was found by the text."""
        return self._keys.get((target, scope), {}).get(name)

    async def load(self, target: str, texts: Iterable[str], scope: UUID | None = None) -> None:
        known = self._found.setdefault((target, scope), {})
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if not missing:
            return
        table = self.tables[target]
        names: dict[str, list[Any]] = {
            "ids": [id for text in missing if (id := parse_uuid(text))],
            "texts": missing,
            "numbers": [number for text in missing if (number := public_number(table, text))],
            "folded": [_alias(table, text) for text in missing],
        }
        rows = await queries.find_names(self.tx, table, self.workspace_id, scope, names)
        known.update(dict.fromkeys(missing))
        known.update(_pick(table, missing, rows, is_ambiguous=table.parents != () and scope is None))
        unknown = [text for text in missing if known[text] is None]
        if unknown and target in NAMED:
            keys = await queries.keys_by_name(self.tx, table, self.workspace_id, unknown, scope)
            self._keys.setdefault((target, scope), {}).update(keys)

    def keep(self, target: str, key: str, id: UUID) -> None:
        """Keeps the key of a record that has just been stored."""
        self._found.setdefault((target, None), {})[key] = id

    def forget(self, target: str) -> None:
        """Clears what is known of a list. Call it after its records were removed or renamed."""
        for at in [at for at in self._found if at[0] == target]:
            del self._found[at]
            self._keys.pop(at, None)


def public_number(table: Table, text: str) -> int | None:
    """Returns the number in a public id of this kind of record."""
    prefix, _, digits = text.partition("-")
    if table.numbered is None or prefix.lower() != table.numbered or not (digits.isdigit() and digits.isascii()):
        return None
    return int(digits) if len(digits) < 19 else None


def _alias(table: Table, text: str) -> str:
    return text.lower() if table.alias in table.folded else text


def _pick(table: Table, texts: list[str], rows: Iterable[Any], *, is_ambiguous: bool) -> dict[str, UUID]:
    """Returns the ids by text: an id counts before a public id, a key, and an alias."""
    found: list[dict[Any, UUID | None]] = [{}, {}, {}, {}]
    for row in rows:
        for kind, name in enumerate((str(row["id"]), row["number"], row["key"], row["alias"])):
            if name is not None:
                twice = is_ambiguous and kind > 1 and found[kind].get(name, row["id"]) != row["id"]
                found[kind][name] = None if twice else row["id"]
    picked = {}
    for text in texts:
        names = (text.lower(), public_number(table, text), text, _alias(table, text))
        id = next((ids[name] for ids, name in zip(found, names, strict=True) if ids.get(name) is not None), None)
        if id is not None:
            picked[text] = id
    return picked
