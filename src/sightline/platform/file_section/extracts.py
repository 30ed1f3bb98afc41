"""Quotes with their signals: `[{text, signal}]` in the file, `[{text, signalId}]` in the database.

Both may have the place in the signal: turn, start, end, and speaker.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sightline.platform.file_section.tables import Converted, Find, Part, Reference

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


def _references(quotes: Sequence[dict[str, Any]]) -> Iterator[Reference]:
    for index, quote in enumerate(quotes):
        if quote.get("signal") is not None:
            yield Reference(f"[{index}].signal", "signals", quote["signal"], lenient=True)


def _place(quote: dict[str, Any]) -> dict[str, Any]:
    return {name: quote[name] for name in _PLACES if quote.get(name) is not None}


def _store(quotes: Sequence[dict[str, Any]], find: Find) -> list[dict[str, Any]]:
    ids = [None if (name := quote.get("signal")) is None else find("signals", name) for quote in quotes]
    return [
        {"text": quote["text"], "signalId": id and str(id), **_place(quote)}
        for quote, id in zip(quotes, ids, strict=True)
    ]


def _show(stored: Any) -> Any:
    quotes = stored and msgspec.json.decode(stored)
    return quotes and [{"text": one["text"], "signal": one.get("signalId"), **_place(one)} for one in quotes]


EXTRACTS = Converted(_references, _store, _show)
