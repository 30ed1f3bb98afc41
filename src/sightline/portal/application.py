"""The portals as a web application: finds the portal and the page of a request, and answers errors with a page."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Container
from functools import partial
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from sightline.platform.errors import NotFound, TooLarge
from sightline.platform.http.problems import as_refusal
from sightline.portal import addresses, problems
from sightline.portal.comments import pages as comments
from sightline.portal.ideas import pages as ideas
from sightline.portal.languages import pages as languages
from sightline.portal.mine import pages as mine
from sightline.portal.page import Page
from sightline.portal.problems import PageRefused
from sightline.portal.rendering import TEMPLATES
from sightline.portal.requests import pages as requests
from sightline.portal.sessions.queries import Opened, find_by_alias, find_by_host, has_host
from sightline.portal.sign_in import pages as sign_in
from sightline.portal.visits import Site, Visit, read_cookies, send_page
from sightline.portal.votes import pages as votes
from sightline.web.forms import NotAForm
from sightline.web.languages.catalogue import choose_language

_ALIAS = re.compile(r"[a-z0-9-]{1,63}")  # no other part of a path is redirected: it could be read as a scheme
_HOSTS_KEPT = 1000
_LONGEST_HOST = 300  # characters that are read: a portal's has at most 253, and a port
_HOST_SECONDS = 5
_LOOK_SECONDS = 2.0

PAGES = (
    Route("/", Page("ideas", ideas.show_list)),
    Route("/ideas/{ref}", Page("idea", ideas.show_idea)),
    Route("/ideas/{ref}/vote", Page("vote", receive=votes.vote, show_again=votes.show_again)),
    Route("/ideas/{ref}/comments", Page("comment", receive=comments.add)),
    Route("/ideas/{ref}/comments/{comment}/delete", Page("comment_deletion", comments.ask, comments.delete)),
    Route("/request", Page("request", requests.show_form, requests.send)),
    Route("/request/similar", Page("similar", requests.show_similar)),
    Route("/mine", Page("mine", mine.show_mine)),
    Route("/language", Page("language", receive=languages.choose)),
    Route("/signout", Page("sign_out", receive=sign_in.sign_out)),
    Route(addresses.CALLBACK, Page("sign_in", sign_in.receive_token, is_public=True)),
    Route(addresses.LOGOUT, Page("logout", sign_in.end_after_logout, is_public=True)),
)


_REFUSED_FORMS = {NotAForm: problems.FormNotReadable, TooLarge: problems.FormTooLarge}


async def _refuse_unknown_path(scope: Any, receive: Any, send: Any) -> None:
    """Raises PageNotFound."""
    raise problems.PageNotFound


class Portals:
    """All portals, under `/portal/<alias>` and on mapped hosts. Without a server secret there is no sign-in."""

    def __init__(self, site: Site, probes: Container[str]) -> None:
        """`probes`: the paths of the service that do not wait for the database to know the host."""
        self._site = site
        self._probes = probes
        self._pages = Router(PAGES, redirect_slashes=False, default=_refuse_unknown_path)
        self._hosts: dict[str, tuple[float, bool]] = {}  # by host: whether it is a portal's, and until when that counts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers under `/portal/`: the next part of the path is the alias."""
        alias, slash, _ = scope["path"].removeprefix("/portal/").partition("/")
        if not _ALIAS.fullmatch(alias):
            scope["operation"] = "portal"
            await self._refuse(Request(scope, receive), send, problems.PortalNotFound())
        elif not slash:
            query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
            await RedirectResponse(f"{alias}/{query}", 308)(scope, receive, send)
        else:
            scope["root_path"] = f"/portal/{alias}"
            await self._answer(Request(scope, receive), send, partial(find_by_alias, alias=alias))

    async def answer_on_own_hosts(self, app: ASGIApp, scope: Any, receive: Any, send: Any) -> None:
        """Answers on mapped hosts, else below `/portal`; `app` answers the rest. The API answers on every host."""
        if scope["type"] == "http" and not scope["path"].startswith("/api/external/"):
            host = _host_of(scope)
            if self._was_mapped(host) if scope["path"] in self._probes else await self._is_mapped(host):
                return await self._answer(Request(scope, receive), send, partial(find_by_host, hosts=_names_of(host)))
            if f"{scope['path']}/".startswith("/portal/"):
                return await self(scope, receive, send)
        await app(scope, receive, send)

    async def answer_unknown_path(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers browsers with a page outside the API. Raises NotFound for other clients."""
        if not f"{scope['path']}/".startswith("/api/"):
            request = Request(scope, receive)
            if static := TEMPLATES.assets.answer(request, scope["path"]):
                return await static(scope, receive, send)
            if "text/html" in request.headers.get("accept", "").lower():
                return await self._refuse(request, send, problems.PageNotFound())
        raise NotFound("There is nothing at this address.")

    async def _is_mapped(self, host: str) -> bool:
        """Whether the host is a portal's. Cached for a few seconds; if the database fails, the last result counts."""
        until, is_mapped = self._hosts.get(host, (0.0, False))
        if monotonic() >= until:
            try:
                async with asyncio.timeout(_LOOK_SECONDS), self._site.database().autocommit() as tx:
                    is_mapped = await has_host(tx, _names_of(host))
            except Exception as error:
                if as_refusal(error, is_read=True) is None:
                    raise
            if len(self._hosts) >= _HOSTS_KEPT:
                self._hosts.clear()
            self._hosts[host] = monotonic() + _HOST_SECONDS, is_mapped
        return is_mapped

    def _was_mapped(self, host: str) -> bool:
        """Whether the host was a portal's when it was last looked up."""
        return self._hosts.get(host, (0.0, False))[1]

    async def _answer(self, request: Request, send: Any, find: Callable[..., Awaitable[Opened | None]]) -> None:
        """Sends a file, a page of the portal that `find` finds, or the page of an error."""
        scope = request.scope
        scope["operation"] = "portal"
        path = scope["path"].removeprefix(scope["root_path"])
        if static := TEMPLATES.assets.answer(request, path):
            return await static(scope, request.receive, send)
        try:
            scope["visit"] = await self._visit(request, path, find)
            if path.endswith("\n"):  # before which Starlette's patterns may end
                raise problems.PageNotFound
            await self._pages(scope, request.receive, send)
        except ClientDisconnect:
            raise
        except Exception as error:  # not by ExceptionMiddleware, which takes the traceback from what the log prints
            await self._refuse(request, send, _as_refused(scope, error))
        finally:
            scope.pop("visit", None)  # whose request has the scope: texts in a cycle would stay for long

    async def _visit(self, request: Request, path: str, find: Callable[..., Awaitable[Opened | None]]) -> Visit:
        """Finds the portal, its sessions of the browser, and the language of the request. Raises PortalNotFound."""
        scope = request.scope
        cookies = read_cookies(request.headers.get("cookie", ""))
        tokens = [text for cookie, text in cookies.items() if cookie.endswith("_session")]
        async with self._site.database().autocommit() as tx:
            opened = await find(tx, tokens=tokens)
        if opened is None:
            raise problems.PortalNotFound
        name = addresses.host_name(_host_of(scope))
        is_mapped = not scope["root_path"]
        place = addresses.find_place(opened.portal, self._site.public_url, scope["scheme"], name, is_mapped=is_mapped)
        chosen = cookies.get(f"{place.cookies}language", "")
        language = choose_language(chosen, request.headers.get("accept-language", ""), opened.portal.language)
        return Visit(self._site, *opened, place, request, cookies, path, language)

    async def _refuse(self, request: Request, send: Any, refusal: PageRefused) -> None:
        """Sends the page of an error; to a script, only its sentence.

        Without a portal the page uses the stylesheet of an address that always exists.
        """
        visit: Visit | None = request.scope.get("visit")
        if visit is None:
            language = choose_language("", request.headers.get("accept-language", ""), "")
            root = f"{urlsplit(self._site.public_url or '').path}/portal/unknown"
            text = TEMPLATES.render(language, "problem.html", visit=None, root=root, csrf="", problem=refusal)
            page: Response = HTMLResponse(text, refusal.status)
        elif visit.is_partial:
            page = visit.part("not_saved.html", "innerHTML", refusal.status, problem=refusal)
            page.headers["HX-Retarget"] = "#status"
        else:
            page = visit.page("problem.html", refusal.status, problem=refusal)
        page.headers.update(refusal.headers)
        await send_page(page, request, send, visit)


def _names_of(host: str) -> list[str]:
    return [host, addresses.host_name(host)]


def _host_of(scope: Any) -> str:
    """Returns the host that the browser requested, with its port."""
    host: bytes = scope["headers_by_name"].get(b"host", b"")
    return host[:_LONGEST_HOST].decode("latin-1").lower()


def _as_refused(scope: Any, error: Exception) -> PageRefused:
    if isinstance(error, PageRefused):
        if error.detail:
            scope["reason"] = error.detail
        return error
    if page := _REFUSED_FORMS.get(type(error)):
        return page()
    scope["failure"] = error
    if as_refusal(error, is_read=True) is None:
        return problems.Failed()
    return problems.Unavailable(headers={"Retry-After": "5"})
