"""The list of ideas, and the page of one idea."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from sightline.platform.beside import Beside
from sightline.platform.db import Tx
from sightline.platform.errors import InvalidReference
from sightline.platform.lists.single import ANY_BYTES, SMALL_BYTES, LargeRecord
from sightline.platform.refs import IdeaRef
from sightline.portal.comments.queries import PAGE as COMMENTS
from sightline.portal.comments.queries import list_comments
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
from sightline.portal.ideas.queries import LONG, SHORT, FoundPage, find_page, find_whole, list_moves, visible
from sightline.portal.ideas.search import Search, correct, search_for, words_of
from sightline.portal.problems import PageNotFound
from sightline.portal.requests.queries import find_own_request
from sightline.portal.visits import Visit
from sightline.web.markdown import LONGEST
from sightline.web.page_texts import PageTexts

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


async def _find(tx: Tx, visit: Visit, filters: Filters, facets: Sequence[Facet], search: Search | None) -> FoundPage:
    where = visible(visit.portal.workspace_id, filters, facets, search)
    return await find_page(tx, where, filters, visit.user.id, LONG if search else SHORT)


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
    try:
        return await idea_page(visit, reference, read_page(visit.request.query_params))
    except PageNotFound:
        return await _read_large(visit, partial(_own_request_page, visit, reference))


async def idea_page(visit: Visit, ref: IdeaRef, page: int, status: int = 200, **values: str) -> Response:
    """Shows a visible idea with a page of its comments. `values` are of a comment that was not added.

    Raises PageNotFound.
    """
    return await _read_large(visit, partial(_idea_page, visit, ref, page, status, values))


async def _read_large(visit: Visit, page: Callable[[int], Awaitable[Response]]) -> Response:
    """Returns a page, which gets the bytes that a text may have, or else raises LargeRecord.

    Large texts are read, rendered and put into a file when no other large record is. Raises NoTurn, and
    ClientDisconnect if nobody waits for the page any more.
    """
    try:
        return await page(SMALL_BYTES)
    except LargeRecord:
        pass
    async with visit.db.large_read():
        if await visit.request.is_disconnected():
            raise ClientDisconnect
        return await page(ANY_BYTES)


async def _own_request_page(visit: Visit, ref: IdeaRef, most: int) -> Response:
    async with visit.db.autocommit() as tx:
        request = await find_own_request(tx, visit.portal.workspace_id, ref, visit.user.id, most)
    if request is None:
        raise PageNotFound
    texts = PageTexts()
    text = texts.as_written(request.text) if len(request.text) > LONGEST else request.text
    return await visit.page_of_texts(texts, "hidden_request.html", 200, {"request": request, "text": text})


async def _idea_page(
    visit: Visit, ref: IdeaRef, page: int, status: int, values: Mapping[str, str], most: int
) -> Response:
    workspace_id = visit.portal.workspace_id
    async with visit.db.autocommit() as tx:
        idea = await find_whole(tx, workspace_id, ref, visit.user.id, most)
        if idea is None:
            raise PageNotFound
        pages = _pages(idea.comment_count, COMMENTS)
        page = min(page, pages)
        with_comments = visit.portal.comments_enabled
        comments = await list_comments(tx, workspace_id, idea.id, page, most) if with_comments else []
        moves = await list_moves(tx, workspace_id, [idea.id])
    texts = PageTexts()
    description = await texts.add(idea.description)
    answer = await texts.add(idea.answer or "")
    bodies = [await texts.add(comment.body, keeps_lines=True) for comment in comments]
    shown = {
        "idea": idea,
        "description": description,
        "answer": answer,
        "comments": [comment._replace(body=body) for comment, body in zip(comments, bodies, strict=True)],
        "page": page,
        "pages": pages,
        "moves": moves.get(idea.id, [])[:_SHOWN_MOVES],
    }
    return await visit.page_of_texts(texts, "idea.html", status, {"typed": "", "fault": None, **shown, **values})


def _pages(total: int, page: int) -> int:
    return max(1, -(-total // page))


def read_reference(ref: str) -> IdeaRef:
    """Reads an idea's reference from the path. Raises PageNotFound for a malformed one."""
    try:
        return IdeaRef.parse(ref)
    except InvalidReference:
        raise PageNotFound from None
