"""The portals as a web application: finds the portal, the session and the page of a request."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sightline.platform.db import Database
from sightline.platform.errors import TooLarge
from sightline.platform.http.problems import as_refusal
from sightline.platform.server_secret import ServerSecret
from sightline.portal import addresses, problems
from sightline.portal.comments import pages as comments
from sightline.portal.ideas import pages as ideas
from sightline.portal.languages import pages as languages
from sightline.portal.limits import Limits
from sightline.portal.mine import pages as mine
from sightline.portal.portals import queries
from sightline.portal.portals.records import Portal
from sightline.portal.problems import PageRefused
from sightline.portal.rendering import TEMPLATES
from sightline.portal.requests import pages as requests
from sightline.portal.sessions.queries import find_by_alias, find_by_host, open_session
from sightline.portal.sign_in import pages as sign_in
from sightline.portal.visits import Site, Visit, content_policy
from sightline.portal.votes import pages as votes
from sightline.portal.waiting import pages as waiting
from sightline.portal.waiting.records import as_sent_form
from sightline.web.forms import NotAForm, form_token, is_of_this_site, is_own_form, read_form
from sightline.web.languages.catalogue import choose_language

Answer = Callable[..., Awaitable[Response]]
_SAVED = 303  # the answer to a form that is stored: the page to look at
_HOSTS_KEPT = 1000
_HOST_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Way:
    """One address of every portal. Named groups of the pattern are arguments of the page."""

    name: str
    method: str
    pattern: re.Pattern[str]
    answer: Answer
    is_public: bool = False


def _way(name: str, method: str, path: str, answer: Answer, *, is_public: bool = False) -> Way:
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))
    return Way(f"portal.{name}", method, pattern, answer, is_public)


WAYS = (
    _way("ideas", "GET", "/", ideas.show_list),
    _way("idea", "GET", "/ideas/{ref}", ideas.show_idea),
    _way("vote", "POST", "/ideas/{ref}/vote", votes.vote),
    _way("comment", "POST", "/ideas/{ref}/comments", comments.add),
    _way("comment_deletion_form", "GET", "/ideas/{ref}/comments/{comment}/delete", comments.ask),
    _way("comment_deletion", "POST", "/ideas/{ref}/comments/{comment}/delete", comments.delete),
    _way("request_form", "GET", "/request", requests.show_form),
    _way("request", "POST", "/request", requests.send),
    _way("similar", "GET", "/request/similar", requests.show_similar),
    _way("mine", "GET", "/mine", mine.show_mine),
    _way("language", "POST", "/language", languages.choose),
    _way("sign_out", "POST", "/signout", sign_in.sign_out),
    _way("sign_in", "GET", addresses.CALLBACK, sign_in.receive_token, is_public=True),
    _way("logout", "GET", addresses.LOGOUT, sign_in.end_after_logout, is_public=True),
)


class Portals:
    """All portals, under `/portal/<alias>` and on mapped hosts. Without a server secret there is no sign-in."""

    def __init__(
        self,
        database: Callable[[], Database],
        tools: Callable[[], Mapping[type, Any]],
        *,
        secret: str | None,
        public_url: str | None,
        is_limited: bool,
    ) -> None:
        server_secret = ServerSecret(secret) if secret else None
        self._site = Site(database, server_secret, public_url, Limits() if is_limited else None, tools)
        self._hosts: dict[str, tuple[float, bool]] = {}  # by host: whether it is a portal's, and until when that counts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers under `/portal/`: the next part of the path is the alias."""
        alias, slash, path = scope["path"].removeprefix("/portal/").partition("/")
        request = Request(scope, receive)
        if not slash and _ALIAS.fullmatch(alias):  # others could be read as the scheme of another address
            query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
            response: Response = RedirectResponse(f"{alias}/{query}", 308)
        else:
            response = await self._answer(request, f"/{path}", alias=alias)
        await _send(response, scope, receive, send)

    def on_own_hosts(self, app: Any) -> Any:
        """Returns the application wrapped so that mapped hosts show their portal. The API answers on every host."""

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and not scope["path"].startswith("/api/external/"):
                name = _host_of(scope)
                if await self._is_mapped(name):
                    response = await self._answer(Request(scope, receive), scope["path"], host=name)
                    return await _send(response, scope, receive, send)
            await app(scope, receive, send)

        return answer

    def page_for_browsers(self, refuse: Any) -> Any:
        """Returns what answers an unknown address: a page for browsers outside the API, `refuse` for other clients."""

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and not f"{scope['path']}/".startswith("/api/"):
                request = Request(scope, receive)
                if static := TEMPLATES.assets.answer(request, scope["path"]):
                    return await _send(static, scope, receive, send)
                if "text/html" in request.headers.get("accept", "").lower():
                    response = _refuse(None, request, problems.PageNotFound(), self._site.public_url)
                    _protect(response, None, is_private=False)
                    return await _send(response, scope, receive, send)
            await refuse(scope, receive, send)

        return answer

    async def _is_mapped(self, host: str) -> bool:
        """Whether the host is a portal's. Cached for a few seconds; if the database fails, the last result counts."""
        until, is_mapped = self._hosts.get(host, (0.0, False))
        if monotonic() >= until:
            try:
                async with self._site.database().autocommit() as tx:
                    is_mapped = await queries.has_host(tx, _names_of(host))
            except Exception as error:
                if as_refusal(error, is_read=True) is None:
                    raise
                return is_mapped
            if len(self._hosts) >= _HOSTS_KEPT:
                self._hosts.clear()
            self._hosts[host] = monotonic() + _HOST_SECONDS, is_mapped
        return is_mapped

    async def _answer(self, request: Request, path: str, *, alias: str | None = None, host: str = "") -> Response:
        """Returns the page, with the headers that all pages have."""
        request.scope["operation"] = "portal"
        visit: Visit | None = None
        try:
            if static := TEMPLATES.assets.answer(request, path):
                return static
            visit = await self._visit(request, path, alias, host)
            response = await _show(visit, path)
        except ClientDisconnect:
            raise
        except Exception as error:
            refusal = _as_refused(request, error)
            response = _refuse(visit, request, refusal, self._site.public_url)
        if visit and visit.session and visit.session.is_prolonged:
            visit.set_session(response, visit.session.token)
        # The address of the callback has a token, which must not leak, even if the sign-in fails.
        _protect(response, visit.portal if visit else None, is_private=path == addresses.CALLBACK)
        return response

    async def _visit(self, request: Request, path: str, alias: str | None, host: str) -> Visit:
        """Finds the portal, its sessions of the browser, and the language of the request. Raises PortalNotFound."""
        if alias is not None and not _ALIAS.fullmatch(alias):
            raise problems.PortalNotFound
        tokens = [text for cookie, text in request.cookies.items() if cookie.endswith("_session")]
        async with self._site.database().autocommit() as tx:
            if alias is not None:
                opened = await find_by_alias(tx, alias, tokens)
            else:
                opened = await find_by_host(tx, _names_of(host), tokens)
        if opened is None:
            raise problems.PortalNotFound
        portal = opened.portal
        name = addresses.host_name(_host_of(request.scope))
        scheme = request.scope.get("scheme", "http")
        place = addresses.find_place(portal, self._site.public_url, scheme, name, is_mapped=alias is None)
        chosen = request.cookies.get(f"{place.cookies}language", "")
        language = choose_language(chosen, request.headers.get("accept-language", ""), portal.language)
        return Visit(self._site, opened, place, request, path, language)


