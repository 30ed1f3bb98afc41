"""The SQL of signals."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Window, sql
from sightline.platform.db.sql import columns, values
from sightline.platform.lists.large import AsRecords, ids_as_json, linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_selection
from sightline.platform.lists.single import SingleRecord
from sightline.platform.lists.totals import Totals
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page
from sightline.signals.filters import select_signals
from sightline.signals.records import CreatedSignal, Signal, SignalFilters
from sightline.workspaces.changes import add_changes, change_by, count_of, count_rows, slot

_OF_SIGNAL = "FROM signal_raw WHERE signal_raw.workspace_id = :workspace_id AND signal_raw.signal_id = signals.id"


def _columns(ids: Callable[[str], str], *, with_raw: bool) -> str:
    """Returns the fields of a Signal under their names, without `raw_data`; the version; the latest job; `raw`."""
    return f"""
    id, 'SIGNAL-' || number AS public_id, name, workspace_id, status, context, signal_type, processor_type,
    provider_type, evidence_kind, analysis_profile,
    jsonb_build_object('providerType', provider_type, 'evidenceKind', evidence_kind,
                       'analysisProfile', analysis_profile) AS provenance,
    source_facet, source_label, source_links,
    jsonb_build_object('type', source_type, 'external_data', external_data) AS source,
    data, transcript, import AS import_,
    {ids("insight_ids")}, {ids("account_ids")}, {ids("initiative_ids")}, {ids("study_ids")}, account_id,
    (SELECT a.external_id FROM accounts AS a
      WHERE a.workspace_id = :workspace_id AND a.id = signals.account_id) AS account_external_id,
    external_id, iso(created_at) AS created_at, iso(updated_at) AS updated_at, version, processing_id
    {f", (SELECT raw {_OF_SIGNAL}) AS raw" if with_raw else ""}"""


_FIELDS = itemgetter(*(name for name in Signal.__struct_fields__ if name != "raw_data"))

_SIZE = f"""
    {stored_size(json=["external_data", "source_links", "data", "transcript", "import"])}
    + {linked_size("insight_ids", "account_ids", "initiative_ids", "study_ids")}"""
_RAW_SIZE = f"coalesce((SELECT {stored_size(json=['raw'])} {_OF_SIGNAL}), 0)"

# Keyed by whether the raw data is included.
_COLUMNS = {with_raw: _columns(str, with_raw=with_raw) for with_raw in (False, True)}
_LARGE_COLUMNS = {with_raw: _columns(ids_as_json, with_raw=with_raw) for with_raw in (False, True)}
NEWEST = Order("signals.newest", "created_at", "number", int, is_descending=True)
_SIZES = {False: _SIZE, True: f"{_SIZE} + {_RAW_SIZE}"}
_LISTING = {
    with_raw: Listing(
        "signals",
        Signal,
        columns,
        NEWEST,
        count_of("signal"),
        _SIZES[with_raw],
        versions="signals",
        large_columns=_LARGE_COLUMNS[with_raw],
    )
    for with_raw, columns in _COLUMNS.items()
}
_ONE = {
    with_raw: SingleRecord.by_reference("signals", columns, _SIZES[with_raw], _LARGE_COLUMNS[with_raw])
    for with_raw, columns in _COLUMNS.items()
}


def decoded(stored: Any) -> Any:
    """Returns the value of a column, decoded if the column is JSON."""
    return msgspec.json.decode(stored) if isinstance(stored, msgspec.Raw) else stored


def as_signal(row: Row) -> Signal:
    """Returns a signal without its raw data."""
    return Signal(*_FIELDS(row))


def as_created_signal(row: Row, job_id: UUID | None) -> CreatedSignal:
    """Returns a signal with its job."""
    return CreatedSignal(*(*_FIELDS(row), UNSET, job_id))


async def find_signal(
    tx: Tx, workspace_id: UUID, ref: SignalRef, *, with_raw: bool = False, at_once: bool = False
) -> Row:
    """Returns the columns of a signal, on request with the column `raw`.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`.
    """
    find = _ONE[with_raw][ref.column].find
    return await find(tx, at_once=at_once, workspace_id=workspace_id, ref=ref.value)


async def page_of_signals(
    tx: Tx, totals: Totals, workspace_id: UUID, filters: SignalFilters, window: Window, as_signals: AsRecords[Signal]
) -> Page[Signal]:
    """Returns a page, newest first; with `updated_since` the oldest change first. Raises ValidationFailed."""
    listing = _LISTING[bool(filters.include)]
    selection = await select_signals(tx, listing, workspace_id, filters)
    return await read_selection(tx, listing, selection, window, totals, as_signals)


# The columns that a write compares and changes, under their own names.
_STORED = """
    id, 'SIGNAL-' || number AS public_id, name, status, context, signal_type, processor_type, provider_type,
    evidence_kind, analysis_profile, source_label, source_type, external_data, source_links, data, transcript, import,
    integration_id, account_id, created_at, updated_at, processing_id, version,
    (SELECT a.external_id FROM accounts AS a
      WHERE a.workspace_id = :workspace_id AND a.id = signals.account_id) AS account_external_id"""
_LOCK = SingleRecord.by_reference("signals", _STORED, _SIZE, lock="FOR UPDATE OF signals")
LOCK_KNOWN = sql(f"""
SELECT {_STORED} FROM signals
 WHERE workspace_id = :workspace_id AND source_key = :source_key AND external_id = :external_id FOR UPDATE""")
_IS_KNOWN = sql("""
SELECT EXISTS (SELECT FROM signals
                WHERE workspace_id = :workspace_id AND source_key = :source_key AND external_id = :external_id)""")
_FIND_RAW = sql("SELECT raw FROM signal_raw WHERE workspace_id = :workspace_id AND signal_id = :signal_id")
SAVE_RAW = sql("""
INSERT INTO signal_raw (workspace_id, signal_id, raw) VALUES (:workspace_id, :signal_id, :raw)
ON CONFLICT (workspace_id, signal_id) DO UPDATE SET raw = excluded.raw""")

_NEW = columns(
    "id, number, name, status, context, signal_type, processor_type, provider_type, evidence_kind, analysis_profile, "
    "source_label, source_type, external_data, source_links, data, transcript, import, integration_id, source_key, "
    "external_id, account_id, process_after, processing_id, created_at"
)
_ADD = sql(
    """
WITH added AS (
    INSERT INTO signals (workspace_id, {columns}, updated_at) VALUES (:workspace_id, {values}, :now)
    ON CONFLICT DO NOTHING
    RETURNING id, 'SIGNAL-' || number AS public_id),
logged AS ({change}),
counted AS ({count})
SELECT id FROM added""",
    columns=", ".join(_NEW),
    values=values(_NEW),
    change=add_changes("signal", "created", "added"),
    count=count_rows("signal", 1, "added"),
)

_FIND_NAMED = sql("""
SELECT EXISTS (SELECT FROM integrations WHERE workspace_id = :workspace_id AND id = :integration_id) AS has_integration,
       ARRAY(SELECT unnest(:account_ids::uuid[]) EXCEPT
             SELECT id FROM accounts WHERE workspace_id = :workspace_id AND id = ANY(:account_ids)
       ) AS unknown_accounts""")
_ADD_ACCOUNTS = sql("""
INSERT INTO signal_accounts (workspace_id, signal_id, account_id)
SELECT :workspace_id, :signal_id, link.id FROM unnest(:account_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING""")
REMOVE_OTHER_ACCOUNTS = sql("""
DELETE FROM signal_accounts
 WHERE workspace_id = :workspace_id AND signal_id = :signal_id AND account_id <> ALL(:account_ids)
RETURNING account_id""")
REMOVE_SIGNAL = sql("DELETE FROM signals WHERE workspace_id = :workspace_id AND id = :id")


async def lock_signal(tx: Tx, workspace_id: UUID, ref: SignalRef, *, at_once: bool = False) -> Row:
    """Returns the columns that a write compares with.

    Raises NotFound, and LargeRecord for a large one that is changed `at_once`.
    """
    return await _LOCK[ref.column].find(tx, at_once=at_once, workspace_id=workspace_id, ref=ref.value)


async def is_known(tx: Tx, workspace_id: UUID, source_key: str | None, external_id: str | None) -> bool:
    """Whether a signal has this identity."""
    return bool(await tx.value(_IS_KNOWN, workspace_id=workspace_id, source_key=source_key, external_id=external_id))


async def find_raw(tx: Tx, workspace_id: UUID, id: UUID) -> dict[str, Any] | None:
    """Returns the stored content, or None if the signal has none."""
    stored = await tx.value(_FIND_RAW, workspace_id=workspace_id, signal_id=id)
    return None if stored is None else msgspec.json.decode(stored)


async def save_raw(tx: Tx, workspace_id: UUID, id: UUID, raw: Mapping[str, Any]) -> None:
    """Stores the content; replaces the previous one."""
    await tx.run(SAVE_RAW, workspace_id=workspace_id, signal_id=id, raw=raw)


async def find_named(tx: Tx, workspace_id: UUID, integration_id: UUID | None, accounts: Sequence[UUID]) -> Row:
    """Returns `has_integration`, and `unknown_accounts`, which the workspace does not have."""
    return await tx.one(_FIND_NAMED, workspace_id=workspace_id, integration_id=integration_id, account_ids=accounts)


async def add_signal(tx: Tx, actor: Actor, columns: Mapping[str, Any], created_at: datetime) -> UUID | None:
    """Adds the signal, its change and its count. Returns None if another request took its identity."""
    id: UUID | None = await tx.value(_ADD, **change_by(actor), **columns, slot=slot(tx), created_at=created_at)
    return id


async def add_accounts(tx: Tx, workspace_id: UUID, id: UUID, accounts: Sequence[UUID]) -> int:
    """Links the accounts in this order. Returns how many links are new."""
    if not accounts:
        return 0
    return await tx.run(_ADD_ACCOUNTS, workspace_id=workspace_id, signal_id=id, account_ids=accounts)
