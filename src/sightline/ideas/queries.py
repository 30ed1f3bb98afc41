"""The SQL of ideas."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from sightline.ideas.records import Idea, IdeaFilters
from sightline.ideas.vote_counts import votes_of
from sightline.platform.db import Row, Tx, Where, Window, by_reference, sql
from sightline.platform.db.words import apart
from sightline.platform.lists.large import AsRecords, ids_as_json, linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page
from sightline.workspaces.changes import count_of


def _columns(ids: Callable[[str], str]) -> str:
    """Returns the columns of an idea in the order of its fields; the version comes last. `ids` shows ids of links."""
    return f"""
    id, 'IDEA-' || number AS public_id, name, description, status, product_id, {ids("feature_ids")},
    CASE WHEN product_id IS NOT NULL THEN feature_matching END AS feature_matching,
    initiative_id, integration_id, source_key, external_id, created_source, provenance,
    {ids("opportunity_ids")}, {ids("insight_ids")}, {ids("account_ids")}, taxonomy_version_id, portal_visible,
    {votes_of()} AS vote_count, imported_vote_count, official_answer,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""


IDEA = _columns(str)
_LARGE_IDEA = _columns(ids_as_json)
# The same, and the other columns that a change depends on.
STATE = f"{IDEA}, feature_ownership, matched_key"
Stored = Row | Mapping[str, Any]  # an idea with the columns of STATE

_LINKS = linked_size("feature_ids", "opportunity_ids", "insight_ids", "account_ids")
_SIZE = f"{stored_size('name', 'description', 'official_answer', json=['feature_matching'])} + {_LINKS}"
# An option of a value is stored in 16 bytes, and shown with its id, key and label.
_CLASSIFIED_SIZE = f"""{_SIZE} +
    coalesce((SELECT sum(8 * pg_column_size(option_ids) + coalesce(octet_length(text_value), 0))
                FROM idea_classifications WHERE workspace_id = :workspace_id AND idea_id = ideas.id), 0)"""
# Without what is never large. This and JSON as it is stored save 2 us of the 60 that an idea takes.
_ABOUT = f"octet_length(description) + coalesce(pg_column_size(feature_matching), 0) + {_LINKS}"
FIND_IDEA = SingleRecord.by_reference("ideas", IDEA, _ABOUT, _LARGE_IDEA)
_FIND_CLASSIFIED = SingleRecord.by_reference("ideas", IDEA, _CLASSIFIED_SIZE, _LARGE_IDEA)


async def find_idea(
    tx: Tx, workspace_id: UUID, ref: IdeaRef, *, at_once: bool = False, is_classified: bool = False
) -> Row:
    """Returns the columns of IDEA, of a large idea with links as JSON.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`, with its classifications if
    `is_classified`.
    """
    find = (_FIND_CLASSIFIED if is_classified else FIND_IDEA)[ref.column].find
    return await find(tx, at_once=at_once, workspace_id=workspace_id, ref=ref.value)


FIND_STATE = by_reference(
    "SELECT {columns} FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref", columns=STATE
)
LOCK_IDEA = SingleRecord.by_reference("ideas", STATE, _ABOUT, lock="FOR NO KEY UPDATE")


