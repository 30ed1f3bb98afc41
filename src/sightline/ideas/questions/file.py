"""Questions about ideas in the workspace file."""

from typing import Literal

from msgspec import UNSET, UnsetType

from sightline.ideas.questions.records import QuestionStatus
from sightline.platform.file_parts.entries import Entry, Run
from sightline.platform.file_parts.tables import KeyedRecord, Table
from sightline.platform.wire import Text


def _answer(run: Run, entry: Entry) -> None:
    """Marks a question with an answer as answered, unless the file has another status."""
    is_answered = bool((entry.row["answer"] or "").strip())
    if entry.is_new and "status" not in entry.given and is_answered:
        entry.row["status"] = "answered"
    if entry.row["status"] == "answered" and not is_answered:
        run.refuse(entry, "answer", "An answered question needs an answer")


class QuestionRecord(KeyedRecord):
    """A question about an idea."""

    question: Text | UnsetType = UNSET
    placeholder: str | None = ""
    reasoning: str | None = ""
    status: QuestionStatus | None = "pending"
    answer: str | None = None
    origin: Literal["manual", "engine"] | None = "manual"


QUESTIONS = Table(
    "ideas.questions", "idea_questions", QuestionRecord, parents=("idea_id",), versioned="version", complete=_answer
)
