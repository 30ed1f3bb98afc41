"""Turns filters of signals into ranges of the indexes that are in the order of the list."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple, get_args
from uuid import UUID

from sightline.platform.db import Tx, Where
from sightline.platform.lists.listing import Listing, Selection, changed_since
from sightline.platform.refs import Ref
from sightline.signals.records import SignalFilters, SignalStatus

# Instead of more ranges than this, one larger range is read, and its other rows are filtered out.
MOST_RANGES = 48

# The condition of the indexes signals_by_source_type_*: other signals are found by provider or facet.
_OWN_TYPE = "source_type <> provider_type AND source_type <> source_facet"

_LINKED = "(SELECT *, signal_id AS id FROM linked_signals WHERE workspace_id = :workspace_id) AS linked"
_OF_RECORD = "kind = each.kind AND record_id = each.record_id"


class Link(NamedTuple):
    """A filter by linked records: a query for their kind and id, and the same as a condition on a row of signals."""

    records: str
    on_signal: str

    def ids(self, times: list[str]) -> str:
        """Returns a query for the signals, from indexes alone."""
        conditions = " AND ".join((_OF_RECORD, *times))
        return f"""
    SELECT DISTINCT part.id FROM ({self.records}) AS each CROSS JOIN LATERAL (
        SELECT signal_id AS id FROM linked_signals WHERE workspace_id = :workspace_id AND {conditions}) AS part"""


async def select_signals(tx: Tx, listing: Listing, workspace_id: UUID, filters: SignalFilters) -> Selection:
    """Selects the signals of a list, in its order; with `updated_since` up to the horizon of open writes."""
    where = Where(workspace_id).equals(external_id=filters.external_id, integration_id=filters.integration_id)
    order, times = listing.order, list[str]()
    if filters.updated_since is not None:
        order = listing.changed
        times = await changed_since(tx, where, order.moment, filters.updated_since)
    links = _links(where, filters)
    count = _count(where, filters, links, times) or listing.count
    if links:
        first, *others = links
        range_ = _range_of_links(where, filters, others, times)
        return Selection(where, order, _LINKED, [range_], count, first.records)
    return Selection(where, order, "signals", _ranges_of_signals(where, filters, times), count)


def _links(where: Where, filters: SignalFilters) -> list[Link]:
    found = []
    if filters.account_id:
        found.append(_link_of_accounts(where.value("account_ids", list(dict.fromkeys(filters.account_id)))))
    for kind, table, ref in (
        ("initiative", "initiatives", filters.initiative_id),
        ("study", "studies", filters.study_id),
    ):
        if ref is not None:
            id = _id_of(where, table, ref)
            found.append(Link(f"SELECT '{kind}' AS kind, {id} AS record_id", f"{id} = ANY({kind}_ids)"))
    return found


def _link_of_accounts(ids: str) -> Link:
    """Returns the filter by accounts: the signal, or one of its insights, is linked with one of them.

    Links of signals with accounts through insights are not stored: an insight may have most of both.
    """
    records = f"""
    SELECT 'account' AS kind, unnest({ids}::uuid[]) AS record_id
     UNION
    SELECT 'insight', insight_id FROM insight_accounts
     WHERE workspace_id = :workspace_id AND account_id = ANY({ids}::uuid[])"""
    return Link(records, _is_linked(records))


def _is_linked(records: str) -> str:
    return f"""EXISTS (
    SELECT FROM linked_signals AS other
     WHERE other.workspace_id = :workspace_id AND other.signal_id = signals.id
       AND (other.kind, other.record_id) IN ({records}))"""


def _id_of(where: Where, table: str, ref: Ref) -> str:
    value = where.value(table, ref.value)
    if ref.number is None:
        return f"{value}::uuid"
    return f"(SELECT id FROM {table} WHERE workspace_id = :workspace_id AND number = {value})"


def _range_of_links(where: Where, filters: SignalFilters, others: list[Link], times: list[str]) -> str:
    """Returns the range of linked_signals of each record. The other filters are checked for each signal."""
    conditions = [_OF_RECORD, *times]
    if rest := [*_together(where, filters), *(link.on_signal for link in others)]:
        rest.append("signals.id = linked.id")
        conditions.append(f"EXISTS (SELECT FROM signals WHERE workspace_id = :workspace_id AND {' AND '.join(rest)})")
    return " AND ".join(conditions)


def _ranges_of_signals(where: Where, filters: SignalFilters, times: list[str]) -> list[str]:
    """Returns ranges of the indexes of signals, each of one status if the index has the status."""
    statuses = _statuses(filters)
    if not statuses and (filters.source_type or filters.integration_id):
        statuses = get_args(SignalStatus)
    if filters.external_id is not None or 2 * len(filters.source_type) * max(1, len(statuses)) > MOST_RANGES:
        return [" AND ".join(("workspace_id = :workspace_id", *_together(where, filters), *times))]
    each_status = [f"status = {where.value('status', status)}" for status in statuses]
    sources = _each_source(where, filters.source_type)
    ways = product(*(alternatives for alternatives in (each_status, sources) if alternatives))
    return [" AND ".join((*where.conditions, *way, *times)) for way in ways]


def _statuses(filters: SignalFilters) -> tuple[SignalStatus, ...]:
    """Returns the statuses to find; none if all statuses match."""
    statuses = tuple(dict.fromkeys(filters.status))
    return () if len(statuses) == len(get_args(SignalStatus)) else statuses


def _each_source(where: Where, source_types: tuple[str, ...]) -> list[str]:
    """Returns the conditions of each value: with a colon it may be a facet, without one a provider, or a source type.

    Facets come first, so that filters of as many values share one statement.
    """
    found = []
    for text in sorted(set(source_types), key=lambda text: (":" not in text, text)):
        value = where.value("source", text)
        found.append(f"{'source_facet' if ':' in text else 'provider_type'} = {value}")
        found.append(f"source_type = {value} AND {_OWN_TYPE}")
    return found


def _together(where: Where, filters: SignalFilters) -> list[str]:
    """Returns all conditions on signals, without the workspace, the times and the links."""
    found = _with_statuses(where, filters)
    if filters.source_type:
        values = where.value("sources", list(filters.source_type))
        columns = ("provider_type", "source_facet", "source_type")
        found.append(f"({' OR '.join(f'{column} = ANY({values})' for column in columns)})")
    return found


def _with_statuses(where: Where, filters: SignalFilters) -> list[str]:
    statuses = _statuses(filters)
    any_of = [f"status = ANY({where.value('statuses', list(statuses))})"] if statuses else []
    return [*where.conditions[1:], *any_of]


def _count(where: Where, filters: SignalFilters, links: list[Link], times: list[str]) -> str:
    """Returns an expression that counts the signals and needs only indexes; an empty one if nothing is filtered."""
    conditions = _with_statuses(where, filters)
    if not (conditions or filters.source_type):
        if links:
            rows = " INTERSECT ".join(link.ids(times) for link in links)
            return f"(SELECT count(*) FROM ({rows}) AS linked)"
        if not times:
            return ""
    conditions += [*times, *(_is_linked(link.records) for link in links)]
    ways = _disjoint_sources(where, filters.source_type)
    return " + ".join(_count_signals((*conditions, *way)) for way in ways)


def _count_signals(conditions: Iterable[str]) -> str:
    return f"(SELECT count(*) FROM signals WHERE workspace_id = :workspace_id AND {' AND '.join(conditions)})"


def _disjoint_sources(where: Where, source_types: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Returns conditions like _each_source(), but no signal matches two of them."""
    if not source_types:
        return [()]
    values = where.value("sources", list(source_types))
    of_provider, of_facet = f"provider_type = ANY({values})", f"source_facet = ANY({values})"
    ways = [(of_provider,), (f"source_type = ANY({values})", _OWN_TYPE, f"NOT {of_provider}", f"NOT {of_facet}")]
    return [*ways, (of_facet, f"NOT {of_provider}")] if any(":" in text for text in source_types) else ways
