"""Reading study feedback."""

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.feeds import Totals
from sightline.platform.wire import Page
from sightline.studies import queries
from sightline.studies.records import Feedback, FeedbackFilters


async def list_feedback(
    tx: Tx, totals: Totals, actor: Actor, wanted: FeedbackFilters, window: Window
) -> Page[Feedback]:
    """Raises ValidationFailed when the window begins in another list."""
    found = await queries.page_of_feedback(tx, totals, actor.workspace_id, wanted, window)
    return Page([queries.as_feedback(row) for row in found.rows], found.total, window, found.after)
