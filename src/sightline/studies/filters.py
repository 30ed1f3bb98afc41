"""Turns filters of feedback into ranges of the indexes that are in the order of the feed."""

from uuid import UUID

from sightline.platform.db import Tx, Where, sql
from sightline.platform.lists.listing import Listing, Selection, changed_since
from sightline.studies.records import FeedbackFilters

# For more studies than this, one larger range is read, and its other rows are filtered out.
MOST_STUDIES = 48

_OF_INITIATIVE = sql("""
SELECT study_id FROM study_initiatives WHERE workspace_id = :workspace_id AND initiative_id = :id""")
_OF_IDEA = sql("SELECT study_id FROM study_ideas WHERE workspace_id = :workspace_id AND idea_id = :id")


async def select_feedback(tx: Tx, listing: Listing, workspace_id: UUID, filters: FeedbackFilters) -> Selection:
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
