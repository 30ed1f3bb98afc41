"""Reading study feedback."""

from functools import partial
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.feeds import Totals
from sightline.platform.wire import Page
from sightline.studies import queries
from sightline.studies.records import Feedback, FeedbackFilters


async def list_feedback(
    tx: Tx, totals: Totals, actor: Actor, filters: FeedbackFilters, window: Window
) -> Page[Feedback]:
    """Returns a page. Raises ValidationFailed if `after` belongs to another list."""
    found = await queries.page_of_feedback(tx, totals, actor.workspace_id, filters, window)
    items = [queries.as_feedback(row) for row in found.rows]
    return Page(items, found.total, window, found.after, found.rest, partial(_read_more, actor.workspace_id))


async def _read_more(workspace_id: UUID, tx: Tx, ids: list[UUID]) -> list[Feedback]:
    return [queries.as_feedback(row) for row in await queries.find_feedback(tx, workspace_id, ids)]
