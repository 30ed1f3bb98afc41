"""What can be asked of studies. Specification: Study feedback."""

from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.db.feeds import Totals
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.wire import Page
from sightline.studies import feedback
from sightline.studies.records import Feedback, FeedbackFilters


@operation("GET", "/studies/feedback", scopes=[Scope.STUDIES_READ], paging=Paging(20, 100, cursor=True))
async def list_study_feedback(call: Call, query: FeedbackFilters, window: Window) -> Page[Feedback]:
    """Lists single ratings, the oldest first.

    To keep a copy, hold `submittedTo` fixed while you follow `Link` to the end, and begin there next time. What a
    rating is about never changes; the initiatives and ideas beside it are those its study is accepted for now.
    """
    async with call.db.read() as tx:
        return await feedback.list_feedback(tx, call.tool(Totals), call.actor, query, window)
