"""Large records: a page has the records that fit, and reads the others in bounded portions while it is sent.

Of a record that exceeds its share of 1 MiB a page reads only the id and the size; from the first such record on, the
page is read in portions of 256 KiB, as fast as the client takes them.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from sightline.platform.db.database import Database, Row, Tx
from sightline.platform.db.sql import Statement
from sightline.platform.unread import keep_unread, pieces_of

Shown = TypeVar("Shown")
AsRecords = Callable[[Tx, Sequence[Row]], Awaitable[list[Shown]]]

PAGE_BYTES = 1024 * 1024  # what the records of a page that are read at once may have together
PORTION_BYTES = 256 * 1024  # a record that is larger is a portion of its own
_ENCODER = msgspec.json.Encoder()
_MOST_COMPRESSED = 32 * 1024


def stored_size(*texts: str, json: Sequence[str] = ()) -> str:
    """Returns an expression for the bytes of columns of text, and of JSON before PostgreSQL compresses it.

    Reads no text, and JSON only if it has at most 32 KiB compressed: repetition has a hundredth of its size. A larger
    one counts more than a page, so that it is read alone.
    """
    sizes = [f"coalesce(octet_length({column}), 0)" for column in texts] + [
        f"coalesce(CASE WHEN pg_column_compression({column}) IS NULL THEN pg_column_size({column})"
        f" WHEN pg_column_size({column}) > {_MOST_COMPRESSED} THEN {PAGE_BYTES + 1}"
        f" ELSE pg_column_size({column} #> '{{}}') END, 0)"  # the path of the whole value, which decompresses it
        for column in json
    ]
    return " + ".join(sizes)


def linked_size(*columns: str, each: int = 40) -> str:
    """Returns an expression for the bytes of what arrays of ids show, where an id shows `each` bytes.

    An id is stored in 16 bytes, in 10 or more when compressed. Reads no arrays.
    """
    return f"({' + '.join(f'pg_column_size({column})' for column in columns)}) * {each // 10}"


def ids_as_json(column: str) -> str:
    """Returns an expression for the JSON of a column with ids: 80,000 of them as objects take 0.25 s."""
    return f"array_to_json({column}) AS {column}"


@dataclass(slots=True)
class LargeRecords(Generic[Shown]):
    """The records of a page from the first large one on: their ids in portions, and how a portion is read."""

    portions: list[list[UUID]]
    statement: Statement
    values: dict[str, Any]
    as_records: AsRecords[Shown]
    complete: Callable[[list[Shown]], Awaitable[None]] | None = None  # what takes long, without a connection

    def __len__(self) -> int:
        return sum(map(len, self.portions))

    async def pieces(self, first: list[Shown], db: Database) -> AsyncGenerator[bytes, None]:
        """Yields the JSON array of the `first` records and these, in pieces of at most 64 KiB.

        Between two pieces it holds the rest of one portion, as text, and no connection. A portion of one record may
        be of any size, so one is read at a time.
        """
        before = b"["
        for ids in ([], *self.portions):
            async with db.large_read() if len(ids) == 1 else nullcontext():
                records = await self._read(ids, db) if ids else first
                is_empty = not records  # if the first record is large, or all of a portion were deleted meanwhile
                unread = pieces_of(await keep_unread(memoryview(_ENCODER.encode(records))[1:-1]))
                records.clear()  # a client that does not read leaves them waiting
            async with aclosing(unread):  # at once when the client is gone: its task stays in memory for long
                if not is_empty:
                    yield before
                    before = b","
                async for piece in unread:
                    yield piece
        yield b"]" if before == b"," else b"[]"

    async def _read(self, ids: list[UUID], db: Database) -> list[Shown]:
        async with db.autocommit() as tx:
            records = await self.as_records(tx, await tx.rows(self.statement, ids=ids, **self.values))
        if self.complete:
            await self.complete(records)
        return records


def split(rows: list[Row], limit: int) -> tuple[list[Row], list[list[UUID]]]:
    """Returns the rows before the first large record, and the ids of that and all later records in portions."""
    before = next((n for n, row in enumerate(rows) if row["large_id"] is not None), len(rows))
    portions: list[list[UUID]] = []
    room = 0
    for row in rows[before:]:
        size = row["bytes"] or PAGE_BYTES // limit
        if size > room:
            portions.append([])
            room = PORTION_BYTES
        portions[-1].append(row["large_id"] or row["id"])
        room -= size
    return rows[:before], portions
