"""Quotes with their signals: `[{text, signal}]` in the file, `[{text, signalId}]` in the database.

Both may have the place in the signal: turn, start, end, and speaker.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sightline.platform.file_section.tables import Converted, Find, Part

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
