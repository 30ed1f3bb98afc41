"""Requesting an idea: the form, similar ideas, and sending it."""

from typing import Any

from starlette.responses import Response

from sightline.ideas.create import RequestedIdea, add_requested_idea
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.db import sql
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.ids import derived_id
from sightline.platform.lists.single import ANY_BYTES
from sightline.platform.refs import IdeaRef
from sightline.portal.accounts.resolve import accounts_of
from sightline.portal.ideas.queries import ShownIdea
from sightline.portal.problems import SentBefore
from sightline.portal.requests import trap
from sightline.portal.requests.queries import find_own_request
from sightline.portal.requests.similar import find_similar
from sightline.portal.visits import Visit
from sightline.web.languages.catalogue import N_
from sightline.workspaces.changes import was_deleted
from sightline.workspaces.numbers import take_number

LONGEST_TITLE = 200
LONGEST_TEXT = 10_000
_MOST_SIMILAR = 3

_ADD = sql("""
    INSERT INTO portal_requests (workspace_id, idea_id, user_id, created_at)
    VALUES (:workspace_id, :idea_id, :user_id, :now)""")

TITLE_MISSING = N_("Enter a title.")
TITLE_TOO_LONG = N_("Shorten the title to 200 characters.")
TEXT_TOO_LONG = N_("Shorten the description to 10,000 characters.")


async def show_form(visit: Visit) -> Response:
    """Shows the form; `title` in the address fills it in. Raises TooOften."""
    title = visit.request.query_params.get("title", "").replace("\0", "")[:LONGEST_TITLE]
    similar = await _look_up(visit, title) if title else []
    return _form(visit, 200, title=title, text="", similar=similar, asked=False)


async def show_similar(visit: Visit) -> Response:
    """Shows the similar ideas alone, while the title is typed. Raises TooOften."""
    title = visit.request.query_params.get("title", "").replace("\0", "")[:LONGEST_TITLE]
    return visit.part("similar.html", "innerHTML", similar=await _look_up(visit, title))


async def send(visit: Visit) -> Response:
    """Creates the idea. Shows the form again if something is wrong, and similar ideas once.

    Raises SentBefore, TooOften.
    """
    form = visit.form
    title, text = " ".join(form.get("title", "").split()), form.get("text", "").strip()
    typed: dict[str, Any] = {"title": title, "text": text}
    faults = _faults(title, text)
    if faults:
        return _form(visit, 422, faults=faults, **typed)
    if fault := _find_trap_fault(visit):
        return _form(visit, 422, trap_fault=fault, **typed)
    if form.get("confirmed") != "1" and (similar := await _look_up(visit, title)):
        return _form(visit, 200, similar=similar, asked=True, **typed)
    visit.limit(lambda limits: limits.requests, f"requests {visit.user.id}")
    public_id = await _create(visit, title, text)
    return visit.go(f"/ideas/{public_id}?sent=1")


async def _create(visit: Visit, title: str, text: str) -> str:
    """Adds the idea with all accounts of the person, hidden unless the portal shows requests at once.

    `text` may be empty. Returns the public id. The same words sent again with the same form are the same request.
    Raises SentBefore if that was deleted.
    """
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    engine: EmbeddedEngine = visit.site.tools()[EmbeddedEngine]
    id = derived_id(visit.form_id, user_id, title, text)

    async def attempt() -> str | None:
        async with visit.db.autocommit() as tx:
            if (sent := await find_own_request(tx, workspace_id, IdeaRef(id=id), user_id, ANY_BYTES)) is not None:
                return sent.public_id
            number = await take_number(visit.db, tx, workspace_id, "idea")
        async with visit.db.transaction() as tx:
            accounts = await accounts_of(tx, workspace_id, user_id)
            requested = RequestedIdea(id, number, title, text, accounts, visit.portal.requests_visible)
            if not await add_requested_idea(tx, engine, visit.actor, requested):
                return None
            if await was_deleted(tx, workspace_id, id):
                raise SentBefore
            await tx.run(_ADD, workspace_id=workspace_id, idea_id=id, user_id=user_id)
            return f"IDEA-{number}"

    return await retry_when_overtaken(attempt, Conflict("The accounts of the person keep changing. Try again."))


async def _look_up(visit: Visit, title: str) -> list[ShownIdea]:
    """Returns at most three similar ideas. Raises TooOften."""
    async with visit.search():
        return (await find_similar(visit, title))[:_MOST_SIMILAR]


def _faults(title: str, text: str) -> dict[str, str]:
    """Returns a message for each faulty field."""
    faults = {}
    if not title:
        faults["title"] = TITLE_MISSING
    elif len(title) > LONGEST_TITLE:
        faults["title"] = TITLE_TOO_LONG
    if len(text) > LONGEST_TEXT:
        faults["text"] = TEXT_TOO_LONG
    return faults


def _find_trap_fault(visit: Visit) -> str | None:
    """Returns why the form looks like one that a program sent, or None.

    With the limits off only the hidden field counts, so that an operator's programs can send requests.
    """
    assert visit.session is not None  # noqa: S101 - only people who are signed in come here
    if visit.site.limits is None:
        return trap.FILLED_IN if visit.form.get(trap.FIELD) else None
    return trap.find_fault(visit.secret, visit.session.token, visit.form, visit.db.clock.now())


def _form(visit: Visit, status: int, **values: Any) -> Response:
    assert visit.session is not None  # noqa: S101 - only people who are signed in come here
    opened = visit.form.get("opened")  # in the second step the form was opened in the first
    if opened is None or values.get("trap_fault"):
        opened = trap.opened(visit.secret, visit.session.token, visit.db.clock.now())
    usual = {"similar": [], "asked": False, "faults": {}, "trap_fault": None, "opened": opened, "trap": trap.FIELD}
    return visit.page("request.html", status, **(usual | values))
