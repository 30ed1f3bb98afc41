"""Deleting an idea. Specification: DELETE /ideas/:id."""

from sightline.ideas.queries import lock_idea
from sightline.ideas.records import IdeaDeletion
from sightline.platform.access import Actor
from sightline.platform.db import Tx, by_reference, sql
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, expect_anything, version_tag
from sightline.workspaces.changes import add_changes, change_by, count_rows, slot

# Whoever writes several ideas in a transaction locks words of one before the next idea, which may be this one.
_LOCK_WORDS = by_reference("""
SELECT FROM idea_words
 WHERE workspace_id = :workspace_id AND word IN (
       SELECT long_words(search) FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref)
 ORDER BY word COLLATE "C" FOR UPDATE""")
_REMOVE = sql(
    """
WITH removed AS (
    DELETE FROM ideas WHERE workspace_id = :workspace_id AND id = :id RETURNING id, 'IDEA-' || number AS public_id),
logged AS ({logged}),
counted AS ({counted})
SELECT id FROM removed""",
    logged=add_changes("idea", "deleted", "removed"),
    counted=count_rows("idea", -1, "removed"),
)


async def delete_idea(tx: Tx, actor: Actor, ref: IdeaRef, expect: Expectation = expect_anything) -> IdeaDeletion:
    """Deletes an idea for good, with its questions, comments, evidence and links.

    Raises NotFound, PreconditionFailed. Waits for its words before it locks the idea.
    """
    await tx.rows(_LOCK_WORDS[ref.column], workspace_id=actor.workspace_id, ref=ref.value)
    idea = await lock_idea(tx, actor.workspace_id, ref)
    expect(version_tag(idea["id"], idea["version"]))
    await tx.later().run(_REMOVE, **change_by(actor), slot=slot(tx), id=idea["id"])
    return IdeaDeletion(True, idea["id"], idea["public_id"])
