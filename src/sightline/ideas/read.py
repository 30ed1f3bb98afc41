"""Reading ideas: one, or a page of them."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import UNSET

from sightline.ideas import queries
from sightline.ideas.classifications.values import add_classifications
from sightline.ideas.labels import refuse_unknown
from sightline.ideas.records import Idea, IdeaFilters, Include
from sightline.platform import wire
from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Window
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page, Versioned, version_tag

# The columns of queries.IDEA that are Idea's fields come first in a row.
_SHOWN = len(Idea.__struct_fields__) - len(("classification_summary", "classifications"))


async def get_idea(tx: Tx, actor: Actor, ref: IdeaRef, query: Include, *, at_once: bool) -> Versioned[Idea]:
    """Returns the idea and its tag. Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    is_classified = bool(query.include)
    row = await queries.find_idea(tx, actor.workspace_id, ref, at_once=at_once, is_classified=is_classified)
    if not is_classified:
        return versioned(row)
    return await with_classifications(tx, actor, row)


async def list_ideas(tx: Tx, actor: Actor, filters: IdeaFilters, window: Window) -> Page[Idea]:
    """Returns a page, newest first; with `updated_since` the oldest change first. Raises UnknownStatus."""
    if filters.status:
        await refuse_unknown(tx, actor.workspace_id, filters.status)
    as_ideas = partial(_as_ideas, actor.workspace_id, bool(filters.include))
    return await queries.page_of_ideas(tx, actor.workspace_id, filters, window, as_ideas)


async def _as_ideas(workspace_id: UUID, has_classifications: bool, tx: Tx, rows: Sequence[Row]) -> list[Idea]:
    ideas = [Idea(*row[:_SHOWN]) for row in rows]
    if has_classifications and ideas:
        await add_classifications(tx, workspace_id, ideas)
    return ideas


def versioned(row: Row) -> Versioned[Idea]:
    """Turns the columns of queries.IDEA into an idea with its tag."""
    return wire.versioned(Idea, row, _votes(row))


def _votes(row: Row) -> str:
    """Returns the flag of the tag for the votes, which do not change the version."""
    return f".v{row['vote_count']}"


async def with_classifications(tx: Tx, actor: Actor, row: Row) -> Versioned[Idea]:
    """Returns the idea with its classifications. The tag covers the taxonomy's version, as the labels come from it."""
    idea = versioned(row).record
    taxonomy = await add_classifications(tx, actor.workspace_id, [idea])
    assert idea.classifications is not UNSET  # noqa: S101 - the line above sets it
    return Versioned(idea, version_tag(idea.id, row["version"], f"{_votes(row)}.c{taxonomy}"))
