"""One path of every portal: who may open its page, and how its form is received."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from sightline.platform.turns import acting_for, acting_person
from sightline.portal import problems
from sightline.portal.sessions.queries import open_session
from sightline.portal.sign_in.pages import go_to_sign_in, require_sign_in
from sightline.portal.visits import Visit, send_page
from sightline.portal.waiting import pages as waiting
from sightline.portal.waiting.records import as_sent_form
from sightline.web.forms import is_of_this_site, is_own_form, read_form

Answer = Callable[..., Awaitable[Response]]
_SAVED = 303  # the answer to a form that is stored: the page to look at
# Where to go after signing in, for paths that take only POST or answer only scripts: /ideas/7/vote leads to /ideas/7.
_ACTIONS = re.compile(r"/(vote|comments|similar)(/.*)?\Z")
_RETURNS = {"/signout": "/", "/language": "/"}


@dataclass(frozen=True, slots=True)
class Page:
    """An endpoint for Starlette's Route. `show` answers GET, `receive` a form; parts of the path are their arguments.

    `show_again` answers a script whose form is of another session. Logs and metrics name it `portal.<name>`, and the
    GET of a page that also receives a form `portal.<name>_form`.
    """

    name: str
    show: Answer | None = None
    receive: Answer | None = None
    show_again: Answer | None = None
    is_public: bool = False

    @property
    def methods(self) -> dict[str, Answer]:
        answers = {"GET": self.show, "HEAD": self.show, "POST": self.receive}
        return {method: answer for method, answer in answers.items() if answer}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Raises WrongMethod, and the problems of the page."""
        visit, method, arguments = scope["visit"], scope["method"], scope["path_params"]
        acting_for.set(visit.portal.workspace_id)
        if (answer := self.methods.get(method)) is None:
            raise problems.WrongMethod(headers={"Allow": ", ".join(sorted(self.methods))})
        scope["operation"] = f"portal.{self.name}{'_form' if self.receive and method != 'POST' else ''}"
        if self.is_public:
            # Mail scanners open links with HEAD: it runs nothing, so it uses up neither a token nor a limit.
            response = Response() if method == "HEAD" else await answer(visit, **arguments)
        else:
            response = await self._answer_signed_in(visit, answer, arguments)
        await send_page(response, visit.request, send, visit)

    async def _answer_signed_in(self, visit: Visit, answer: Answer, arguments: dict[str, str]) -> Response:
        require_sign_in(visit)
        visit.session = await open_session(visit.db, visit.portal, visit.sessions, visit.cookie("session"))
        is_form = visit.request.method == "POST"
        if is_form:
            visit.form = await read_form(visit.request)
            visit.sent = as_sent_form(visit.path, visit.form) if is_of_this_site(visit.request) else None
        if visit.session is None:
            return await _ask_to_sign_in(visit)
        acting_person.set(visit.user.id)
        if is_form:
            return await self._receive(visit, visit.session.token, answer, arguments)
        if not visit.is_partial:
            visit.waiting = await waiting.find_waiting(visit)
        return await answer(visit, **arguments)

    async def _receive(self, visit: Visit, session_token: str, answer: Answer, arguments: dict[str, str]) -> Response:
        """Answers a form of this session. Raises FormNotAccepted for another one."""
        if not is_own_form(visit.secret, session_token, visit.form.get("csrf", ""), visit.request):
            if visit.is_partial and visit.sent and self.show_again:
                return await self.show_again(visit, **arguments)
            raise problems.FormNotAccepted
        try:
            response = await answer(visit, **arguments)
        except problems.PageNotFound:  # shown to be copied; it can never be saved
            await waiting.forget_sent(visit)
            raise
        if response.status_code == _SAVED:
            await waiting.forget_sent(visit)
        return response


async def _ask_to_sign_in(visit: Visit) -> Response:
    """Redirects a GET to the customer's login. Keeps a form, and shows the typed text and how to continue."""
    is_form = visit.request.method == "POST"
    browser = await waiting.keep(visit, visit.sent) if visit.sent else None
    page = _RETURNS.get(visit.path) or _ACTIONS.sub("", visit.path)
    if visit.is_partial:
        response = Response(status_code=401, headers={"HX-Redirect": quote(visit.place.root + page)})
    elif is_form:
        is_waiting = browser is not None
        response = visit.page("signed_out.html", 401, kept=visit.typed, return_to=page, is_waiting=is_waiting)
    else:
        response = go_to_sign_in(visit, visit.own_path)
    if browser is not None:
        visit.set_cookie(response, waiting.COOKIE, browser, waiting.SECONDS)
    return response
