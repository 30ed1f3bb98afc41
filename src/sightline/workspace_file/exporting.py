"""A workspace as one file, or one of its lists: a record on a line, in bounded memory, from one snapshot.

An unchanged workspace gives the same bytes: fields, records and links have a fixed order.
"""

import csv
import re
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any, Literal
from uuid import UUID

import msgspec

from sightline.catalog.taxonomy.file import show_taxonomy
from sightline.platform.db import Database, Tx
from sightline.platform.file_parts.tables import Converted, Table
from sightline.platform.wire import shown_moment
from sightline.workspace_file import queries
from sightline.workspace_file.parts import LISTS, SHOWN, TABLES
from sightline.workspaces.tenants import find_workspace

Format = Literal["jsonl", "csv"]
Write = Callable[[bytes], object]
FORMULA = re.compile(r"'*[=+\-@\t\r]")  # with the apostrophes that keep it from being one
# JSON has these characters as they are. YAML refuses them, or takes them for the end of a line: DEL, U+0080 to U+009F,
# U+2028, U+2029, U+FFFE, U+FFFF.
_NOT_IN_YAML = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbf[\xbe\xbf]")


def _encode(value: Any) -> bytes:
    """Returns JSON that says the same as YAML."""
    return _NOT_IN_YAML.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), msgspec.json.encode(value))


async def export_workspace(db: Database, slug: str, write: Write) -> None:
    """Writes the workspace as a workspace file. Raises NotFound before anything is written."""
    async with db.snapshot() as tx:
        workspace = await find_workspace(tx, slug)
        write(b'{"$schema": "workspace-file.schema.json"')
        for name in SHOWN:
            if name in LISTS:
                write(b",\n" + _encode(name) + b": ")
                await _write_list(tx, LISTS[name], workspace.id, write)
            else:
                await _write_part(tx, name, workspace.id, write)
        write(b"}\n")


async def _write_part(tx: Tx, name: str, workspace_id: UUID, write: Write) -> None:
    """Writes an object with its lists, unless there are neither."""
    if name == "taxonomy":
        shown = await show_taxonomy(tx, workspace_id)
    else:
        shown = await anext(_records(tx, TABLES[name], workspace_id), None)
    inside = [table for path, table in LISTS.items() if path.startswith(f"{name}.")]
    if shown is None and not [1 for table in inside if await anext(_records(tx, table, workspace_id), None)]:
        return
    write(b",\n" + _encode(name) + b": " + _encode(shown or {})[:-1])
    before = b", " if shown else b""
    for table in inside:
        write(before + _encode(table.list_name) + b": ")
        await _write_list(tx, table, workspace_id, write)
        before = b", "
    write(b"}")


async def _write_list(tx: Tx, table: Table, workspace_id: UUID, write: Write) -> None:
    before = b"[\n"
    async for record in _records(tx, table, workspace_id):
        write(before + _encode(record))
        before = b",\n"
    write(b"[]" if before == b"[\n" else b"\n]")


async def export_list(db: Database, slug: str, kind: str, format: Format, write: Write) -> None:
    """Writes the records of a list as lines that can be imported. Raises NotFound before anything is written.

    CSV has a column for each field, in cells that no spreadsheet takes for a formula.
    """
    table = LISTS[kind]
    names = [member.name for member in table.members]
    rows = csv.writer(SimpleNamespace(write=lambda text: write(text.encode())))
    async with db.snapshot() as tx:
        workspace = await find_workspace(tx, slug)
        if format == "csv":
            rows.writerow(names)
        async for record in _records(tx, table, workspace.id):
            if format == "csv":
                rows.writerow([_cell(record.get(name)) for name in names])
            else:
                write(_encode(record) + b"\n")


def _cell(value: Any) -> str:
    """Returns a cell that is read as this value. An apostrophe goes before what a spreadsheet would calculate."""
    if value is None:
        return ""
    value = msgspec.json.decode(msgspec.json.encode(value))
    is_simple = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    if is_simple and not any(set(item) & set(";[") or item != item.strip() or not item for item in value):
        value = ";".join(value)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"'{text}" if FORMULA.match(text) else text


async def _records(tx: Tx, table: Table, workspace_id: UUID) -> AsyncIterator[dict[str, Any]]:
    async for rows in queries.all_rows(tx, table, workspace_id):
        for record in await records_of(tx, table, workspace_id, rows):
            yield record


async def records_of(tx: Tx, table: Table, workspace_id: UUID, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns the records of some rows as the file shows them."""
    shown = await table.show(tx, workspace_id, rows) if table.show and rows else [{}] * len(rows)
    records = [_record(table, row) | more for row, more in zip(rows, shown, strict=True)]
    for child in table.children if rows else ():
        found: dict[tuple[Any, ...], list[dict[str, Any]]] = {tuple(row[c] for c in child.above): [] for row in rows}
        inside = await queries.rows_inside(tx, child, workspace_id, list(found))
        for row, record in zip(inside, await records_of(tx, child, workspace_id, inside), strict=True):
            found[tuple(row[c] for c in child.parents)].append(record)
        for row, record in zip(rows, records, strict=True):
            record[child.list_name] = found[tuple(row[c] for c in child.above)]
    for record in records:
        record |= {name: record.pop(name) for name in ("createdAt", "updatedAt") if name in record}
    return records


def _record(table: Table, row: Any) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for field in table.fields:
        value = row[field.column]
        shown = field.marker.show(value) if isinstance(field.marker, Converted) else show_value(value)
        if shown is not None or field.name != "key":
            record[field.name] = shown
    for field, links in table.links:
        found = queries.linked(field, links, row)
        record[field.name] = [{links.item: id, links.flag: flag} if links.flag else id for id, flag in found]
    return record


def show_value(value: Any) -> Any:
    """Returns a column's value as the file shows it."""
    if isinstance(value, datetime):
        return shown_moment(value)
    return value.hex() if isinstance(value, bytes) else value
