"""The questions of an idea: listing, answering, setting aside. Specification: IdeaQuestion and its states."""

from uuid import UUID

from sightline.ideas import queries, queries_questions
from sightline.ideas.records_questions import Answer, IdeaQuestion, QuestionChanges
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import Conflict
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything
from sightline.workspaces.changes import log_change


class QuestionRejected(Conflict):
    """409: somebody called the question not relevant."""

    code = "QUESTION_REJECTED"


async def list_questions(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[IdeaQuestion]:
    """All four statuses, oldest first. Raises NotFound."""
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    return await queries_questions.page_of_questions(tx, actor.workspace_id, idea.id, window)


async def answer_question(
    tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, wish: Answer, expect: Expectation = expect_anything
) -> Versioned[IdeaQuestion]:
    """Answers an open question, or revises the answer. Raises as _lock does, and QuestionRejected."""
    was = await _lock(tx, actor, ref, question_id, expect)
    if was.record.status == "rejected":
        raise QuestionRejected("A rejected question cannot be answered. Open it again first.")
    if was.record.status == "answered" and was.record.answer == wish.answer:
        return was
    return await _change(tx.later(), actor, was.record, wish.answer, "answered")


async def change_question(
    tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, wish: QuestionChanges, expect: Expectation = expect_anything
) -> Versioned[IdeaQuestion]:
    """Moves a question to another status; an answer stays with it. Raises as _lock does."""
    was = await _lock(tx, actor, ref, question_id, expect)
    if was.record.status == wish.status:
        return was
    return await _change(tx.later(), actor, was.record, was.record.answer, wish.status)


async def _lock(tx: Tx, actor: Actor, ref: IdeaRef, question_id: UUID, expect: Expectation) -> Versioned[IdeaQuestion]:
    """Raises NotFound, CreatorNotAllowed, PreconditionFailed."""
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    question = await queries_questions.lock_question(tx, actor.workspace_id, idea.id, question_id)
    actor.require_writer()
    expect(question.tag)
    return question


async def _change(tx: Tx, actor: Actor, was: IdeaQuestion, answer: str | None, status: str) -> Versioned[IdeaQuestion]:
    changed = await queries_questions.change_question(tx, actor.workspace_id, was, answer, status)
    await log_change(
        tx, actor, "idea_question", was.id, None, status, ideaId=str(was.idea_id), previousStatus=was.status
    )
    return changed
