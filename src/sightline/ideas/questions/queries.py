"""The SQL of an idea's questions."""

from uuid import UUID

from sightline.ideas.questions.records import IdeaQuestion
from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.wire import Page, Versioned, versioned

# The fields of an IdeaQuestion under their names, in their order.
_QUESTION = """
    id, idea_id, question, answer, placeholder, reasoning, status, iso(created_at) AS created_at,
    iso(updated_at) AS updated_at"""
_OLDEST = Order("questions", "created_at", "id", UUID, has_cursor=False)
_LISTING = Listing("idea_questions", IdeaQuestion, _QUESTION, _OLDEST)


async def page_of_questions(tx: Tx, workspace_id: UUID, idea_id: UUID, window: Window) -> Page[IdeaQuestion]:
    """Returns questions of all four statuses, oldest first."""
    return await read_list(tx, _LISTING, Where(workspace_id).equals(idea_id=idea_id), window)


_LOCK = sql(
    """
SELECT {columns}, version
  FROM idea_questions WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id FOR NO KEY UPDATE""",
    columns=_QUESTION,
)
_CHANGE = sql(
    """
UPDATE idea_questions SET answer = :answer, status = :status, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id
RETURNING {columns}, version""",
    columns=_QUESTION,
)


async def lock_question(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> Versioned[IdeaQuestion]:
    """Locks a question and returns it. Raises NotFound."""
    return versioned(IdeaQuestion, await tx.found(_LOCK, workspace_id=workspace_id, idea_id=idea_id, id=id))


async def change_question(
    tx: Tx, workspace_id: UUID, current: IdeaQuestion, answer: str | None, status: str
) -> Versioned[IdeaQuestion]:
    """Sets answer and status. Raises NotFound."""
    question = {"workspace_id": workspace_id, "idea_id": current.idea_id, "id": current.id}
    return versioned(IdeaQuestion, await tx.found(_CHANGE, **question, answer=answer, status=status))
