"""The SQL of study feedback."""

from uuid import UUID

from sightline.platform.db import Tx, Window
from sightline.platform.lists.large import linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_selection
from sightline.platform.lists.totals import Totals
from sightline.platform.wire import Page
from sightline.studies.filters import select_feedback
from sightline.studies.records import Feedback, FeedbackFilters
from sightline.workspaces.changes import count_of

# Each rating with the current state of its study.
_RATINGS = """(
    SELECT f.workspace_id, f.id, f.rating, f.metric, f.subject_type, f.subject_id, f.comment, f.submitted_at, f.source,
           f.account_id, f.updated_at, s.id AS study_id, s.number, s.name, s.status, s.type, s.phase, s.app_path,
           s.initiative_ids, s.idea_ids
      FROM study_feedback AS f JOIN studies AS s ON s.workspace_id = :workspace_id AND s.id = f.study_id
     WHERE f.workspace_id = :workspace_id) AS feedback"""

# The fields of a Feedback under their names. A whole rating is shown as a whole number.
_FEEDBACK = """
    id, to_jsonb(rating) AS rating, metric, jsonb_build_object('type', subject_type, 'id', subject_id) AS subject,
    coalesce(comment, '') AS comment, iso(submitted_at) AS submitted_at, source, account_id,
    jsonb_build_object('id', study_id, 'publicId', 'STUDY-' || number, 'name', name, 'status', status, 'type', type,
                       'phase', phase, 'appPath', app_path) AS study,
    initiative_ids, idea_ids, iso(updated_at) AS updated_at"""
SUBMITTED = Order("feedback.submitted", "submitted_at", "id", UUID)
_LISTING = Listing(
    _RATINGS,
    Feedback,
    _FEEDBACK,
    SUBMITTED,
    count_of("study_feedback"),
    f"{stored_size('comment')} + {linked_size('initiative_ids', 'idea_ids')}",
    alias="feedback",
    versions="study_feedback",
)


async def page_of_feedback(
    tx: Tx, totals: Totals, workspace_id: UUID, filters: FeedbackFilters, window: Window
) -> Page[Feedback]:
    """Returns a page, oldest rating first; with `updated_since` the oldest change first. Raises ValidationFailed."""
    selection = await select_feedback(tx, _LISTING, workspace_id, filters)
    return await read_selection(tx, _LISTING, selection, window, totals)
