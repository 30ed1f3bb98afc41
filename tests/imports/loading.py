"""What tests of imports share: files of lines, and what is looked at afterwards."""

import asyncio
import csv
from collections.abc import Iterable, Sequence
from io import BufferedReader, BytesIO, RawIOBase, StringIO
from typing import Any, cast
from uuid import UUID

import msgspec

from sightline.imports import Import, Imported, ListReader
from sightline.platform.db import Database
from tests.workspace_file.files import apply, new_slug, rows_of, small

THEN = "2026-03-01T09:00:00.000Z"
SUBJECT = {"type": "product", "id": "app"}
# A record of each kind that is known by its externalId alone.
RECORDS: dict[str, dict[str, Any]] = {
    "ideas": {"externalId": "x1", "name": "An idea", "description": "What it is about"},
    "accounts": {"externalId": "x1", "name": "Globex"},
    "insights": {"externalId": "x1", "title": "It is slow"},
    "feedback": {
        "externalId": "x1",
        "study": "talks",
        "rating": 8,
        "metric": "satisfaction",
        "subject": SUBJECT,
        "submittedAt": THEN,
    },
    "signals": {"externalId": "x1", "name": "A call"},
}
CHANGES: dict[str, dict[str, Any]] = {
    "ideas": {"name": "Another"},
    "accounts": {"domain": "globex.test"},
    "insights": {"category": "problem"},
    "feedback": {"rating": 2},
    "signals": {"context": "sales"},
}
NAMES = {"ideas": "ideas", "accounts": "accounts", "insights": "insights", "signals": "signals"} | {
    "feedback": "study_feedback"
}
KINDS = tuple(RECORDS)


def opened(data: bytes) -> BufferedReader:
    return BufferedReader(cast(RawIOBase, BytesIO(data)))


def json_lines(records: Iterable[Any]) -> bytes:
    """Texts stand as they are."""
    return b"\n".join(one if isinstance(one, bytes) else msgspec.json.encode(one) for one in records)


def csv_lines(head: Sequence[str], *rows: Sequence[str]) -> bytes:
    out = StringIO()
    csv.writer(out).writerows([head, *rows])
    return out.getvalue().encode()


async def base(database: Database, **lists: Any) -> str:
    """The slug of a workspace with something to refer to."""
    slug = new_slug()
    have: dict[str, Any] = {
        "members": [{"key": "ada", "email": "ada@acme.test", "role": "owner"}],
        "products": [{"key": "app", "name": "App", "features": [{"key": "csv", "name": "CSV"}]}],
        "accounts": [{"key": "initech", "externalId": "crm-7", "name": "Initech"}],
        "studies": [{"key": "talks", "name": "Talks"}],
    }
    await apply(database, small(slug, **(have | lists)))
    return slug


async def load(database: Database, slug: str, kind: str, lines: Any, **how: Any) -> Imported:
    """Imports lines: bytes, or records that become JSON Lines."""
    data = lines if isinstance(lines, bytes) else json_lines(lines)
    importing = Import(database, slug, ListReader(kind, opened(data), **how), actor_id="tests")
    return await importing.run(asyncio.Event())


def counts(done: Imported) -> tuple[int, int, int, int]:
    """Added, changed, unchanged, faulty."""
    assert done.lines == done.added + done.changed + done.unchanged + done.faulty + done.left_out + done.merged
    return done.added, done.changed, done.unchanged, done.faulty


def faults(done: Imported) -> dict[tuple[int, str], str]:
    return {(fault.line, fault.path): fault.message for fault in done.faults}


async def workspace_id(database: Database, slug: str) -> UUID:
    async with database.autocommit() as tx:
        found: UUID = await tx.connection.fetchval("SELECT id FROM workspaces WHERE slug = $1", slug)
    return found


async def every_row(database: Database, slug: str) -> dict[str, list[str]]:
    """Every row of a workspace with the transaction that wrote it last."""
    return await rows_of(database, await workspace_id(database, slug))


async def stored(database: Database, slug: str, kind: str) -> int:
    """How many records of the kind there are."""
    statement = f"SELECT count(*) FROM {NAMES[kind]} WHERE workspace_id = $1"  # noqa: S608
    found: int = await look(database, slug, statement)
    return found


async def look(database: Database, slug: str, statement: str) -> Any:
    """The single value that a statement about the workspace $1 gives."""
    async with database.autocommit() as tx:
        return await tx.connection.fetchval(statement, await workspace_id(database, slug))