def _names_of(host: str) -> list[str]:
    return [host, addresses.host_name(host)]


def _host_of(scope: Any) -> str:
    """Returns the host that the browser requested, with its port."""
    host = scope.get("forwarded_host") or next((value for name, value in scope["headers"] if name == b"host"), b"")
    text: str = host.decode("latin-1").lower()
    return text


_ALIAS = re.compile(r"[a-z0-9-]{1,63}")


async def _show(visit: Visit, path: str) -> Response:
    way, arguments = _find_way(visit.request.method, path)
    visit.request.scope["operation"] = way.name
    if way.is_public:
        if visit.request.method == "HEAD":  # sent by filters of links too, so it spends nothing
            return Response()
        return await way.answer(visit, **arguments)
    sign_in.require_sign_in(visit)
    token = visit.request.cookies.get(f"{visit.place.cookies}session", "")
    visit.session = await open_session(visit.db, visit.opened, token)
    if way.method == "POST":
        visit.form = await _receive_form(visit)
        visit.sent = as_sent_form(path, visit.form) if is_of_this_site(visit.request) else None
    if visit.session is None:
        return await _ask_to_sign_in(visit, path)
    if way.method == "POST":
        return await _receive(visit, visit.session.token, way, arguments)
    if not visit.is_partial:
        visit.waiting = await waiting.find_waiting(visit)
    return await way.answer(visit, **arguments)


async def _receive(visit: Visit, session_token: str, way: Way, arguments: dict[str, str]) -> Response:
    """Answers a form of this session. Raises FormNotAccepted for another one."""
    if not is_own_form(visit.secret, session_token, visit.form.get("csrf", ""), visit.request):
        if visit.is_partial and visit.sent and way.answer is votes.vote:
            return await votes.show_again(visit, **arguments)
        raise problems.FormNotAccepted
    try:
        response = await way.answer(visit, **arguments)
    except problems.PageNotFound:  # shown to be copied; it can never be saved
        await waiting.forget_sent(visit)
        raise
    if response.status_code == _SAVED:
        await waiting.forget_sent(visit)
    return response


