"""The SQL of an idea's questions."""

from collections.abc import Sequence
from uuid import UUID

from sightline.ideas.records_questions import IdeaQuestion
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.errors import NotFound
from sightline.platform.ids import new_id
from sightline.platform.wire import Page, Versioned, version_tag

_QUESTION = """
    id, idea_id, question, answer, placeholder, reasoning, status, iso(created_at), iso(updated_at)"""


def _versioned(row: Row | None) -> Versioned[IdeaQuestion]:
    """A question from the columns of _QUESTION and its version. Raises NotFound without a row."""
    if row is None:
        raise NotFound
    return Versioned(IdeaQuestion(*row[:9]), version_tag(row[0], row[9]))


_PAGE = f"""
SELECT {_QUESTION}, (SELECT count(*) FROM idea_questions WHERE workspace_id = $1 AND idea_id = $2)
  FROM idea_questions WHERE workspace_id = $1 AND idea_id = $2
 ORDER BY idea_questions.created_at, id LIMIT $3 OFFSET $4"""
_COUNT = "SELECT count(*) FROM idea_questions WHERE workspace_id = $1 AND idea_id = $2"


async def page_of_questions(tx: Tx, workspace_id: UUID, idea_id: UUID, window: Window) -> Page[IdeaQuestion]:
    """Oldest first."""
    rows = await tx.rows(_PAGE, workspace_id, idea_id, window.limit, window.offset)
    total = rows[0][-1] if rows else await tx.value(_COUNT, workspace_id, idea_id)
    return Page([IdeaQuestion(*row[:9]) for row in rows], total, window)


_LOCK = f"""
SELECT {_QUESTION}, version
  FROM idea_questions WHERE workspace_id = $1 AND idea_id = $2 AND id = $3 FOR NO KEY UPDATE"""


async def lock_question(tx: Tx, workspace_id: UUID, idea_id: UUID, question_id: UUID) -> Versioned[IdeaQuestion]:
    """Raises NotFound."""
    return _versioned(await tx.row(_LOCK, workspace_id, idea_id, question_id))


_CHANGE = f"""
UPDATE idea_questions SET answer = $4, status = $5, updated_at = $6, version = version + 1
 WHERE workspace_id = $1 AND idea_id = $2 AND id = $3
RETURNING {_QUESTION}, version"""


async def change_question(
    tx: Tx, workspace_id: UUID, was: IdeaQuestion, answer: str | None, status: str
) -> Versioned[IdeaQuestion]:
    """Raises NotFound."""
    return _versioned(await tx.row(_CHANGE, workspace_id, was.idea_id, was.id, answer, status, tx.now))


# What was drafted is asked only of an idea that has no questions yet.
_ASK = """
INSERT INTO idea_questions (workspace_id, id, idea_id, question, reasoning, placeholder, status, origin,
                            created_at, updated_at)
SELECT $1, drafted.id, $2, drafted.question, drafted.reasoning, drafted.placeholder, 'pending', 'engine', $7, $7
  FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) AS drafted (id, question, reasoning, placeholder)
 WHERE NOT EXISTS (SELECT FROM idea_questions WHERE workspace_id = $1 AND idea_id = $2)"""

DraftedColumns = tuple[list[UUID], list[str], list[str], list[str]]


def drafted_columns(drafted: Sequence[DraftedQuestion]) -> DraftedColumns:
    """The drafts as arrays for a statement: ids, questions, reasonings, placeholders."""
    return (
        [new_id() for _ in drafted],
        [each.question for each in drafted],
        [each.reasoning for each in drafted],
        [each.placeholder for each in drafted],
    )


async def ask(tx: Tx, workspace_id: UUID, idea_id: UUID, drafted: Sequence[DraftedQuestion]) -> int:
    """How many were added: all, or none when the idea has questions."""
    return await tx.run(_ASK, workspace_id, idea_id, *drafted_columns(drafted), tx.now)
