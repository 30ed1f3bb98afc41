"""Looks up the references of a file: by id, public id, key, or another name of the list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section.entries import Entry
from sightline.platform.file_section.tables import Table
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries


class _Named(NamedTuple):
    """A record that a text names. `above`: the enclosing record of a nested one."""

    id: UUID
    above: UUID | None


class Lookups:
    """Finds ids: each text is looked up once, all texts of a batch in one query for each list."""

    def __init__(self, tx: Tx, workspace_id: UUID, tables: Mapping[str, Table]) -> None:
        self.tx = tx
        self.workspace_id = workspace_id
        self.tables = tables
        self._found: dict[str, dict[str, list[_Named]]] = defaultdict(dict)
        self.coming: dict[str, dict[str, list[_Named]]] = defaultdict(dict)
        self._keys: dict[str, dict[str, set[tuple[str, UUID | None]]]] = defaultdict(lambda: defaultdict(set))

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None:
        """Returns the id, in the enclosing record `scope`. A key of several enclosing records names none without it."""
        for names in (self.coming[target], self._found[target]):
            ids = {one.id for one in names.get(text, ()) if scope in (None, one.above)}
            if ids:
                return ids.pop() if len(ids) == 1 else None
        return None

    def key_by_name(self, target: str, name: str, scope: UUID | None = None) -> str | None:
        """Returns the key of the record with this name, or the keys of several, if no record was found by the text."""
        keys = sorted(key for key, above in self._keys[target].get(name, ()) if scope in (None, above))
        return " or ".join(keys) or None

    async def load(self, target: str, texts: Iterable[str]) -> None:
        """Looks up the texts that are not known yet."""
        known, table = self._found[target], self.tables[target]
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if not missing:
            return
        rows = await queries.find_names(
            self.tx,
            table,
            self.workspace_id,
            ids=[id for text in missing if (id := parse_uuid(text))],
            texts=missing,
            numbers=[number for text in missing if (number := public_number(table, text))],
            folded=[_alias(table, text) for text in missing],
        )
        names: list[dict[Any, list[_Named]]] = [defaultdict(list) for _ in range(4)]
        for row in rows:
            for kind, name in enumerate((str(row["id"]), row["number"], row["key"], row["alias"])):
                names[kind][name].append(_Named(row["id"], row["above"]))
            self._keys[target][row["name"]].add((row["key"] or str(row["id"]), row["above"]))
        for text in missing:
            forms = (text.lower(), public_number(table, text) or 0, text, _alias(table, text))
            known[text] = next((found[form] for found, form in zip(names, forms, strict=True) if form in found), [])

    def keep(self, table: Table, entries: Sequence[Entry]) -> None:
        """Keeps the names of records that are not stored yet, as others may name them."""
        for entry in entries:
            above = entry.values[table.parents[-1]] if table.parents else None
            named = _Named(entry.values.get("id") or entry.id, above)
            for name in (str(named.id), entry.values.get("key")):
                if name:
                    self.coming[table.path].setdefault(name, []).append(named)

    def forget(self, target: str) -> None:
        """Clears what is known of a list. Call it after its records were added, removed or renamed."""
        for names in (self._found, self.coming, self._keys):
            names.pop(target, None)


def public_number(table: Table, text: str) -> int | None:
    """Returns the number in a public id of this kind of record."""
    prefix, _, digits = text.partition("-")
    if not table.numbered or prefix.lower() != table.kind or not (digits.isdigit() and digits.isascii()):
        return None
    return int(digits) if len(digits) < 19 else None


def _alias(table: Table, text: str) -> str:
    return text.lower() if table.alias == table.folded else text