def _find_way(method: str, path: str) -> tuple[Way, dict[str, str]]:
    """Returns the way and the arguments from its path. Raises PageNotFound, WrongMethod."""
    found = [(way, match) for way in WAYS if (match := way.pattern.fullmatch(path))]
    if not found:
        raise problems.PageNotFound
    for way, match in found:
        if way.method == ("GET" if method == "HEAD" else method):
            return way, match.groupdict()
    methods = {way.method for way, _ in found}
    allowed = sorted(methods | {"HEAD"} if "GET" in methods else methods)
    raise problems.WrongMethod(headers={"Allow": ", ".join(allowed)})


async def _receive_form(visit: Visit) -> dict[str, str]:
    """Reads the form. Raises FormNotReadable, FormTooLarge."""
    try:
        return await read_form(visit.request)
    except NotAForm:
        raise problems.FormNotReadable from None
    except TooLarge:
        raise problems.FormTooLarge from None


# The page after signing in, for addresses that take only POST.
_RETURNS = {"/signout": "/", "/language": "/"}


async def _ask_to_sign_in(visit: Visit, path: str) -> Response:
    """Redirects a GET to the customer's login. Keeps a form, and shows the typed text and how to continue."""
    browser = await waiting.keep(visit, visit.sent) if visit.sent else None
    response = _sign_in_page(visit, path, is_waiting=browser is not None)
    if browser is not None:
        visit.set_cookie(response, waiting.COOKIE, browser, waiting.SECONDS)
    return response


def _sign_in_page(visit: Visit, path: str, *, is_waiting: bool) -> Response:
    is_get = visit.request.method in ("GET", "HEAD")
    query = visit.request.url.query
    return_to = f"{path}?{query}" if query and is_get else path
    if not is_get:
        return_to = _RETURNS.get(path) or re.sub(r"/(vote|comments)(/.*)?\Z", "", path)
    if visit.is_partial:
        page = re.sub(r"/similar\Z", "", path) if is_get else return_to
        return Response(status_code=401, headers={"HX-Redirect": quote(visit.place.root + page)})
    if is_get:
        return sign_in.go_to_sign_in(visit, return_to)
    return visit.page("signed_out.html", 401, kept=visit.typed, return_to=return_to, is_waiting=is_waiting)


def _as_refused(request: Request, error: Exception) -> PageRefused:
    if isinstance(error, PageRefused):
        if error.detail:
            request.scope["reason"] = error.detail
        return error
    request.scope["failure"] = error
    if as_refusal(error, is_read=True) is None:
        return problems.Failed()
    return problems.Unavailable(headers={"Retry-After": "5"})


def _refuse(visit: Visit | None, request: Request, refusal: PageRefused, public_url: str | None) -> Response:
    """Returns the page of an error; for a script, only its sentence.

    Without a portal the page uses the stylesheet of an address that always exists.
    """
    language = visit.language if visit else choose_language("", request.headers.get("accept-language", ""), "")
    root = visit.place.root if visit else f"{urlsplit(public_url or '').path}/portal/unknown"
    token = form_token(visit.secret, visit.session.token) if visit and visit.session else ""
    sent = visit.sent if visit and visit.session and refusal.is_worth_repeating else None
    values: dict[str, Any] = {"visit": visit, "root": root, "csrf": token, "kept": visit.typed if visit else {}}
    values |= {"sent": sent, "minutes": refusal.minutes}
    if visit and visit.is_partial:
        part = {"HX-Retarget": "#status", "HX-Reswap": "innerHTML"}
        text = (
            TEMPLATES.render(language, "not_saved.html", **values) if sent else TEMPLATES.text(language, refusal.text)
        )
        response = HTMLResponse(text.strip(), refusal.status, part)
    else:
        response = HTMLResponse(TEMPLATES.render(language, "problem.html", problem=refusal, **values), refusal.status)
    response.headers.update(refusal.headers)
    return response


_OF_EVERY_PAGE = [
    (b"cache-control", b"private, no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"vary", b"Cookie, Accept-Language, HX-Request"),
]


def _protect(response: Response, portal: Portal | None, *, is_private: bool) -> None:
    """Adds the headers that every page has."""
    is_redirect = response.status_code in (302, 303)
    # `same-origin`: without any referrer, forms of the portal would have the origin `null`.
    referrer = b"no-referrer" if is_private or is_redirect else b"same-origin"
    response.raw_headers += [
        *_OF_EVERY_PAGE,
        (b"content-security-policy", content_policy(portal).encode()),
        (b"referrer-policy", referrer),
    ]


async def _send(response: Response, scope: Any, receive: Any, send: Any) -> None:
    if scope["method"] == "HEAD":
        response.body = b""
    await response(scope, receive, send)
