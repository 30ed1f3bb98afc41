"""Quotes with their signals: `[{text, signal}]` in the file, `[{text, signalId}]` in the database.

Both may have the place in the signal: turn, start, end, and speaker.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import Converted, Find, Part

Place = Annotated[int, Meta(ge=0)]
_PLACES = ("turn", "start", "end", "speaker")


class Extract(Part):
    """A quote from a signal."""

    text: str
    signal: str | None = None
    turn: Place | None = None
    start: Place | None = None
    end: Place | None = None
    speaker: str | None = None


def _store(quotes: Sequence[dict[str, Any]], find: Find) -> list[dict[str, Any]]:
    return [_stored(quote, index, find) for index, quote in enumerate(quotes)]


def _stored(quote: dict[str, Any], index: int, find: Find) -> dict[str, Any]:
    name = quote.get("signal")
    id = None if name is None else find("signals", name, f"[{index}].signal", lenient=True)
    return {"text": quote["text"], "signalId": id and str(id), **_place(quote)}


def _place(quote: dict[str, Any]) -> dict[str, Any]:
    return {name: quote[name] for name in _PLACES if quote.get(name) is not None}


def _show(stored: Any) -> Any:
    quotes = stored and msgspec.json.decode(stored)
    return quotes and [{"text": one["text"], "signal": one.get("signalId"), **_place(one)} for one in quotes]


EXTRACTS = Converted(_store, _show)


_HOLD = sql("SELECT id::text FROM signals WHERE workspace_id = :workspace_id AND id = ANY(:ids) FOR KEY SHARE")


async def hold_quoted(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Keeps the signals of new quotes until the transaction ends. Refuses quotes of a signal that was deleted."""
    yield
    ids = {
        id: (entry, n)
        for entry in sound(entries)
        if entry.is_new or "extracts" in entry.changed
        for n, quote in enumerate(entry.row["extracts"] or ())
        if (id := quote["signalId"])
    }
    rows = await run.tx.rows(_HOLD, workspace_id=run.workspace_id, ids=list(ids)) if ids else []
    for id in ids.keys() - {row["id"] for row in rows}:
        entry, n = ids[id]
        run.refuse(entry, f"extracts[{n}].signal", f"There is no signal {id}")
