"""Deleting an idea. Specification: DELETE /ideas/:id."""

from sightline.ideas.queries import lock_idea
from sightline.ideas.records import IdeaDeletion
from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, version_tag
from sightline.workspaces.changes import add_changes, change_by, count_rows, slot

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


async def delete_idea(tx: Tx, actor: Actor, ref: IdeaRef, expect: Expectation) -> IdeaDeletion:
    """Deletes an idea for good, with its questions, comments, evidence and links.

    Raises NotFound, PreconditionFailed.
    """
    idea = await lock_idea(tx, actor.workspace_id, ref)
    expect(version_tag(idea["id"], idea["version"]))
    await tx.later().run(_REMOVE, **change_by(actor), slot=slot(tx), id=idea["id"])
    return IdeaDeletion(True, idea["id"], idea["public_id"])
