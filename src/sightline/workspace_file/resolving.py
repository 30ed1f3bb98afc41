"""Turns fields of records into values of columns: resolves references, checks and converts values."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sightline.platform.file_section import Entry, Field, Link, Reference, Run, Table
from sightline.platform.file_section.entries import Linked
from sightline.platform.refs import parse_uuid

_Texts = dict[tuple[str, UUID | None], set[str]]


async def read_fields(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Fills `values` of each entry; adds a fault for each field that does not fit."""
    fields = [field for field in table.all_fields if field.late == late]
    await _look_up(run, fields, entries)
    for entry in entries:
        for field in fields:
            if field.name in entry.given:
                _read(run, field, entry)
        if not late:
            _read_updated_at(run, entry)
            _check_ignored(run, table, entry)


async def _look_up(run: Run, fields: Sequence[Field], entries: Sequence[Entry]) -> None:
    texts_by_target: _Texts = defaultdict(set)
    for field in fields:
        if field.references is None:
            continue
        for entry in entries:
            if (value := entry.given.get(field.name)) is not None:
                for reference in field.references(value):
                    texts_by_target[reference.target, None].add(reference.text)
    for (target, scope), texts in texts_by_target.items():
        await run.lookup.load(target, texts, scope)


def _read(run: Run, field: Field, entry: Entry) -> None:
    value = entry.given[field.name]
    if value is None:
        _read_null(run, field, entry)
        return
    for reference in field.references(value) if field.references else ():
        check_found(run, entry, field.name, reference, None)
    try:
        entry.values[field.column] = field.store(value, run.lookup)
    except ValueError as error:
        run.refuse(entry, field.name, str(error))


def _read_updated_at(run: Run, entry: Entry) -> None:
    """Leaves `updatedAt` out of `values` where it does not count."""
    if (given := entry.values.pop("updated_at", None)) is None:
        return
    try:
        if moment := run.written_at(given):
            entry.values["updated_at"] = moment
    except ValueError as error:
        run.refuse(entry, "updatedAt", str(error))


def _check_ignored(run: Run, table: Table, entry: Entry) -> None:
    for field in table.ignored_fields:
        if (value := entry.given.get(field.name)) is not None:
            try:
                field.store(value, run.lookup)
            except ValueError as error:
                run.refuse(entry, field.name, str(error))


def _read_null(run: Run, field: Field, entry: Entry) -> None:
    """Stores null if the column allows it, else the default."""
    if field.required:
        run.refuse(entry, field.name, "Must not be null")
    elif field.column not in ("id", "key", "number", "created_at", "updated_at"):
        entry.values[field.column] = None if field.nullable else field.default


def check_found(run: Run, entry: Entry, name: str, reference: Reference, scope: UUID | None) -> None:
    """Adds a fault for an unknown reference, unless it names a faulty record."""
    if run.lookup.find(reference.target, reference.text, scope) is not None:
        return
    if reference.lenient and parse_uuid(reference.text) is not None:
        return
    entry.broken = True
    if (reference.target, reference.text) not in run.faulty_records:
        run.refuse(entry, name + reference.suffix, _not_found(run, reference, scope))


def _not_found(run: Run, reference: Reference, scope: UUID | None) -> str:
    if key := run.lookup.key_by_name(reference.target, reference.text, scope):
        return f"{reference.text!r} is a name in {reference.target}: give the key, {key}"
    where = "" if scope is None else " of the record's product"
    return f"There is no {reference.text!r} in {reference.target}{where}"


async def read_links(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Fills `links` of each entry with the named ids, each once, in their order."""
    for link in table.links:
        if link.late != late:
            continue
        giving = [entry for entry in entries if entry.given.get(link.name, None) is not None]
        await _look_up_links(run, link, giving)
        for entry in giving:
            _read_link(run, link, entry)
    for entry in entries:
        for link in table.links:
            if link.late == late and link.name in entry.given and entry.given[link.name] is None:
                entry.links[link.name] = []


def _scope(link: Link, entry: Entry) -> UUID | None:
    return entry.row.get(link.scope) if link.scope else None


async def _look_up_links(run: Run, link: Link, giving: Sequence[Entry]) -> None:
    texts_by_target: _Texts = defaultdict(set)
    for entry in giving:
        for reference in link.references(entry.given[link.name]):
            texts_by_target[reference.target, _scope(link, entry)].add(reference.text)
    for (target, scope), texts in texts_by_target.items():
        await run.lookup.load(target, texts, scope)


def _read_link(run: Run, link: Link, entry: Entry) -> None:
    value = entry.given[link.name]
    found: dict[UUID, bool] = {}
    scope = _scope(link, entry)
    for reference, flag in zip(link.references(value), link.flags(value), strict=True):
        check_found(run, entry, link.name, reference, scope)
        if (id := run.lookup.find(reference.target, reference.text, scope)) is not None:
            found[id] = found.get(id, False) or flag
    entry.links[link.name] = [Linked(id, flag) for id, flag in found.items()]


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)
