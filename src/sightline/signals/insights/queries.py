"""The SQL of insights."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.words import apart
from sightline.platform.errors import ValidationFailed
from sightline.platform.lists.large import ids_as_json, linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page, Versioned, versioned
from sightline.signals.insights.records import Insight, InsightFilters
from sightline.workspaces.changes import count_of


def _columns(ids: Callable[[str], str]) -> str:
    """Returns the fields of an Insight under their names, without similar ones, and the version."""
    return f"""
    id, title, description, category, extracts, review_state, merged_into AS merged_into_id, origin,
    external_id, {ids("signal_ids")}, {ids("account_ids")},
    CASE WHEN jsonb_typeof(extracts) = 'array' THEN jsonb_array_length(extracts) ELSE 0 END AS quote_count,
    account_count, ARRAY[]::uuid[] AS similar_insight_ids,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""


_INSIGHT, _LARGE_INSIGHT = _columns(str), _columns(ids_as_json)
SIZE = f"{stored_size('description', json=['extracts'])} + {linked_size('signal_ids', 'account_ids')}"
NAMED = "insights WHERE workspace_id = :workspace_id AND id = :id"
_ONE = SingleRecord.of(NAMED, _INSIGHT, SIZE, _LARGE_INSIGHT)
_LISTING = Listing(
    "insights",
    Insight,
    _INSIGHT,
    Order("insights.newest", "created_at", "id", UUID, is_descending=True),
    count_of("insight"),
    SIZE,
    large_columns=_LARGE_INSIGHT,
)
_BY_ACCOUNTS = replace(
    _LISTING, order=Order("insights.accounts", "account_count", "id", UUID, is_descending=True, has_cursor=False)
)

_OF_SIGNAL = {
    "id": "id IN (SELECT insight_id FROM insight_signals WHERE workspace_id = :workspace_id AND signal_id = :signal)",
    "number": """id IN (
        SELECT l.insight_id FROM insight_signals AS l JOIN signals AS s ON s.workspace_id = :workspace_id
           AND s.id = l.signal_id WHERE l.workspace_id = :workspace_id AND s.number = :signal)""",
}
_OF_IDEA = {
    "id": "id IN (SELECT insight_id FROM idea_insights WHERE workspace_id = :workspace_id AND idea_id = :idea)",
    "number": """id IN (
        SELECT l.insight_id FROM idea_insights AS l JOIN ideas AS i ON i.workspace_id = :workspace_id
           AND i.id = l.idea_id WHERE l.workspace_id = :workspace_id AND i.number = :idea)""",
}
_OF_ACCOUNT = """
    id IN (SELECT insight_id FROM insight_accounts WHERE workspace_id = :workspace_id AND account_id = :account_id)"""


async def find_insight(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool = False) -> Versioned[Insight]:
    """Returns the insight, without similar ones.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`.
    """
    row = await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, id=id)
    return versioned(Insight, row)


async def page_of_insights(tx: Tx, workspace_id: UUID, filters: InsightFilters, window: Window) -> Page[Insight]:
    """Returns a page, newest first; with `updated_since` the oldest change first. Raises ValidationFailed."""
    if filters.order is not None and filters.updated_since is not None:
        raise ValidationFailed.of("order", "Changes are listed in their own order: send it without updatedSince")
    listing = _LISTING if filters.order is None else _BY_ACCOUNTS
    return await read_list(tx, listing, _where(workspace_id, filters), window, filters.updated_since)


def _where(workspace_id: UUID, filters: InsightFilters) -> Where:
    where = Where(workspace_id).equals(category=filters.category)
    if (signal := filters.signal_id) is not None:
        where.add(_OF_SIGNAL[signal.column], signal=signal.value)
    if (idea := filters.idea_id) is not None:
        where.add(_OF_IDEA[idea.column], idea=idea.value)
    if filters.account_id is not None:
        where.add(_OF_ACCOUNT, account_id=filters.account_id)
    if filters.review_state:
        where.add("review_state = ANY(:review_states)", review_states=filters.review_state)
    if filters.q is not None:
        where.add(f"search @@ plainto_tsquery('simple', {apart(':q')})", q=filters.q)
    return where
