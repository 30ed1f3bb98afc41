"""The SQL of ideas."""

from typing import Any, NamedTuple
from uuid import UUID

from sightline.ideas.questions.drafted import drafted_values, insert_drafted
from sightline.ideas.records import Idea, IdeaFilters
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.db.feeds import Feed, Order, stored_size
from sightline.platform.db.horizon import MOMENT
from sightline.platform.db.sql import Statement, Where, by_reference, columns, sql, values
from sightline.platform.db.words import apart
from sightline.platform.errors import NotFound
from sightline.platform.lists import AsRecords, Listing, read_list
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page
from sightline.workspaces.changes import add_changes, change_by, count_of, count_rows, slot

# In the order of Idea's fields; the version comes last.
IDEA = """
    id, 'IDEA-' || number AS public_id, name, description, status, product_id, feature_ids,
    CASE WHEN product_id IS NOT NULL THEN feature_matching END AS feature_matching,
    initiative_id, integration_id, source_key, external_id, created_source, provenance, opportunity_ids, insight_ids,
    account_ids, taxonomy_version_id, portal_visible, vote_count, imported_vote_count, official_answer,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""
# The same, and the other columns that a change depends on.
STATE = f"{IDEA}, feature_ownership, matched_key"

FIND_IDEA = by_reference(
    "SELECT {columns} FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref", columns=IDEA
)


async def find_idea(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """Returns the columns of IDEA. Raises NotFound."""
    return _found(await tx.row(FIND_IDEA[ref.column], workspace_id=workspace_id, ref=ref.value))


_FIND_STATE = by_reference(
    "SELECT {columns} FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref", columns=STATE
)
LOCK_IDEA = by_reference(
    "SELECT {columns} FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref FOR NO KEY UPDATE", columns=STATE
)


async def find_state(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """Returns the columns of STATE. Raises NotFound."""
    return _found(await tx.row(_FIND_STATE[ref.column], workspace_id=workspace_id, ref=ref.value))


async def lock_idea(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """Locks the idea until the transaction ends, and returns the columns of STATE. Raises NotFound."""
    return _found(await tx.row(LOCK_IDEA[ref.column], workspace_id=workspace_id, ref=ref.value))


_FIND_KNOWN = """
SELECT {columns} FROM ideas
 WHERE workspace_id = :workspace_id
   AND ((source_key = :source_key AND external_id = :external_id)
        OR (integration_id = :integration_id AND external_id = :external_id))
 ORDER BY id"""
FIND_KNOWN = sql(_FIND_KNOWN, columns=STATE)
LOCK_KNOWN = sql(f"{_FIND_KNOWN} FOR NO KEY UPDATE", columns=STATE)


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound
    return row


class Located(NamedTuple):
    """The idea that a reference names."""

    id: UUID
    public_id: str


_LOCATE = """
SELECT id, 'IDEA-' || number AS public_id FROM ideas WHERE workspace_id = :workspace_id AND {ref} = :ref"""
_FIND_ID = by_reference(_LOCATE)
_HOLD_ID = by_reference(f"{_LOCATE} FOR KEY SHARE")


async def find_id(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Located:
    """Returns the id of the idea. Raises NotFound."""
    return Located(*_found(await tx.row(_FIND_ID[ref.column], workspace_id=workspace_id, ref=ref.value)))


async def hold_id(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Located:
    """Returns the id of the idea, which cannot be deleted before the transaction ends. Raises NotFound."""
    return Located(*_found(await tx.row(_HOLD_ID[ref.column], workspace_id=workspace_id, ref=ref.value)))


_LISTING = Listing(
    Feed("ideas", IDEA, stored_size("name", "description", "feature_matching", "official_answer")),
    Order("ideas.newest", "created_at", "number", int, is_descending=True),
    count_of("idea"),
)


async def page_of_ideas(
    tx: Tx, workspace_id: UUID, filters: IdeaFilters, window: Window, as_ideas: AsRecords[Idea]
) -> Page[Idea]:
    """Returns a page, newest first; with `updated_since` the oldest change first."""
    return await read_list(tx, _LISTING, _where(workspace_id, filters), filters.updated_since, window, as_ideas)


# By the name of the filter.
_CONDITIONS = {
    "source_key": "source_key = :source_key",
    "external_id": "external_id = :external_id",
    "integration_id": "integration_id = :integration_id",
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


# The columns of a new idea that its creator sets; the status may be omitted.
NEW = columns("""
    id, number, name, description, product_id, integration_id, source_key, external_id, created_source, provenance,
    feature_ownership, feature_matching, matched_key, taxonomy_version_id, portal_visible, official_answer,
    name_drafted, model_due_at""")
_LINK_COLUMNS = columns("feature_ids, insight_ids, account_ids")

_OMITTED: dict[str, Any] = {
    **dict.fromkeys((*NEW, "status")),
    "feature_ownership": "automatic",
    "portal_visible": False,
    "name_drafted": False,
}
_WITHOUT_LINKS: dict[str, Any] = {column: [] for column in (*_LINK_COLUMNS, "suggested_group_ids", "suggested_ids")}

_ADD = """
WITH added AS (
    INSERT INTO ideas (workspace_id, {columns}, status, created_at, updated_at)
    SELECT :workspace_id, {values},
           coalesce(:status, (SELECT label FROM idea_statuses WHERE workspace_id = :workspace_id
                               ORDER BY promotion, position, label LIMIT 1), 'New'),
           moment, moment
      FROM (SELECT {moment} AS moment) AS written
    ON CONFLICT DO NOTHING
    RETURNING *, 'IDEA-' || number AS public_id),
