"""Questions about ideas in the workspace file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from msgspec import UNSET, UnsetType

from sightline.ideas.questions.records import QuestionStatus
from sightline.platform.file_section.entries import Entry, Run, sound
from sightline.platform.file_section.records import KeyedRecord
from sightline.platform.file_section.tables import Table
from sightline.platform.wire import Text


@asynccontextmanager
async def _answer(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Marks a question with an answer as answered, unless the file has another status."""
    for entry in sound(entries):
        is_answered = bool((entry.row["answer"] or "").strip())
        if entry.is_new and "status" not in entry.given and is_answered:
            entry.row["status"] = "answered"
        if entry.row["status"] == "answered" and not is_answered:
            run.refuse(entry, "answer", "An answered question needs an answer")
    yield


class QuestionRecord(KeyedRecord):
    """A question about an idea."""

    question: Text | UnsetType = UNSET
    placeholder: str | None = ""
    reasoning: str | None = ""
    status: QuestionStatus | None = "pending"
    answer: str | None = None
    origin: Literal["manual", "engine"] | None = "manual"


QUESTIONS = Table(
    "ideas.questions",
    "idea_questions",
    QuestionRecord,
    kind="idea_question",
    parents=(("idea_id", "id"),),
    versioned="version",
    rules=_answer,
)
