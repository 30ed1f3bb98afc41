"""Finding saved research. Specification: GET /research."""

from typing import Any

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.wire import Listed, Page
from sightline.research.briefs import queries
from sightline.research.briefs.records import BriefFilters, BriefList, Pagination


async def list_briefs(tx: Tx, actor: Actor, filters: BriefFilters, window: Window) -> Listed[BriefList]:
    """The newest first."""
    page = await queries.page_of_briefs(tx, actor.workspace_id, filters.q, window)
    return Listed(BriefList(page.items, pagination_of(page)), window, page.has_more)


def pagination_of(page: Page[Any]) -> Pagination:
    return Pagination(page.total, page.window.limit, page.window.offset, page.has_more)
