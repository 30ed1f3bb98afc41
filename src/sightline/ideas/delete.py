"""Deleting an idea. Specification: DELETE /ideas/:id."""

from sightline.ideas.queries import lock_idea, remove_idea
from sightline.ideas.records import IdeaDeletion
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, expect_anything, version_tag


async def delete_idea(tx: Tx, actor: Actor, ref: IdeaRef, expect: Expectation = expect_anything) -> IdeaDeletion:
    """Deletes an idea for good, with its questions, comments, evidence and links.

    Raises NotFound, PreconditionFailed.
    """
    idea = await lock_idea(tx, actor.workspace_id, ref)
    expect(version_tag(idea["id"], idea["version"]))
    await remove_idea(tx.later(), actor, idea["id"])
    return IdeaDeletion(True, idea["id"], idea["public_id"])
