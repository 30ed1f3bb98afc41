"""What is shown of an idea's questions, and what may be sent. Specification: IdeaQuestion."""

from typing import Literal
from uuid import UUID

from sightline.platform.wire import Input, Record, Timestamp, Trimmed

QuestionStatus = Literal["pending", "skipped", "answered", "rejected"]


class IdeaQuestion(Record):
    """An open question about an idea. `placeholder` is a drafted answer, which does not count until it is recorded."""

    id: UUID
    idea_id: UUID
    question: str
    answer: str | None
    placeholder: str
    reasoning: str
    status: QuestionStatus
    created_at: Timestamp
    updated_at: Timestamp


class AnswerText(Trimmed):
    """Not empty after trimming; bounded by the body only."""


class NewAnswer(Input):
    """An answer to a question."""

    answer: AnswerText


class QuestionChanges(Input):
    """`pending` opens a question, `skipped` sets it aside, `rejected` marks it as not relevant."""

    status: Literal["pending", "skipped", "rejected"]
