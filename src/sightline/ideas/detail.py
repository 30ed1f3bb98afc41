"""Reading ideas: one, or a page of them."""

from msgspec import UNSET

from sightline.ideas import classifications, queries
from sightline.ideas.records import Idea, IdeaFilters, Include
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page, Versioned, version_tag


async def get_idea(tx: Tx, actor: Actor, ref: IdeaRef, wanted: Include) -> Versioned[Idea]:
    """Raises NotFound."""
    row = await queries.find_idea(tx, actor.workspace_id, ref)
    if not wanted.include:
        return versioned(row)
    return await with_classifications(tx, actor, row)


async def list_ideas(tx: Tx, actor: Actor, wanted: IdeaFilters, window: Window) -> Page[Idea]:
    page = await queries.page_of_ideas(tx, actor.workspace_id, wanted, window)
    if wanted.include and page.items:
        await classifications.add_classifications(tx, actor.workspace_id, page.items)
    return page


def versioned(row: Row) -> Versioned[Idea]:
    """An idea from the columns of queries.IDEA, with its tag."""
    return Versioned(queries.as_idea(row), version_tag(row[0], row[20]))


async def with_classifications(tx: Tx, actor: Actor, row: Row) -> Versioned[Idea]:
    """The same with its classifications. Their labels are the active taxonomy's, so its version is in the tag."""
    idea = queries.as_idea(row)
    taxonomy = await classifications.add_classifications(tx, actor.workspace_id, [idea])
    assert idea.classifications is not UNSET  # noqa: S101 - what the line above does
    return Versioned(idea, version_tag(row[0], row[20], f".c{taxonomy}"))
