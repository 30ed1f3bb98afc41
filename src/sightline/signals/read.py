"""Reading signals: one, or a page of them."""

from collections.abc import Sequence
from zlib import crc32

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Window
from sightline.platform.lists.totals import Totals
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.signals import queries
from sightline.signals.raw_data import with_raw_data
from sightline.signals.records import Include, Signal, SignalFilters


async def get_signal(tx: Tx, actor: Actor, ref: SignalRef, query: Include, *, at_once: bool) -> Versioned[Signal]:
    """Returns the signal and its tag. Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    with_raw = bool(query.include)
    row = await queries.find_signal(tx, actor.workspace_id, ref, with_raw=with_raw, at_once=at_once)
    if not query.include:
        return versioned(row)
    return Versioned(with_raw_data(row), tag_of(row, ".raw"))


async def list_signals(tx: Tx, totals: Totals, actor: Actor, filters: SignalFilters, window: Window) -> Page[Signal]:
    """Returns a page. Raises ValidationFailed if `after` belongs to another list."""
    shown = with_raw_data if filters.include else queries.as_signal

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
