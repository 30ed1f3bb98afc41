"""The columns of a file: which field each header names, and how its cells are read."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from msgspec import UNSET, inspect

from sightline.imports import cells
from sightline.imports.lines import path_of
from sightline.imports.maps import Map, common_names, folded
from sightline.imports.tools.rows import without_wiki_markup
from sightline.platform.errors import MOST_FAULTS, Fault, ValidationFailed
from sightline.platform.file_parts.entries import Faults
from sightline.platform.file_parts.tables import Link, Table
from sightline.platform.markup import without_html
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Moment

Path = tuple[str, ...]

MOST_COLUMNS = 1_000
REASONS = "reasons"  # the column that --rejects adds
# Of an idea: the addresses of its voters, and the post that it was merged into. An import reads both itself.
OF_IMPORTS = {"ideas": ("voters", "mergedInto")}
_IDENTITIES = ("id", "key", "number", "externalId", "origin")
# By kind: what identifies the records of a file that has no column for it.
KNOWN_BY = {
    "ideas": ("name",),
    "accounts": ("name",),
    "insights": ("title",),
    "signals": ("name", "rawData", "createdAt"),
}
_END_NUMBER = re.compile(r"[ _]?(?<![0-9])[0-9]++$")  # in a time that grows with the length
_MARKED = frozenset({"description", "comment", "officialAnswer", "rawData.text"})  # fields in which HTML is looked for


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `path`: the members of the field, empty if it is left out. `read`: returns the value of a cell.

    `rank`: 0 if the map or its own name says the field, 1 if the tool's map does, 2 if it is guessed.
    """

    name: str
    path: Path
    read: cells.Read
    is_list: bool = False
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """The columns of a file in their order. `left_out`: headers that name no field. `constants`: further cells.

    `known_by`: if no column identifies a record, the fields that do. `missing`: headers of the map that the file
    does not have. `without_zone`: columns in which a date without a zone was read.
    """

    columns: list[Column]
    left_out: list[str]
    constants: list[tuple[Column, str]]
    known_by: tuple[str, ...] = ()
    missing: Sequence[str] = ()
    without_zone: Sequence[str] = ()

    @property
    def has_reasons(self) -> bool:
        return bool(self.columns) and folded(self.columns[-1].name) == REASONS


def read_head(headers: "Headers", number: int, row: Sequence[str] | str, *, strict: bool = False) -> Head:
    """Returns the columns of a file. Raises ValidationFailed with every header that cannot be read.

    A header that names no field is left out, unless `strict`.
    """
    if not isinstance(row, str) and len(row) > MOST_COLUMNS:
        row = f"Has {len(row)} columns; at most {MOST_COLUMNS} can be read"
    if isinstance(row, str):
        raise ValidationFailed([Fault(path_of(number), row)])
    table, map = headers.table, headers.map
    columns = [headers.column(cell.strip()) for cell in row]
    faults = _overlaps(columns, number)
    lacking = [column.name or f"column {place}" for place, column in enumerate(columns, 1) if headers.lacks(column)]
    left_out = list(dict.fromkeys(lacking))
    if left_out and (strict or not any(column.path for column in columns)):
        are = "are no fields" if len(left_out) > 1 else "is no field"
        names = ", ".join(repr(name) for name in left_out[:20])
        faults.append(Fault(path_of(number), f"{names} {are} of {table.path}. {fields_of(table)}"))
    present = {folded(column.name) for column in columns}
    for header in map.required:
        if folded(header) not in present:
            shown = ", ".join(repr(column.name) for column in columns[:20])
            faults.append(Fault(path_of(number), f"There is no column {header!r}. The columns are {shown}"))
    faults += headers.faults
    if faults:
        raise ValidationFailed(faults, more=max(0, len(faults) - MOST_FAULTS))
    is_known = any(column.path and column.path[0] in _IDENTITIES for column in columns)
    known_by = () if is_known else KNOWN_BY.get(table.path, ())
    return Head(columns, left_out, headers.constants(), known_by, map.missing(present), headers.without_zone)


