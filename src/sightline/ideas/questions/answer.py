"""Answering the questions of an idea and setting them aside. Specification: IdeaQuestion and its states."""

from uuid import UUID

from sightline.ideas.queries import find_id
from sightline.ideas.questions import queries
from sightline.ideas.questions.records import IdeaQuestion, NewAnswer, QuestionChanges
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import Conflict
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything
from sightline.workspaces.changes import log_change


class QuestionRejected(Conflict):
    """409: the question was rejected as not relevant."""

    code = "QUESTION_REJECTED"


async def list_questions(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[IdeaQuestion]:
    """Returns a page of questions of all four statuses, oldest first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    return await queries.page_of_questions(tx, actor.workspace_id, idea.id, window)


async def answer_question(
    tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, answer: NewAnswer, expect: Expectation = expect_anything
) -> Versioned[IdeaQuestion]:
    """Answers an open question, or revises the answer. Raises as _lock does, and QuestionRejected."""
    current = await _lock(tx, actor, ref, question_id, expect)
    if current.record.status == "rejected":
        raise QuestionRejected("A rejected question cannot be answered. Open it again first.")
    if current.record.status == "answered" and current.record.answer == answer.answer:
        return current
    return await _change(tx.later(), actor, current.record, answer.answer, "answered")


async def change_question(
    tx: Tx,
    actor: Actor,
    ref: IdeaRef,
    question_id: UUID,
    changes: QuestionChanges,
    expect: Expectation = expect_anything,
) -> Versioned[IdeaQuestion]:
    """Moves a question to another status; its answer stays. Raises as _lock does."""
    current = await _lock(tx, actor, ref, question_id, expect)
    if current.record.status == changes.status:
        return current
    return await _change(tx.later(), actor, current.record, current.record.answer, changes.status)


async def _lock(tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, expect: Expectation) -> Versioned[IdeaQuestion]:
    """Locks a question of the idea and returns it. Raises NotFound, PreconditionFailed."""
    idea = await find_id(tx, actor.workspace_id, ref)
    question = await queries.lock_question(tx, actor.workspace_id, idea.id, question_id)
    expect(question.tag)
    return question


async def _change(
    tx: Tx, actor: Actor, current: IdeaQuestion, answer: str | None, status: str
) -> Versioned[IdeaQuestion]:
    changed = await queries.change_question(tx, actor.workspace_id, current, answer, status)
    detail = {"ideaId": str(current.idea_id), "previousStatus": current.status}
    await log_change(tx, actor, "idea_question", current.id, None, status, **detail)
    return changed
