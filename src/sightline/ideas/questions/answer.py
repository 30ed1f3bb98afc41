"""Answering the questions of an idea and setting them aside. Specification: IdeaQuestion and its states."""

from uuid import UUID

from sightline.ideas.queries import find_id
from sightline.ideas.questions.records import IdeaQuestion, NewAnswer, QuestionChanges
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.errors import Conflict
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, versioned
from sightline.workspaces.changes import log_change

# The fields of an IdeaQuestion under their names, in their order.
_QUESTION = """
    id, idea_id, question, answer, placeholder, reasoning, status, iso(created_at) AS created_at,
    iso(updated_at) AS updated_at"""
_OLDEST = Order("questions", "created_at", "id", UUID, has_cursor=False)
_SIZE = stored_size("question", "answer", "placeholder", "reasoning")
_LISTING = Listing("idea_questions", IdeaQuestion, _QUESTION, _OLDEST, size=_SIZE)


class QuestionRejected(Conflict):
    """409: the question was rejected as not relevant."""

    code = "QUESTION_REJECTED"


async def list_questions(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[IdeaQuestion]:
    """Returns a page of questions of all four statuses, oldest first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    return await read_list(tx, _LISTING, Where(actor.workspace_id).equals(idea_id=idea.id), window)


async def answer_question(
    tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, answer: NewAnswer, expect: Expectation
) -> Versioned[IdeaQuestion]:
    """Answers an open question, or revises the answer. Raises as _lock does, and QuestionRejected."""
    current = await _lock(tx, actor, ref, question_id, expect)
    if current.record.status == "rejected":
        raise QuestionRejected("A rejected question cannot be answered. Open it again first.")
    if current.record.status == "answered" and current.record.answer == answer.answer:
        return current
    return await _change(tx.later(), actor, current.record, answer.answer, "answered")


async def change_question(
    tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, changes: QuestionChanges, expect: Expectation
) -> Versioned[IdeaQuestion]:
    """Moves a question to another status; its answer stays. Raises as _lock does."""
    current = await _lock(tx, actor, ref, question_id, expect)
    if current.record.status == changes.status:
        return current
    return await _change(tx.later(), actor, current.record, current.record.answer, changes.status)


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


async def _lock(tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, expect: Expectation) -> Versioned[IdeaQuestion]:
    """Locks a question of the idea and returns it. Raises NotFound, PreconditionFailed."""
    idea = await find_id(tx, actor.workspace_id, ref)
    row = await tx.found(_LOCK, workspace_id=actor.workspace_id, idea_id=idea.id, id=question_id)
    question = versioned(IdeaQuestion, row, at=row["created_at"])
    expect(question.tag)
    return question


async def _change(
    tx: Tx, actor: Actor, current: IdeaQuestion, answer: str | None, status: str
) -> Versioned[IdeaQuestion]:
    question = {"workspace_id": actor.workspace_id, "idea_id": current.idea_id, "id": current.id}
    row = await tx.one(_CHANGE, **question, answer=answer, status=status)
    detail = {"ideaId": str(current.idea_id), "previousStatus": current.status}
    await log_change(tx, actor, "idea_question", current.id, None, status, **detail)
    return versioned(IdeaQuestion, row, at=row["created_at"])
