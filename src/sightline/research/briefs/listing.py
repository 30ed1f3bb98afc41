"""Finding saved research. Specification: GET /research."""

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.wire import Listed
from sightline.research.briefs import queries
from sightline.research.briefs.records import BriefFilters, BriefList, Pagination


async def list_briefs(tx: Tx, actor: Actor, filters: BriefFilters, window: Window) -> Listed[BriefList]:
    """The newest first."""
    items, total = await queries.page_of_briefs(tx, actor.workspace_id, filters.q, window)
    pagination = pagination_of(window, len(items), total)
    return Listed(BriefList(items, pagination), window, pagination.has_more)


def pagination_of(window: Window, length: int, total: int) -> Pagination:
    has_more = length > 0 and window.offset + length < total
    return Pagination(total, window.limit, window.offset, has_more)
