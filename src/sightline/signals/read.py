"""Reading signals: one, or a page of them."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Window
from sightline.platform.db.feeds import Totals
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals import queries
from sightline.signals.records import Include, Signal, SignalFilters

_Parts = dict[str, msgspec.Raw]
_PARTS = msgspec.json.Decoder(_Parts)


async def get_signal(tx: Tx, actor: Actor, ref: SignalRef, query: Include) -> Versioned[Signal]:
    """Returns the signal and its tag. Raises NotFound."""
    row = await queries.find_signal(tx, actor.workspace_id, ref, with_raw=bool(query.include))
    if not query.include:
        return versioned(row)
    return Versioned(_with_raw(row), tag_of(row, ".raw"))


async def list_signals(tx: Tx, totals: Totals, actor: Actor, filters: SignalFilters, window: Window) -> Page[Signal]:
    """Returns a page. Raises ValidationFailed if `after` belongs to another list."""
    shown = _with_raw if filters.include else queries.as_signal

    async def as_signals(tx: Tx, rows: Sequence[Row]) -> list[Signal]:
        return [shown(row) for row in rows]

    return await queries.page_of_signals(tx, totals, actor.workspace_id, filters, window, as_signals)


def versioned(row: Row) -> Versioned[Signal]:
    """Returns a signal without its raw data, with its tag."""
    return Versioned(queries.as_signal(row), tag_of(row))


def tag_of(row: Row, flag: str = "") -> str:
    """Returns the tag. It covers the account's external id too, which does not change the signal's version."""
    external_id: str | None = row["account_external_id"]
    account = "" if external_id is None else f".{crc32(external_id.encode()):x}"
    return version_tag(row["id"], row["version"], account + flag)


def decoded(stored: Any) -> Any:
    """Returns the value of a column, decoded if the column is JSON."""
    return msgspec.json.decode(stored) if isinstance(stored, msgspec.Raw) else stored


def _with_raw(row: Row) -> Signal:
    """Returns a signal with everything stored of its source in one object, joined without parsing."""
    signal = queries.as_signal(row)
    own: _Parts = {} if row["raw"] is None else _PARTS.decode(row["raw"])
    parts: dict[str, Any] = _PARTS.decode(row["data"]) | own
    if row["import_"] is not None:
        parts["import"] = row["import_"]
    transcript, summary = own.get("transcript"), decoded(row["transcript"])
    if transcript is not None and summary is not None and summary["durationSeconds"] is not None:
        with_duration = _with_duration(transcript, summary["durationSeconds"])
        parts["transcript"] = with_duration
    signal.raw_data = parts
    return signal


def _with_duration(transcript: msgspec.Raw, seconds: float) -> Any:
    try:
        return {"durationSeconds": seconds} | _PARTS.decode(transcript)
    except msgspec.ValidationError:  # under this name clients may have sent any value
        return transcript
