"""Operations on the questions of an idea. Specification: Ideas."""

from sightline.ideas.questions import answer as answering
from sightline.ideas.questions.answer import QuestionRejected
from sightline.ideas.questions.records import IdeaQuestion, NewAnswer, QuestionChanges
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import IdeaRef, RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/ideas/{ref}/questions", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100, clamp=True))
async def list_idea_questions(call: Call, ref: IdeaRef, window: Window) -> Page[IdeaQuestion]:
    """Lists an idea's questions of every status, oldest first."""
    async with call.db.autocommit() as tx:
        return await answering.list_questions(tx, call.actor, ref, window)


@operation(
    "PATCH",
    "/ideas/{ref}/questions/{question_id}/answer",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[QuestionRejected],
    example={"answer": "Support asks for it about twice a week."},
)
async def answer_idea_question(
    call: Call, ref: IdeaRef, question_id: RecordId, answer: NewAnswer
) -> Versioned[IdeaQuestion]:
    """Answers an open question, or revises the answer."""
    async with call.db.transaction() as tx:
        return await answering.answer_question(tx, call.actor, ref, question_id, answer, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}/questions/{question_id}",
    scopes=[Scope.IDEAS_WRITE],
    example={"status": "skipped"},
)
async def change_idea_question(
    call: Call, ref: IdeaRef, question_id: RecordId, changes: QuestionChanges
) -> Versioned[IdeaQuestion]:
    """Opens a question, sets it aside, or rejects it as not relevant; its answer stays."""
    async with call.db.transaction() as tx:
        return await answering.change_question(tx, call.actor, ref, question_id, changes, call.expect)