async def find_state(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """Returns the columns of STATE. Raises NotFound."""
    return await tx.found(FIND_STATE[ref.column], workspace_id=workspace_id, ref=ref.value)


async def lock_idea(tx: Tx, workspace_id: UUID, ref: IdeaRef, *, at_once: bool = False) -> Row:
    """Locks the idea until the transaction ends, and returns the columns of STATE.

    Raises NotFound, and LargeRecord for a large one that is changed `at_once`.
    """
    return await LOCK_IDEA[ref.column].find(tx, at_once=at_once, workspace_id=workspace_id, ref=ref.value)


def _aliased(condition: str) -> str:
    """Returns the ids of ideas that have an `:external_id` as an alias, unless an idea has it itself."""
    return f"""
        ARRAY(SELECT a.idea_id FROM idea_aliases AS a
               WHERE a.workspace_id = :workspace_id AND a.external_id = :external_id AND {condition}
                 AND NOT EXISTS (SELECT FROM ideas AS own
                                  WHERE own.workspace_id = :workspace_id AND own.external_id = :external_id
                                    AND (own.source_key = a.source_key OR own.integration_id = a.integration_id)))"""


_FIND_KNOWN = """
SELECT {columns} FROM ideas
 WHERE workspace_id = :workspace_id
   AND ((source_key = :source_key AND external_id = :external_id)
        OR (integration_id = :integration_id AND external_id = :external_id)
        OR id = ANY({aliased}))
 ORDER BY id"""
_ALIASED = _aliased("(a.source_key = :source_key OR a.integration_id = :integration_id)")
FIND_KNOWN = sql(_FIND_KNOWN, columns=STATE, aliased=_ALIASED)
LOCK_KNOWN = sql(f"{_FIND_KNOWN} FOR NO KEY UPDATE", columns=STATE, aliased=_ALIASED)


class Located(NamedTuple):
    """The idea that a reference names."""

    id: UUID
    public_id: str
    version: int


_LOCATE = """
SELECT id, 'IDEA-' || number AS public_id, version FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref"""
_FIND_ID = by_reference(_LOCATE)
_HOLD_ID = by_reference(f"{_LOCATE} FOR KEY SHARE")


async def find_id(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Located:
    """Returns the id of the idea. Raises NotFound."""
    return Located(*await tx.found(_FIND_ID[ref.column], workspace_id=workspace_id, ref=ref.value))


async def hold_id(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Located:
    """Returns the id of the idea, which cannot be deleted before the transaction ends. Raises NotFound."""
    return Located(*await tx.found(_HOLD_ID[ref.column], workspace_id=workspace_id, ref=ref.value))


_LISTED = Listing(
    "ideas",
    Idea,
    IDEA,
    Order("ideas.newest", "created_at", "number", int, is_descending=True),
    count_of("idea"),
    _SIZE,
    large_columns=_LARGE_IDEA,
)
_WITH_CLASSIFICATIONS = replace(_LISTED, size=_CLASSIFIED_SIZE)


async def page_of_ideas(
    tx: Tx, workspace_id: UUID, filters: IdeaFilters, window: Window, as_ideas: AsRecords[Idea]
) -> Page[Idea]:
    """Returns a page, newest first; with `updated_since` the oldest change first."""
    listing = _WITH_CLASSIFICATIONS if filters.include else _LISTED
    return await read_list(tx, listing, _where(workspace_id, filters), window, filters.updated_since, as_ideas)


# By the name of the filter.
_CONDITIONS = {
    "product_id": "product_id = :product_id",
    "feature_id": """
        id IN (SELECT idea_id FROM idea_features WHERE workspace_id = :workspace_id AND feature_id = :feature_id)""",
    "account_id": """
        id IN (SELECT idea_id FROM idea_accounts WHERE workspace_id = :workspace_id AND account_id = :account_id)""",
    "insight_id": """
        id IN (SELECT idea_id FROM idea_insights WHERE workspace_id = :workspace_id AND insight_id = :insight_id)""",
    "q": f"search @@ plainto_tsquery('simple', {apart(':q')})",
}


def _where(workspace_id: UUID, filters: IdeaFilters) -> Where:
    where = Where(workspace_id)
    _add_identity(where, filters)
    for name, condition in _CONDITIONS.items():
        if (value := getattr(filters, name)) is not None:
            where.add(condition, **{name: value})
    if len(filters.status) == 1:
        where.add("status = :status", status=filters.status[0])  # one label is read in the order of the list
    elif filters.status:
        where.add("status = ANY(:statuses)", statuses=filters.status)
    if filters.project_id is not None and filters.project_id.id is not None:
        where.add("initiative_id = :project_id", project_id=filters.project_id.id)
    elif filters.project_id is not None:
        where.add(
            "initiative_id = (SELECT id FROM initiatives WHERE workspace_id = :workspace_id AND number = :project)",
            project=filters.project_id.number,
        )
    return where


def _add_identity(where: Where, filters: IdeaFilters) -> None:
    """Adds the parts of an identity. An `external_id` is also looked for among the aliases."""
    parts = {name: getattr(filters, name) for name in ("source_key", "integration_id", "external_id")}
    given = {name: value for name, value in parts.items() if value is not None}
    own = " AND ".join(f"{name} = :{name}" for name in given)
    if filters.external_id is not None:
        also = _aliased(" AND ".join(f"a.{name} = :{name}" for name in given))
        own = f"(({own}) OR id = ANY({also}))"
    if given:
        where.add(own, **given)
