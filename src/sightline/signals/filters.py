"""Which signals a filter finds, as ranges of the indexes that hold them in order."""

from itertools import product
from typing import NamedTuple, get_args
from uuid import UUID

from msgspec.structs import astuple

from sightline.platform.db import Tx, Where
from sightline.platform.db.feeds import Order, Selection, Stream
from sightline.platform.db.horizon import find_horizon
from sightline.platform.refs import Ref
from sightline.signals.records import SignalFilters, Status
from sightline.workspaces.changes import COUNT

NEWEST = Order("signals.newest", "created_at", "number", int, is_descending=True)
CHANGED = Order("signals.changed", "updated_at", "id", UUID)

# More ranges than these are not worth it: then one is read that holds other rows as well.
MOST_STREAMS = 48

# What signals_by_source_type_* hold: the others are found by their provider or facet.
_OWN_TYPE = "source_type <> provider_type AND source_type <> source_facet"

_LATEST = "(SELECT max(updated_at) FROM signals WHERE workspace_id = $1)"
_LINKED = "(SELECT *, signal_id AS id FROM linked_signals WHERE workspace_id = $1) AS linked"
_IS_LINKED = """EXISTS (
    SELECT FROM linked_signals AS other
     WHERE other.workspace_id = $1 AND other.kind = '{kind}' AND {any} AND other.signal_id = {signal_id})"""
_OF_SIGNAL = "EXISTS (SELECT FROM signals WHERE {conditions} AND signals.id = linked.id)"

_BY_NUMBER = {
    "initiative": "(SELECT id FROM initiatives WHERE workspace_id = $1 AND number = {})",
    "study": "(SELECT id FROM studies WHERE workspace_id = $1 AND number = {})",
}
_COUNT_LINKED = """
    (SELECT count({}) FROM linked_signals WHERE workspace_id = $1 AND kind = '{}' AND {})"""


class Link(NamedTuple):
    """A filter by linked records: a condition on its rows, and the records where these are several."""

    kind: str
    any: str
    records: tuple[UUID, ...] = ()

    def holds_for(self, signal_id: str) -> str:
        """The condition that a signal has such a link."""
        return _IS_LINKED.format(kind=self.kind, any=self.any, signal_id=signal_id)


async def select_signals(tx: Tx, workspace_id: UUID, wanted: SignalFilters) -> Selection:
    """The signals of a list, in its order. With `updated_since` only up to where no change can come any more."""
    where = Where(workspace_id)
    if wanted.external_id is not None:
        where.add("external_id = {}", wanted.external_id)
    if wanted.integration_id is not None:
        where.add("integration_id = {}", wanted.integration_id)
    order, times, unless = NEWEST, list[str](), "false"
    if wanted.updated_since is not None:
        since, horizon = where.value(wanted.updated_since), where.value(await find_horizon(tx))
        order, times = CHANGED, [f"updated_at >= {since}", f"updated_at <= {horizon}"]
        unless = f"{_LATEST} > {horizon}"
    links = _links(where, wanted)
    streams = _of_links(where, wanted, links, times) if links else _of_signals(where, wanted, times)
    return Selection(where, order, streams, _count(where, wanted, links, times), astuple(wanted), unless)


def _links(where: Where, wanted: SignalFilters) -> list[Link]:
    found = []
    accounts = tuple(dict.fromkeys(wanted.account_id))
    if len(accounts) == 1:
        found.append(Link("account", f"record_id = {where.value(accounts[0])}"))
    elif accounts:
        found.append(Link("account", f"record_id = ANY({where.value(list(accounts))})", accounts))
    for kind, ref in (("initiative", wanted.initiative_id), ("study", wanted.study_id)):
        if ref is not None:
            found.append(Link(kind, f"record_id = {_id_of(where, kind, ref)}"))
    return found


def _id_of(where: Where, kind: str, ref: Ref) -> str:
    value = where.value(ref.value)
    return value if ref.number is None else _BY_NUMBER[kind].format(value)


