"""Reading signals: one, or a page of them."""

from typing import Any
from uuid import UUID
from zlib import crc32

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.db.feeds import Totals
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals import queries
from sightline.signals.records import Include, Signal, SignalFilters


async def get_signal(tx: Tx, actor: Actor, ref: SignalRef, wanted: Include) -> Versioned[Signal]:
    """Raises NotFound."""
    row = await queries.find_signal(tx, actor.workspace_id, ref)
    if not wanted.include:
        return versioned(row)
    signal = queries.as_signal(row)
    await _add_raw(tx, actor.workspace_id, [signal])
    return Versioned(signal, _tag(row, signal, ".raw"))


async def list_signals(tx: Tx, totals: Totals, actor: Actor, wanted: SignalFilters, window: Window) -> Page[Signal]:
    """Raises ValidationFailed when the window begins in another list."""
    found = await queries.page_of_signals(tx, totals, actor.workspace_id, wanted, window)
    page = Page([queries.as_signal(row) for row in found.rows], found.total, window, found.after)
    if wanted.include:
        await _add_raw(tx, actor.workspace_id, page.items)
    return page


def versioned(row: Row) -> Versioned[Signal]:
    """A signal from the columns of queries.SIGNAL, with its tag."""
    signal = queries.as_signal(row)
    return Versioned(signal, _tag(row, signal))


def decoded(stored: Any) -> Any:
    """What stands in a column, also in one of JSON."""
    return msgspec.json.decode(stored) if isinstance(stored, msgspec.Raw) else stored


def _tag(row: Row, signal: Signal, flag: str = "") -> str:
    """The account's external id is shown, but moves no version of the signal's: so it has a part in the tag."""
    account = "" if signal.account_external_id is None else f".{crc32(signal.account_external_id.encode()):x}"
    return version_tag(signal.id, queries.version_of(row), account + flag)


async def _add_raw(tx: Tx, workspace_id: UUID, signals: list[Signal]) -> None:
    """The stored content goes out unparsed, unless the provider's answer at import, kept apart, has to join it."""
    stored = await queries.find_raw(tx, workspace_id, [signal.id for signal in signals])
    for signal in signals:
        raw = stored.get(signal.id, msgspec.Raw(b"{}"))
        signal.raw_data = raw if signal.import_ is None else _with_import(raw, signal.import_)


def _with_import(raw: msgspec.Raw, answer: Any) -> dict[str, Any]:
    parts: dict[str, msgspec.Raw] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    return {"import": answer} | parts
