"""The list of ideas, and the page of one idea."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from sightline.platform.beside import Beside
from sightline.platform.db import Tx
from sightline.platform.errors import InvalidReference, NotFound
from sightline.platform.refs import IdeaRef
from sightline.portal.comments.queries import PAGE as COMMENTS
from sightline.portal.comments.queries import ShownComment, list_comments
from sightline.portal.ideas import queries
from sightline.portal.ideas.filters import (
    PAGE,
    Facet,
    Filters,
    find_facets,
    is_usual,
    names_option,
    read_filters,
    read_page,
    read_search,
    reads_all,
)
from sightline.portal.ideas.history import list_moves
from sightline.portal.ideas.records import LONG, SHORT, ShownIdea
from sightline.portal.ideas.search import Search, correct, search_for, words_of
from sightline.portal.problems import PageNotFound
from sightline.portal.requests.queries import find_own_request
from sightline.portal.visits import Visit

_SHOWN_MOVES = 20
_BESIDE = Beside("portal-lists")  # marks and many options may take a tenth of a second


async def show_list(visit: Visit) -> Response:
    """Shows ideas that match the filters, 20 on a page. Raises TooOften."""
    query = visit.request.query_params
    turn = visit.search() if read_search(query) else visit.turn() if reads_all(query) else nullcontext()
    async with turn:
        values = await _find_shown(visit)
    is_small = is_usual(values["facets"], visit.portal.intro)
    if values["marks"] or not is_small:
        return await _BESIDE.run(_page, visit, values)
    if visit.is_partial or visit.waiting or values["filters"].narrows:
        return _page(visit, values)
    return visit.list_page(back="/" + values["filters"].query(), **values)


async def _find_shown(visit: Visit) -> dict[str, Any]:
    """Returns what the page shows. If no idea has the words, misspelt ones are corrected."""
    workspace_id, query = visit.portal.workspace_id, visit.request.query_params
    async with visit.db.autocommit() as tx:
        facets = await find_facets(tx, workspace_id) if names_option(query) else ()
        filters = read_filters(query, facets)
        search = await search_for(tx, workspace_id, words_of(filters.q))
        found = await _find(tx, visit, filters, facets, search)
    corrected = await _corrected(visit, filters) if found.total == 0 and search else None
    if corrected or (found.total and not found.ideas):
        async with visit.db.autocommit() as tx:
            if corrected:
                search = await search_for(tx, workspace_id, corrected)
                found = await _find(tx, visit, filters, facets, search)
            if found.total and not found.ideas:
                filters = replace(filters, page=_pages(found.total, PAGE))
                found = await _find(tx, visit, filters, facets, search)
    return {
        **found._asdict(),
        "pages": _pages(found.total, PAGE),
        "filters": filters,
        "corrected": " ".join(corrected) if corrected and found.total else None,
        "marks": search.pattern if search else None,
    }


def _page(visit: Visit, values: dict[str, Any]) -> Response:
    return visit.part("found.html", "innerHTML", **values) if visit.is_partial else visit.page("ideas.html", **values)


async def _find(
    tx: Tx, visit: Visit, filters: Filters, facets: Sequence[Facet], search: Search | None
) -> queries.FoundPage:
    where = queries.visible(visit.portal.workspace_id, filters, facets, search)
    return await queries.find_page(tx, where, filters, visit.user.id, LONG if search else SHORT)


async def _corrected(visit: Visit, filters: Filters) -> list[str] | None:
    """Returns the words with known ones in place of misspelt ones, or None if there are none."""
    words = words_of(filters.q)
    known = await visit.site.title_words.of(visit.db, visit.portal.workspace_id)
    nearest = await correct(words, known)
    return nearest if nearest != words else None


async def show_idea(visit: Visit, ref: str) -> Response:
    """Shows one idea; a hidden one only to its author, with their words and its status. Raises PageNotFound.

    `page` in the address names a page of its comments; the first has the newest.
    """
    reference = read_reference(ref)
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    async with visit.db.autocommit() as tx:
        idea = await queries.find_visible(tx, workspace_id, reference, user_id)
        if idea is None:
            request = await find_own_request(tx, workspace_id, reference, user_id)
            if request is None:
                raise PageNotFound
            return visit.page("hidden_request.html", request=request)
        page = min(read_page(visit.request.query_params), _pages(idea.comment_count, COMMENTS))
        comments = await list_comments(tx, workspace_id, idea.id, page) if visit.portal.comments_enabled else []
        moves = await list_moves(tx, workspace_id, [idea.id])
    return await idea_page(visit, idea, comments, page=page, moves=moves.get(idea.id, [])[:_SHOWN_MOVES])


async def idea_page(
    visit: Visit, idea: ShownIdea, comments: list[ShownComment], status: int = 200, **values: Any
) -> Response:
    """Renders an idea with these comments; `page` is the number of their page."""
    description, answer, *bodies = await asyncio.gather(
        visit.texts.add(idea.description),
        visit.texts.add(idea.answer or ""),
        *(visit.texts.add(comment.body, keeps_lines=True) for comment in comments),
    )
    shown = [replace(comment, body=body) for comment, body in zip(comments, bodies, strict=True)]
    usual = {"page": 1, "pages": _pages(idea.comment_count, COMMENTS), "typed": "", "fault": None, "moves": []}
    usual |= {"description": description, "answer": answer}
    return visit.page("idea.html", status, idea=idea, comments=shown, **(usual | values))


def _pages(total: int, page: int) -> int:
    return max(1, -(-total // page))


def read_reference(ref: str) -> IdeaRef:
    """Reads an idea's reference from the path. Raises PageNotFound."""
    try:
        return IdeaRef.parse(ref)
    except (InvalidReference, NotFound):
        raise PageNotFound from None
