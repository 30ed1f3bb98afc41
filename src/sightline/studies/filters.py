"""Which feedback a filter finds, as ranges of the indexes that hold it in order."""

from uuid import UUID

from msgspec.structs import astuple

from sightline.platform.db import Tx, Where
from sightline.platform.db.feeds import Order, Selection, Stream
from sightline.studies.records import FeedbackFilters
from sightline.workspaces.changes import COUNT

SUBMITTED = Order("feedback.submitted", "submitted_at", "id", UUID)

# In a context of more studies than these one range is read that holds other rows as well.
MOST_STUDIES = 48

_OF_INITIATIVE = "SELECT study_id FROM study_initiatives WHERE workspace_id = $1 AND initiative_id = $2"
_OF_IDEA = "SELECT study_id FROM study_ideas WHERE workspace_id = $1 AND idea_id = $2"
_COUNT = "(SELECT count(*) FROM study_feedback WHERE workspace_id = $1 AND {})"


async def select_feedback(tx: Tx, workspace_id: UUID, wanted: FeedbackFilters) -> Selection:
    """The ratings of a feed. The studies of a context are looked up first, and what is counted is counted of these."""
    where = Where(workspace_id)
    if wanted.metric is not None:
        where.add("metric = {}", wanted.metric)
    if wanted.subject_type is not None:
        where.add("subject_type = {}", wanted.subject_type)
    if wanted.subject_id is not None:
        where.add("subject_id = {}", wanted.subject_id)
    if wanted.account_id is not None:
        where.add("account_id = {}", wanted.account_id)
    if wanted.submitted_from is not None:
        where.add("submitted_at >= {}", wanted.submitted_from)
    if wanted.submitted_to is not None:
        where.add("submitted_at < {}", wanted.submitted_to)
    studies = await _studies_of(tx, workspace_id, wanted)
    identity = (*astuple(wanted), studies)
    if studies is None:
        stream = Stream("study_feedback", tuple(where.conditions))
        counted = _COUNT.format(" AND ".join(where.conditions[1:]))
        count = COUNT.format(kind="study_feedback") if where.is_everything else counted
        return Selection(where, SUBMITTED, [stream], count, identity)
    of_any = f"study_id = ANY({where.value(list(studies))})"
    each = [f"study_id = {where.value(id)}" for id in studies] if 0 < len(studies) <= MOST_STUDIES else [of_any]
    streams = [Stream("study_feedback", (*where.conditions, of_one)) for of_one in each]
    return Selection(where, SUBMITTED, streams, _COUNT.format(" AND ".join([*where.conditions[1:], of_any])), identity)


async def _studies_of(tx: Tx, workspace_id: UUID, wanted: FeedbackFilters) -> tuple[UUID, ...] | None:
    """The studies that are accepted for what is wanted, None where any will do."""
    contexts = [
        {row[0] for row in await tx.rows(statement, workspace_id, id)}
        for statement, id in ((_OF_INITIATIVE, wanted.initiative_id), (_OF_IDEA, wanted.idea_id))
        if id is not None
    ]
    return tuple(sorted(set.intersection(*contexts))) if contexts else None
