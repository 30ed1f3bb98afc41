"""Questions that the engine drafts for an idea, each with a placeholder, its unchecked answer. Decisions: Ideas."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec.structs import asdict

from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.db import Row, Tx, sql
from sightline.platform.ids import new_id


def insert_drafted(idea: str) -> str:
    """Returns the INSERT of drafted questions for the one row of `idea`, a FROM item with the columns of ideas.

    A question is never older than its idea, and written no earlier than it. The values come from `drafted_values`.
    """
    return f"""
INSERT INTO idea_questions (workspace_id, id, idea_id, question, reasoning, placeholder, status, origin, created_at,
                            updated_at)
SELECT :workspace_id, drafted.id, idea.id, drafted.question, drafted.reasoning, drafted.placeholder, 'pending',
       'engine', greatest(:now::timestamptz, idea.created_at, idea.updated_at),
       greatest(:now::timestamptz, idea.updated_at)
  FROM {idea} AS idea, jsonb_to_recordset(:drafted::jsonb)
                       AS drafted (id uuid, question text, reasoning text, placeholder text)"""


def drafted_values(drafted: list[DraftedQuestion]) -> dict[str, Any]:
    """Returns the value for a statement with `insert_drafted`: one in JSON, as the driver takes longer for arrays."""
    return {"drafted": [{"id": new_id(), **asdict(each)} for each in drafted]}


# An engine drafted it, and nobody has answered it or set it aside.
_UNTOUCHED = "origin = 'engine' AND status = 'pending' AND answer IS NULL AND version = 1"
_FIND = f"""
SELECT id, question, version, {_UNTOUCHED} AS is_untouched
  FROM idea_questions WHERE workspace_id = :workspace_id AND idea_id = :idea_id ORDER BY created_at, id"""
_FIND_QUESTIONS = sql(_FIND)
_LOCK_QUESTIONS = sql(f"{_FIND} FOR UPDATE")


async def find_questions(tx: Tx, workspace_id: UUID, idea_id: UUID) -> list[Row]:
    """Returns id, question, version and `is_untouched` of all questions of the idea, oldest first."""
    return await tx.rows(_FIND_QUESTIONS, workspace_id=workspace_id, idea_id=idea_id)


_REMOVE = sql("""
DELETE FROM idea_questions WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = ANY(:ids::uuid[])""")
_ADD_MORE = sql(insert_drafted("(SELECT * FROM ideas WHERE workspace_id = :workspace_id AND id = :idea_id)"))


async def replace_drafted(
    tx: Tx, workspace_id: UUID, idea_id: UUID, seen: list[Row], drafted: list[DraftedQuestion]
) -> bool:
    """Replaces the untouched questions. Does nothing and returns False if a question changed since `seen`.

    The caller holds the idea's lock.
    """
    idea = {"workspace_id": workspace_id, "idea_id": idea_id}
    current = await tx.rows(_LOCK_QUESTIONS, **idea)
    if current != seen:
        return False
    await tx.run(_REMOVE, **idea, ids=[one["id"] for one in current if one["is_untouched"]])
    await tx.run(_ADD_MORE, **idea, **drafted_values(drafted))
    return True


_WITHOUT_QUESTIONS = """
(SELECT * FROM ideas
  WHERE workspace_id = :workspace_id AND id = :idea_id
    AND NOT EXISTS (SELECT FROM idea_questions WHERE workspace_id = :workspace_id AND idea_id = :idea_id))"""
_ADD_DRAFTED = sql(insert_drafted(_WITHOUT_QUESTIONS))


async def add_drafted(tx: Tx, workspace_id: UUID, idea_id: UUID, drafted: list[DraftedQuestion]) -> int:
    """Adds the questions, unless the idea has some. Returns how many were added."""
    return await tx.run(_ADD_DRAFTED, workspace_id=workspace_id, idea_id=idea_id, **drafted_values(drafted))


_REMOVE_UNTOUCHED = sql(f"""
DELETE FROM idea_questions
 WHERE workspace_id = :workspace_id AND idea_id = ANY(:idea_ids::uuid[]) AND {_UNTOUCHED}""")


async def remove_drafted(tx: Tx, workspace_id: UUID, idea_ids: Collection[UUID]) -> None:
    """Removes the untouched questions of ideas that have a new description: they were asked of the old one."""
    await tx.run(_REMOVE_UNTOUCHED, workspace_id=workspace_id, idea_ids=list(idea_ids))
