"""The SQL of the ideas that a portal shows."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import Struct, json

from sightline.catalog.portal_labels import ShownLabel, shown_label
from sightline.ideas.classifications.queries import IS_UNREVIEWED_SUGGESTION
from sightline.platform.db import Tx, Where, by_reference, sql
from sightline.platform.lists.single import LargeRecord
from sightline.platform.refs import IdeaRef, parse_uuid
from sightline.portal.ideas.filters import CHOICES, PAGE, SORTS, Facet, Filters, read_facets
from sightline.portal.ideas.search import Search
from sightline.portal.problems import PageNotFound

# The visible ideas, each with the total of its votes; `idea_votes` has no others.
SHOWN = """
    (SELECT ideas.*, votes.total
       FROM ideas JOIN idea_votes AS votes ON votes.workspace_id = :workspace_id AND votes.number = ideas.number
      WHERE ideas.workspace_id = :workspace_id) AS ideas"""


def _columns(description: str, answer: str) -> str:
    """Returns the columns of a ShownIdea, in its order, for a row of `SHOWN`. `:user_id` is the visitor."""
    return f"""
    ideas.id, 'IDEA-' || ideas.number AS public_id, ideas.name, {description} AS description,
    ideas.status AS label,
    (SELECT portal::text FROM idea_statuses
      WHERE workspace_id = :workspace_id AND label = ideas.status) AS label_settings,
    (SELECT name FROM products WHERE workspace_id = :workspace_id AND id = ideas.product_id) AS product,
    ideas.total AS vote_count,
    EXISTS (SELECT FROM portal_votes
             WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND user_id = :user_id) AS is_voted,
    (SELECT count(*) FROM idea_comments
      WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND visibility = 'portal') AS comment_count,
    ideas.created_at, {answer} AS answer"""


SHORT = _columns("left(ideas.description, 400)", "NULL")
LONG = _columns("left(ideas.description, 5000)", "NULL")  # for a passage with words that are searched for
WHOLE = _columns("ideas.description", "ideas.official_answer")


class ShownIdea(Struct, frozen=True):
    """An idea on a page. In lists the description has at most 400 characters, 5,000 in a search, and no answer.

    `vote_count` includes the imported votes. `is_voted`: the visitor votes for it.
    """

    id: UUID
    public_id: str
    name: str
    description: str
    label: str
    label_settings: str | None
    product: str | None
    vote_count: int
    is_voted: bool
    comment_count: int
    created_at: datetime
    answer: str | None

    @property
    def status(self) -> ShownLabel | None:
        return shown_label(self.label, self.label_settings)


_RECENT = timedelta(days=30)  # votes that count for the order "trending"
_COUNT_ALL = "SELECT count(*) FROM idea_votes WHERE workspace_id = :workspace_id"
_PAGE = """
    SELECT ({count}) AS total, {choices} AS choices,
           (SELECT json_agg(shown) FROM (SELECT {columns} FROM ({rows}) AS ideas ORDER BY {order}) AS shown) AS ideas"""
# The ideas with the words are looked up once; without words an index has the order and the number.
_FOUND = """
    WITH found AS MATERIALIZED (SELECT * FROM {ideas} WHERE {where})
    SELECT (SELECT count(*) FROM found) AS total, {choices} AS choices,
           (SELECT json_agg(shown) FROM (
               SELECT {columns}
                 FROM (SELECT * FROM found AS ideas ORDER BY {order} LIMIT :limit OFFSET :offset) AS ideas
                ORDER BY {order}) AS shown) AS ideas"""
_VISIBLE = "SELECT {columns} FROM {ideas} WHERE workspace_id = :workspace_id AND {ref} = :ref AND portal_visible"
_FIND = by_reference(_VISIBLE, columns=SHORT, ideas=SHOWN)
_FIND_WHOLE = by_reference(f"{_VISIBLE} AND octet_length(description) <= :most", columns=WHOLE, ideas=SHOWN)
_BY_IDS = sql(f"""
    SELECT {SHORT} FROM {SHOWN}
     WHERE workspace_id = :workspace_id AND id = ANY(:ids) AND portal_visible ORDER BY array_position(:ids, id)""")


def visible(workspace_id: UUID, filters: Filters, facets: Sequence[Facet], search: Search | None) -> Where:
    """Returns the conditions on a row of `ideas`. `search` has the words of the filters' text, or corrected ones."""
    where = Where(workspace_id, values={})
    where.add("portal_visible")
    if filters.q:
        where.add("search @@ to_tsquery('simple', :words)", words=search.query if search else "")
    for number, facet in enumerate(facets):
        if (option := filters.chosen.get(facet.name)) is None:
            continue
        name = f"option_{number}"
        if option.statuses:
            where.add(f"status = ANY(:{name})", **{name: list(option.statuses)})
        elif facet.group_id is None:
            where.add(f"product_id = :{name}", **{name: parse_uuid(option.value)})
        else:
            where.add(
                f"EXISTS (SELECT FROM idea_classifications WHERE workspace_id = :workspace_id AND idea_id = ideas.id"
                f" AND group_id = :{name}_group AND review_state NOT IN ('rejected', 'unassigned')"
                f" AND NOT {IS_UNREVIEWED_SUGGESTION}"
                f" AND option_ids && ARRAY(SELECT id FROM taxonomy_options WHERE workspace_id = :workspace_id"
                f" AND group_id = :{name}_group AND key = :{name}))",
                **{name: option.value, f"{name}_group": facet.group_id},
            )
    return where


