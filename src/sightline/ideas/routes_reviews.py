"""What can be asked of an idea's parts: evidence, questions, comments, classifications. Specification: Ideas."""

from sightline.ideas import classification_review, comments, evidence, questions
from sightline.ideas.questions import QuestionRejected
from sightline.ideas.records_classifications import ClassificationReview, Classifications
from sightline.ideas.records_comments import Comment, CommentDeletion, NewComment
from sightline.ideas.records_evidence import Evidence, EvidenceChanges, EvidenceFilters
from sightline.ideas.records_questions import Answer, IdeaQuestion, QuestionChanges
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import CreatorNotAllowed
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import HiddenId, IdeaRef, RecordId
from sightline.platform.wire import Page, Versioned

_EVIDENCE_READ = (Scope.SIGNAL_EVIDENCE_READ, Scope.SIGNALS_READ)


@operation(
    "GET",
    "/ideas/{ref}/evidence",
    scopes=[Scope.IDEAS_READ],
    any_of=[_EVIDENCE_READ],
    paging=Paging(20, 50),
)
async def list_idea_evidence(call: Call, ref: IdeaRef, query: EvidenceFilters, window: Window) -> Page[Evidence]:
    """Lists the evidence linked to an idea itself, newest link first.

    What its insights or opportunities rest on is not evidence of the idea.
    """
    async with call.db.read() as tx:
        return await evidence.list_evidence(tx, call.actor, ref, query, window)


@operation(
    "PATCH",
    "/ideas/{ref}/evidence/{evidence_id}",
    scopes=[Scope.IDEAS_WRITE],
    any_of=[_EVIDENCE_READ],
    refuses=[CreatorNotAllowed],
    example={"role": "qualifies", "resolved": True, "resolution": "Answered by the export of last month."},
)
async def change_idea_evidence(
    call: Call, ref: IdeaRef, evidence_id: RecordId, wish: EvidenceChanges
) -> Versioned[Evidence]:
    """Says what a piece of evidence means for the idea, resolves or dismisses it."""
    async with call.db.write() as tx:
        return await evidence.change_evidence(tx, call.actor, ref, evidence_id, wish, call.expect)


@operation("GET", "/ideas/{ref}/questions", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100, clamp=True))
async def list_idea_questions(call: Call, ref: IdeaRef, window: Window) -> Page[IdeaQuestion]:
    """Lists an idea's questions of every status, oldest first."""
    async with call.db.read() as tx:
        return await questions.list_questions(tx, call.actor, ref, window)


@operation(
    "PATCH",
    "/ideas/{ref}/questions/{question_id}/answer",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[CreatorNotAllowed, QuestionRejected],
    example={"answer": "Support asks for it about twice a week."},
)
async def answer_idea_question(
    call: Call, ref: IdeaRef, question_id: RecordId, wish: Answer
) -> Versioned[IdeaQuestion]:
    """Answers an open question, or revises the answer."""
    async with call.db.write() as tx:
        return await questions.answer_question(tx, call.actor, ref, question_id, wish, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}/questions/{question_id}",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[CreatorNotAllowed],
    example={"status": "skipped"},
)
async def change_idea_question(
    call: Call, ref: IdeaRef, question_id: RecordId, wish: QuestionChanges
) -> Versioned[IdeaQuestion]:
    """Opens a question, sets it aside, or calls it not relevant; an answer that was given stays with it."""
    async with call.db.write() as tx:
        return await questions.change_question(tx, call.actor, ref, question_id, wish, call.expect)


@operation("GET", "/ideas/{ref}/comments", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100))
async def list_idea_comments(call: Call, ref: IdeaRef, window: Window) -> Page[Comment]:
    """Lists the comments on an idea, oldest first."""
    async with call.db.read() as tx:
        return await comments.list_comments(tx, call.actor, ref, window)


@operation(
    "POST",
    "/ideas/{ref}/comments",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    refuses=[CreatorNotAllowed],
    example={"body": "Two more customers asked for this on Monday.", "visibility": "internal"},
)
async def add_idea_comment(call: Call, ref: IdeaRef, wish: NewComment) -> Versioned[Comment]:
    """Adds a comment to an idea, in the name of the key's creator."""
    async with call.db.write() as tx:
        return await comments.add_comment(tx, call.actor, ref, wish, call.expect)


@operation(
    "DELETE",
    "/ideas/{ref}/comments/{comment_id}",
    scopes=[Scope.IDEAS_DELETE],
    refuses=[CreatorNotAllowed],
)
async def delete_idea_comment(call: Call, ref: IdeaRef, comment_id: HiddenId) -> CommentDeletion:
    """Deletes a comment for good; the receipt does not repeat its words."""
    async with call.db.write() as tx:
        return await comments.delete_comment(tx, call.actor, ref, comment_id, call.expect)


@operation("GET", "/ideas/{ref}/classifications", scopes=[Scope.IDEAS_READ])
async def get_idea_classifications(call: Call, ref: IdeaRef) -> Versioned[Classifications]:
    """Gets every group of the active taxonomy with the idea's value and its review."""
    async with call.db.read() as tx:
        return await classification_review.read_classifications(tx, call.actor, ref)


@operation(
    "PATCH",
    "/ideas/{ref}/classifications",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[CreatorNotAllowed],
    example={"updates": [{"groupKey": "theme", "action": "accept"}]},
)
async def review_idea_classification(
    call: Call, ref: IdeaRef, wish: ClassificationReview
) -> Versioned[Classifications]:
    """Reviews the value of one group: accept, reject, correct, or mark the group as unassigned."""
    async with call.db.write() as tx:
        return await classification_review.review_classification(tx, call.actor, ref, wish, call.expect)