def identified(record: dict[str, Any], known_by: Sequence[str]) -> dict[str, Any]:
    """Gives a record an externalId that follows from the fields by which it is known: a single one is it itself."""
    found = [record[name] for name in known_by if record.get(name)]
    if len(known_by) == 1:
        return record | {"externalId": str(found[0])[:255]} if found else record
    text = json.dumps(found, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return record | {"externalId": blake2b(text, digest_size=16).hexdigest()}


def fields_of(table: Table) -> str:
    names = [field.name for field in table.members if field.name not in {child.list_name for child in table.children}]
    parts = dict.fromkeys(field for field in common_names(table.path).values() if "." in field)
    return f"The fields are {', '.join([*names, *parts, *OF_IMPORTS.get(table.path, ())])}"


class Headers:
    """Finds the field of each header: as the map says, by its own name, without case, or by a common name."""

    def __init__(self, table: Table, map: Map) -> None:
        self.table = table
        self.map = map
        self.record = inspect.type_info(table.record)
        self.faults: list[Fault] = []
        self.without_zone: list[str] = []
        self._said = {folded(name): (field, 1) for name, field in map.tool_columns.items()}  # with their rank
        self._said |= {folded(name): ("", 0) for name in (*map.ignore, REASONS)}
        self._said |= {folded(name): (field, 0) for name, field in map.columns.items()}
        # Lists of parts and objects are found by their own names only: another tool's "Comments" are a number. A tool's
        # columns do not name records of ours either, such as products and sprints.
        self._unlikely = {child.list_name for child in table.children}
        for member in self.record.fields:  # type: ignore[attr-defined]  # of a struct
            if isinstance(cells.alternatives(member.type)[0], inspect.StructType | inspect.DictType):
                self._unlikely.add(member.encode_name)
        if map.tool:
            linked = (field for field in table.fields if isinstance(field.marker, Link))
            self._unlikely |= {field.name for field in (*linked, *(field for field, _ in table.links))}
            self._unlikely -= {"account", "accounts"}
        likely = [member.name for member in table.members if member.name not in self._unlikely]
        self._guesses = common_names(table.path)
        self._guesses |= {folded(name): name for name in (*likely, *OF_IMPORTS.get(table.path, ()))}
        named = [
            (f"{part}.{field}", field) for part in ("values", "dates", "constants") for field in getattr(map, part)
        ]
        named += [(f"columns.{name}", field) for name, field in map.columns.items() if field]
        for place, field in named:
            if self._type_of(field) is None:
                self.faults.append(Fault(place, f"{field!r} is no field. {fields_of(table)}"))

    def column(self, name: str) -> Column:
        """Returns the column of a header; one without a path if it names no field or is left out."""
        if said := self._said.get(folded(name)):
            return self._of(name, said[0], rank=said[1])
        if self._is_own(name):
            return self._of(name, name, is_own=True)
        field = self._guess(name)
        if not field and self._is_list(shorter := self._guess(_END_NUMBER.sub("", name))):
            field = shorter
        return self._of(name, field, rank=2)

    def lacks(self, column: Column) -> bool:
        """Whether the column is left out although nothing said so."""
        field, rank = self._said.get(folded(column.name), (None, 2))
        return not column.path and rank > 0 and field != ""

    def constants(self) -> list[tuple[Column, str]]:
        """Returns columns, each with its cell. They fill no list that has items."""
        return [
            (replace(self._of(field, field, is_own=True), is_list=False), cell)
            for field, cell in self.map.constants.items()
            if self._type_of(field) is not None
        ]

    def _guess(self, name: str) -> str:
        return name if self._is_own(name) else self._guesses.get(folded(name), "")

    def _is_own(self, name: str) -> bool:
        return self._type_of(name) is not None and not (self.map.tool and name.partition(".")[0] in self._unlikely)

    def _is_list(self, field: str) -> bool:
        type = self._type_of(field)
        listed = type is not None and isinstance(cells.alternatives(type)[0], inspect.ListType)
        return bool(field) and (listed or field.endswith(".labels") or field in self.map.lists)

    def _of(self, name: str, field: str, *, rank: int = 0, is_own: bool = False) -> Column:
        type = self._type_of(field)
        if type is None:
            return Column(name, (), cells.keep)
        path, is_list = tuple(field.split(".")), self._is_list(field)
        read = (
            cells.split_at(self.map.lists.get(field))
            if is_list and not cells.is_json_list(type)
            else cells.reader_of(type)
        )
        one = cells.alternatives(type)[0]
        if isinstance(one, inspect.CustomType) and issubclass(one.cls, Moment):
            read = cells.moment_reader(self.map.dates.get(field), self.map.zone, lambda: self._note_without_zone(name))
        if field == "domain" and not is_own:
            read = cells.read_host
        if field in self.map.wiki:
            read = cells.after(without_wiki_markup, read)
        if field in self.map.html or (field in _MARKED and not is_own):
            read = cells.after(without_html if field in self.map.html else cells.plain, read)
        nothing = {self.map.empty: ""} if self.map.empty else {}
        if labels := self.map.values.get(field, {}) | nothing:
            read = cells.translated(read, labels)
        return Column(name, path, read, is_list, rank)

    def _note_without_zone(self, name: str) -> None:
        if name not in self.without_zone:
            self.without_zone.append(name)

    def _type_of(self, field: str) -> inspect.Type | None:
        """Returns the type of a field with a dotted name, None if there is no such field."""
        if field in OF_IMPORTS.get(self.table.path, ()):
            return inspect.type_info(list[str] if field == "voters" else str)
        at: inspect.Type | None = self.record
        for member in field.split("."):
            at = _member(at, member) if at is not None else None
        return at


def _overlaps(columns: list[Column], number: int) -> list[Fault]:
    """Leaves out columns whose field one of lower rank or an earlier one has; returns faults for those of rank 0."""
    faults = []
    filled: dict[Path, Column] = {}  # by the path of a column, and by those above it
    for place in sorted(range(len(columns)), key=lambda place: columns[place].rank):
        column = columns[place]
        parts = [column.path[:end] for end in range(1, len(column.path) + 1)]
        around = (filled[part] for part in parts if part in filled and filled[part].path == part)
        other = filled.get(column.path) or next(around, None)
        if other is None:
            filled |= dict.fromkeys(parts, column)
        elif column.rank and not (column.is_list and other.path == column.path):
            columns[place] = Column(column.name, (), cells.keep)
        elif not column.is_list or other.path != column.path:
            both = f"{other.name!r} and {column.name!r} both fill {'.'.join(column.path)}"
            faults.append(Fault(path_of(number), f"{both}: leave one out"))
    return faults


def record_of(
    filled: Iterable[tuple[Column, Any]], constants: Sequence[tuple[Column, str]], path: str, faults: Faults
) -> dict[str, Any]:
    """Returns the record that some cells fill, with the constants of a map where it has no value.

    A provenance has a method. An id that is none of ours becomes the externalId, if there is no other one.
    """
    record: dict[str, Any] = {}
    known: dict[Path, set[str]] = {}
    for column, cell in filled:
        _fill(record, column, cell, path, faults, known)
    if (id := record.get("id")) is not None and parse_uuid(str(id)) is None:
        record.setdefault("externalId", record.pop("id"))
    for column, cell in constants:
        _fill(record, column, cell, path, faults, known)
    if isinstance(provenance := record.get("provenance"), dict):
        provenance.setdefault("method", "import")
    return record


def _fill(
    record: dict[str, Any], column: Column, cell: Any, path: str, faults: Faults, known: dict[Path, set[str]]
) -> None:
    """Puts the value of a cell in its place if there is none; further items of a list go behind the present ones.

    Of a list of domains, the first one counts. `known`: the items of the record's lists that several columns fill.
    """
    if column.path == ("domain",) and isinstance(cell, list):
        if not cell:
            return
        cell = cell[0]
    try:
        value = column.read(cell) if isinstance(cell, str) else cell
    except ValueError as error:
        faults.add(f"{path}.{column.name}", str(error))
        return
    if value is UNSET:
        return
    *above, name = column.path
    for each in above:
        inside = record.setdefault(each, {})
        record = inside if isinstance(inside, dict) else {}
    before = record.get(name)
    if before is None:
        record[name] = value
    elif column.is_list and isinstance(before, list) and isinstance(value, list):
        if (items := known.get(column.path)) is None:
            items = known[column.path] = set(map(_written, before))
            before = record[name] = [*before]
        before += [item for item in value if _written(item) not in items]
        items.update(map(_written, value))


def _written(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def _member(type: inspect.Type, name: str) -> inspect.Type | None:
    for one in cells.alternatives(type):
        if isinstance(one, inspect.StructType):
            return next((field.type for field in one.fields if field.encode_name == name), None)
        if isinstance(one, inspect.DictType):
            return one.value_type if name else None
    return None
