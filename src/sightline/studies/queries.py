"""The SQL of study feedback."""

from uuid import UUID

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.lists.large import linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order, Selection, changed_since
from sightline.platform.lists.read import read_selection
from sightline.platform.lists.totals import Totals
from sightline.platform.wire import Page
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
# For more studies than this, one larger range is read, and its other rows are filtered out.
MOST_STUDIES = 48

_OF_INITIATIVE = sql("""
SELECT study_id FROM study_initiatives WHERE workspace_id = :workspace_id AND initiative_id = :id""")
_OF_IDEA = sql("SELECT study_id FROM study_ideas WHERE workspace_id = :workspace_id AND idea_id = :id")


async def page_of_feedback(
    tx: Tx, totals: Totals, workspace_id: UUID, filters: FeedbackFilters, window: Window
) -> Page[Feedback]:
    """Returns a page, oldest rating first; with `updated_since` the oldest change first. Raises ValidationFailed."""
    selection = await _select(tx, _LISTING, workspace_id, filters)
    return await read_selection(tx, _LISTING, selection, window, totals)


async def _select(tx: Tx, listing: Listing, workspace_id: UUID, filters: FeedbackFilters) -> Selection:
    """Selects the ratings of a feed, in its order; with `updated_since` up to the horizon of open writes.

    The studies of a context are looked up first, also for the total.
    """
    where, order = _where(workspace_id, filters), listing.order
    if filters.updated_since is not None:
        order = listing.changed
        where.conditions += await changed_since(tx, where, order.moment, filters.updated_since)
    studies = await _studies_of(tx, workspace_id, filters)
    if studies is None:
        count = listing.count if where.is_everything else _count(str(where))
        return Selection(where, order, "study_feedback", [str(where)], count)
    of_any = f"study_id = ANY({where.value('studies', list(studies))})"
    each = [of_any]
    if 0 < len(studies) <= MOST_STUDIES:
        each = [f"study_id = {where.value('study', id)}" for id in studies]
    ranges = [f"{where} AND {of_one}" for of_one in each]
    return Selection(where, order, "study_feedback", ranges, _count(f"{where} AND {of_any}"))


def _count(where: str) -> str:
    return f"(SELECT count(*) FROM study_feedback WHERE {where})"


def _where(workspace_id: UUID, filters: FeedbackFilters) -> Where:
    where = Where(workspace_id).equals(
        metric=filters.metric,
        subject_type=filters.subject_type,
        subject_id=filters.subject_id,
        account_id=filters.account_id,
    )
    if filters.submitted_from is not None:
        where.add("submitted_at >= :submitted_from", submitted_from=filters.submitted_from)
    if filters.submitted_to is not None:
        where.add("submitted_at < :submitted_to", submitted_to=filters.submitted_to)
    return where


async def _studies_of(tx: Tx, workspace_id: UUID, filters: FeedbackFilters) -> tuple[UUID, ...] | None:
    """Returns the studies accepted for both contexts, or None if the filters name none."""
    contexts = [
        {row["study_id"] for row in await tx.rows(statement, workspace_id=workspace_id, id=id)}
        for statement, id in ((_OF_INITIATIVE, filters.initiative_id), (_OF_IDEA, filters.idea_id))
        if id is not None
    ]
    return tuple(sorted(set.intersection(*contexts))) if contexts else None