drafted AS ({drafted}),
logged AS ({logged}),
counted AS ({counted}){links}
SELECT {idea} FROM added"""

_LINKS = """,
with_features AS (
    INSERT INTO idea_features (workspace_id, idea_id, feature_id)
    SELECT :workspace_id, added.id, link.id
      FROM added, unnest(:feature_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_insights AS (
    INSERT INTO idea_insights (workspace_id, idea_id, insight_id, validated)
    SELECT :workspace_id, added.id, link.id, :validated
      FROM added, unnest(:insight_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_accounts AS (
    INSERT INTO idea_accounts (workspace_id, idea_id, account_id)
    SELECT :workspace_id, added.id, link.id
      FROM added, unnest(:account_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_suggestions AS (
    INSERT INTO idea_classifications
           (workspace_id, idea_id, group_id, option_ids, review_state, origin, updated_at)
    SELECT :workspace_id, added.id, link.group_id, array_agg(link.id ORDER BY link.n), 'unreviewed', 'suggested',
           added.updated_at
      FROM added, unnest(:suggested_group_ids::uuid[], :suggested_ids::uuid[])
                  WITH ORDINALITY AS link (group_id, id, n)
     GROUP BY added.id, added.updated_at, link.group_id)"""

_PIECES = {
    "moment": MOMENT,
    "drafted": insert_drafted("added"),
    "logged": add_changes("idea", "created", "added"),
    "counted": count_rows("idea", 1, "added"),
    "idea": IDEA,
}


def _add_with(names: tuple[str, ...], links: str) -> Statement:
    return sql(_ADD, columns=", ".join(names), values=values(names), links=links, **_PIECES)


ADD_IDEA = _add_with(NEW, "")
ADD_IDEA_WITH_LINKS = _add_with(NEW + _LINK_COLUMNS, _LINKS)


async def add_idea(
    tx: Tx,
    actor: Actor,
    idea: dict[str, Any],
    drafted: list[DraftedQuestion],
    *,
    links: dict[str, list[UUID]] | None = None,
    validated: bool = False,
) -> Row | None:
    """Adds an idea with its links, questions, suggested options, change and count in one statement.

    `idea` has the values of NEW, and the status; omitted ones are null or the default. `links` may have `feature_ids`,
    `insight_ids`, `account_ids` and the values of `suggested_links`. Returns the columns of IDEA, or None if another
    idea has one of its identities.
    """
    new = _OMITTED | idea | change_by(actor) | drafted_values(drafted) | {"slot": slot()}
    if links and any(links.values()):
        return await tx.row(ADD_IDEA_WITH_LINKS, **new, **(_WITHOUT_LINKS | links), validated=validated)
    return await tx.row(ADD_IDEA, **new)


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


async def remove_idea(tx: Tx, actor: Actor, id: UUID) -> None:
    """Deletes an idea with all that belongs to it, and logs the deletion."""
    await tx.run(_REMOVE, **change_by(actor), slot=slot(), id=id)
