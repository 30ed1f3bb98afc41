"""The routes of studies. Specification: Study feedback."""

from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.lists.totals import Totals
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page
from sightline.studies import queries
from sightline.studies.records import Feedback, FeedbackFilters


@operation("GET", "/studies/feedback", scopes=[Scope.STUDIES_READ], paging=Paging(20, 100, cursor=True))
async def list_study_feedback(call: Call, query: FeedbackFilters, window: Window) -> Page[Feedback]:
    """Lists single ratings, the oldest first.

    To keep a copy, list with `updatedSince` and follow `Link` to the end. Next time start at the latest `updatedAt` you
    received: ratings that arrive late come then. With `submittedTo` fixed you walk through a closed window. The subject
    of a rating never changes. Its study, and the initiatives and ideas that the study is accepted for, are shown as
    they are now; their changes move no `updatedAt`.
    """
    async with call.db.autocommit() as tx:
        return await queries.page_of_feedback(tx, call.tools[Totals], call.actor.workspace_id, query, window)