class FoundPage(NamedTuple):
    """The ideas of a page, how many there are on all pages, and what they can be filtered by."""

    ideas: list[ShownIdea]
    total: int
    facets: Sequence[Facet]


async def find_page(tx: Tx, where: Where, filters: Filters, user_id: UUID, columns: str = SHORT) -> FoundPage:
    """Returns the page that the filters name, without ideas if there are fewer pages."""
    order, offset = SORTS[filters.order], (filters.page - 1) * PAGE
    values: dict[str, Any] = {"recent": tx.now - _RECENT} if filters.order == "trending" else {}
    # The plan of a first page is kept: PostgreSQL plans a limit that is a value again for each page.
    part = f"LIMIT {PAGE}"
    if filters.q or offset:
        values |= {"limit": PAGE, "offset": offset}
        part = "LIMIT :limit OFFSET :offset"
    rows = f"SELECT * FROM {SHOWN} WHERE {where} ORDER BY {order} {part}"
    if filters.order == "votes" and not filters.narrows:
        rows = _rows_by_votes(order, part)
    count = f"SELECT count(*) FROM ideas WHERE {where}" if filters.narrows else _COUNT_ALL
    page = _FOUND if filters.q else _PAGE
    statement = sql(
        page, choices=CHOICES, ideas=SHOWN, rows=rows, order=order, columns=columns, where=str(where), count=count
    )
    found = await tx.one(statement, **where.values, **values, user_id=user_id)
    ideas = json.decode(found["ideas"], type=list[ShownIdea]) if found["ideas"] else []
    return FoundPage(ideas, found["total"], read_facets(bytes(found["choices"])))


def _rows_by_votes(order: str, part: str) -> str:
    """Returns the query for a part of all ideas, which an index of the votes finds without reading the others."""
    return f"""
        SELECT ideas.*, votes.total
          FROM (SELECT number, total FROM idea_votes AS ideas
                 WHERE workspace_id = :workspace_id ORDER BY {order} {part}) AS votes
          JOIN ideas ON ideas.workspace_id = :workspace_id AND ideas.number = votes.number"""


async def find_visible(tx: Tx, workspace_id: UUID, ref: IdeaRef, user_id: UUID) -> ShownIdea:
    """Returns the idea as lists show it. Raises PageNotFound if it is hidden or does not exist."""
    row = await tx.row(_FIND[ref.column], workspace_id=workspace_id, ref=ref.value, user_id=user_id)
    if row is None:
        raise PageNotFound
    return ShownIdea(*row)


async def find_whole(tx: Tx, workspace_id: UUID, ref: IdeaRef, user_id: UUID, most: int) -> ShownIdea | None:
    """Returns the idea with its whole description and the answer, or None if it is hidden or does not exist.

    Raises LargeRecord if the description has more than `most` bytes.
    """
    named = {"workspace_id": workspace_id, "ref": ref.value, "user_id": user_id}
    if row := await tx.row(_FIND_WHOLE[ref.column], **named, most=most):
        return ShownIdea(*row)
    if await tx.row(_FIND[ref.column], **named):
        raise LargeRecord
    return None


async def find_by_ids(tx: Tx, workspace_id: UUID, ids: list[UUID], user_id: UUID) -> list[ShownIdea]:
    """Returns the visible ones of these ideas, in the same order."""
    rows = await tx.rows(_BY_IDS, workspace_id=workspace_id, ids=ids, user_id=user_id)
    return [ShownIdea(*row) for row in rows]


_MOVES = sql("""
    SELECT changes.record_id, changes.at, labels.label, labels.portal::text AS settings
      FROM changes
      JOIN idea_statuses AS labels ON labels.workspace_id = :workspace_id AND labels.label = changes.detail ->> 'to'
     WHERE changes.workspace_id = :workspace_id AND changes.kind = 'idea' AND changes.record_id = ANY(:ids)
       AND changes.action IN ('status_changed', 'updated')
     ORDER BY changes.at DESC, changes.id DESC LIMIT 500""")


class StatusMove(NamedTuple):
    """The time at which an idea got a status."""

    at: datetime
    status: ShownLabel


async def list_moves(tx: Tx, workspace_id: UUID, idea_ids: list[UUID]) -> dict[UUID, list[StatusMove]]:
    """Returns the changes of shown statuses by idea, the latest first, at most 500 in all.

    A label that customers do not see, or that the workflow no longer has, is left out.
    """
    moves: dict[UUID, list[StatusMove]] = {}
    for row in await tx.rows(_MOVES, workspace_id=workspace_id, ids=idea_ids):
        if (status := shown_label(row["label"], row["settings"])) is not None:
            moves.setdefault(row["record_id"], []).append(StatusMove(row["at"], status))
    return moves
