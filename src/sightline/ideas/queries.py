"""The SQL of ideas: reading."""

from typing import Literal, NamedTuple
from uuid import UUID

from sightline.ideas.records import Idea, IdeaFilters, ReviewState
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.database import Row
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page
from sightline.workspaces.changes import COUNT

# In the order of Idea's fields; the version comes last.
IDEA = """
    id, 'IDEA-' || number, name, description, status, product_id, feature_ids, feature_matching, initiative_id,
    integration_id, source_key, external_id, created_source, provenance, opportunity_ids, insight_ids, account_ids,
    taxonomy_version_id, iso(created_at), iso(updated_at), version"""

_FIND = f"SELECT {IDEA} FROM ideas WHERE workspace_id = $1 AND {{}} = $2"

_LISTING = Listing("ideas", IDEA, COUNT.format(kind="idea"))
_NEWEST_FIRST = "created_at DESC, number DESC"
_OLDEST_CHANGE_FIRST = "updated_at, id"


def as_idea(row: Row) -> Idea:
    return Idea(*row[:20])


async def find_idea(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """The columns of IDEA. Raises NotFound."""
    row = await tx.row(_FIND.format(ref.column), workspace_id, ref.value)
    if row is None:
        raise NotFound
    return row


class Located(NamedTuple):
    """Which idea a reference names."""

    id: UUID
    public_id: str


_LOCATE = "SELECT id, 'IDEA-' || number FROM ideas WHERE workspace_id = $1 AND {} = $2"


async def find_id(tx: Tx, workspace_id: UUID, ref: IdeaRef, *, lock: bool = False) -> Located:
    """Raises NotFound. With `lock` the idea cannot be deleted before the transaction ends."""
    statement = _LOCATE.format(ref.column) + (" FOR KEY SHARE" if lock else "")
    row = await tx.row(statement, workspace_id, ref.value)
    if row is None:
        raise NotFound
    return Located(*row)


async def page_of_ideas(tx: Tx, workspace_id: UUID, wanted: IdeaFilters, window: Window) -> Page[Idea]:
    """Newest first; with `updated_since` the oldest change first, and none that a change still under way precedes."""
    where = Where(workspace_id)
    if wanted.source_key is not None:
        where.add("source_key = {}", wanted.source_key)
    if wanted.external_id is not None:
        where.add("external_id = {}", wanted.external_id)
    if wanted.integration_id is not None:
        where.add("integration_id = {}", wanted.integration_id)
    if wanted.q is not None:
        where.add("search @@ plainto_tsquery('simple', {})", wanted.q)
    if wanted.updated_since is not None:
        where.add("updated_at >= {}", wanted.updated_since)
        where.add("updated_at <= {}", await find_horizon(tx))
    order = _NEWEST_FIRST if wanted.updated_since is None else _OLDEST_CHANGE_FIRST
    rows, total = await read_page(tx, _LISTING, where, order, window)
    return Page([as_idea(row) for row in rows], total, window)


_CLASSIFICATIONS = """
SELECT idea_id, group_id, option_ids, text_value, review_state, origin
  FROM idea_classifications WHERE workspace_id = $1 AND idea_id = ANY($2)"""


class StoredValue(NamedTuple):
    """What one idea is classified as in one group."""

    idea_id: UUID
    group_id: UUID
    option_ids: list[UUID]
    text_value: str | None
    review_state: ReviewState
    origin: Literal["api", "suggested", "manual"] | None


async def find_classifications(tx: Tx, workspace_id: UUID, idea_ids: list[UUID]) -> list[StoredValue]:
    return [StoredValue(*row) for row in await tx.rows(_CLASSIFICATIONS, workspace_id, idea_ids)]