def _of_links(where: Where, wanted: SignalFilters, links: list[Link], times: list[str]) -> list[Stream]:
    """Ranges of linked_signals; whatever else is wanted is asked of each signal."""
    first, *others = links
    rest = _together(where, wanted)
    conditions = [f"kind = '{first.kind}'", *times, *(link.holds_for("linked.id") for link in others)]
    if len(rest) > 1:
        conditions.append(_OF_SIGNAL.format(conditions=" AND ".join(rest)))
    if not first.records or len(first.records) > MOST_STREAMS:
        return [Stream(_LINKED, (*conditions, first.any))]
    return [Stream(_LINKED, (*conditions, f"record_id = {where.value(id)}")) for id in first.records]


def _of_signals(where: Where, wanted: SignalFilters, times: list[str]) -> list[Stream]:
    """Ranges of the indexes of signals, each of one status where the index has the status in it."""
    statuses = _wanted_statuses(wanted)
    if not statuses and (wanted.source_type or wanted.integration_id):
        statuses = get_args(Status)
    if wanted.external_id is not None or 2 * len(wanted.source_type) * max(1, len(statuses)) > MOST_STREAMS:
        return [Stream("signals", (*_together(where, wanted), *times))]
    each_status = [f"status = {where.value(status)}" for status in statuses]
    sources = _each_source(where, wanted.source_type)
    ways = product(*(alternatives for alternatives in (each_status, sources) if alternatives))
    return [Stream("signals", (*where.conditions, *way, *times)) for way in ways]


def _wanted_statuses(wanted: SignalFilters) -> tuple[Status, ...]:
    """None at all when every status is wanted."""
    statuses = tuple(dict.fromkeys(wanted.status))
    return () if len(statuses) == len(get_args(Status)) else statuses


def _each_source(where: Where, source_types: tuple[str, ...]) -> list[str]:
    """A value with a colon may be a facet, one without a provider, and either a source type of its own."""
    found = []
    for text in dict.fromkeys(source_types):
        value = where.value(text)
        found.append(f"{'source_facet' if ':' in text else 'provider_type'} = {value}")
        found.append(f"source_type = {value} AND {_OWN_TYPE}")
    return found


def _together(where: Where, wanted: SignalFilters) -> list[str]:
    """All conditions on signals, without those on links; the first is the workspace's."""
    found = _with_statuses(where, wanted)
    if wanted.source_type:
        values = where.value(list(wanted.source_type))
        columns = ("provider_type", "source_facet", "source_type")
        found.append(f"({' OR '.join(f'{column} = ANY({values})' for column in columns)})")
    return found


def _with_statuses(where: Where, wanted: SignalFilters) -> list[str]:
    statuses = _wanted_statuses(wanted)
    return [*where.conditions, *([f"status = ANY({where.value(list(statuses))})"] if statuses else [])]


def _count(where: Where, wanted: SignalFilters, links: list[Link], times: list[str]) -> str:
    """How many there are, as an expression that indexes answer alone."""
    conditions = _with_statuses(where, wanted)[1:]
    if not (conditions or wanted.source_type) and len(links) == 1:
        return _count_linked(links[0], times)
    if not (conditions or wanted.source_type or links or times):
        return COUNT.format(kind="signal")
    counted = "(SELECT count(*) FROM signals WHERE workspace_id = $1 AND {})"
    conditions += [*times, *(link.holds_for("signals.id") for link in links)]
    ways = _disjoint_sources(where, wanted.source_type)
    return "(" + " + ".join(counted.format(" AND ".join((*conditions, *way))) for way in ways) + ")"


def _count_linked(link: Link, times: list[str]) -> str:
    counted = "DISTINCT signal_id" if link.records else "*"
    return _COUNT_LINKED.format(counted, link.kind, " AND ".join((link.any, *times)))


def _disjoint_sources(where: Where, source_types: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The same as _each_source(), but no signal twice."""
    if not source_types:
        return [()]
    values = where.value(list(source_types))
    of_provider, of_facet = f"provider_type = ANY({values})", f"source_facet = ANY({values})"
    ways = [(of_provider,), (f"source_type = ANY({values})", _OWN_TYPE, f"NOT {of_provider}", f"NOT {of_facet}")]
    return [*ways, (of_facet, f"NOT {of_provider}")] if any(":" in text for text in source_types) else ways
