"""The SQL of study feedback."""

from uuid import UUID

from sightline.platform.db import Position, Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.db.feeds import Feed, FeedPage, Order, Totals, read_feed
from sightline.studies.filters import select_feedback
from sightline.studies.records import Feedback, FeedbackFilters, FeedbackStudy, FeedbackSubject

# Each rating with its study as it is now.
_RATINGS = """(
    SELECT f.workspace_id, f.id, f.rating, f.metric, f.subject_type, f.subject_id, f.comment, f.submitted_at, f.source,
           f.account_id, s.id AS study_id, s.number, s.name, s.status, s.type, s.phase, s.app_path, s.initiative_ids,
           s.idea_ids
      FROM study_feedback AS f JOIN studies AS s ON s.workspace_id = f.workspace_id AND s.id = f.study_id
     WHERE f.workspace_id = $1) AS ratings"""

_FEEDBACK = """
    id, rating, metric, subject_type, subject_id, comment, iso(submitted_at), source, account_id, study_id,
    'STUDY-' || number, name, status, type, phase, app_path, initiative_ids, idea_ids, submitted_at"""


def as_feedback(row: Row) -> Feedback:
    """A whole rating is shown as a whole number."""
    rating = int(row[1]) if row[1].is_integer() else row[1]
    subject, study = FeedbackSubject(*row[3:5]), FeedbackStudy(*row[9:16])
    fields = [row[0], rating, row[2], subject, *row[5:9], study, *row[16:18]]
    return Feedback(*fields)


def _place(row: Row, order: Order) -> Position:
    return Position(order.name, row[18], row[0])


_FEED = Feed("study_feedback", _RATINGS, _FEEDBACK, _place)


async def page_of_feedback(
    tx: Tx, totals: Totals, workspace_id: UUID, wanted: FeedbackFilters, window: Window
) -> FeedPage:
    """Oldest rating first."""
    return await read_feed(tx, _FEED, await select_feedback(tx, workspace_id, wanted), window, totals)
