"""One request to a portal: the portal, the session, the language, and the ways to respond."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.ids import new_id
from sightline.platform.limits import Limit
from sightline.platform.refs import parse_uuid
from sightline.platform.server_secret import ServerSecret
from sightline.platform.turns import FairTurns
from sightline.platform.unread import LARGE_BYTES, keep_unread, pieces_of
from sightline.portal.addresses import CALLBACK, Place
from sightline.portal.ideas.search import TitleWords
from sightline.portal.limits import Limits
from sightline.portal.portals.records import Portal
from sightline.portal.problems import TooOften
from sightline.portal.rendering import TEMPLATES, render_list
from sightline.portal.requests import trap
from sightline.portal.sessions.queries import LIFE, Session, Sessions, User
from sightline.portal.waiting.records import TEXTS, SentForm
from sightline.web.forms import form_token
from sightline.web.page_texts import PageTexts


@dataclass(slots=True)
class Site:
    """The things that all portals of this process share. `limits` is None if they are off."""

    database: Callable[[], Database]
    secret: ServerSecret | None
    public_url: str | None
    limits: Limits | None
    tools: Callable[[], Mapping[type, Any]] = field(default=dict)
    title_words: TitleWords = field(default_factory=TitleWords)
    searches: FairTurns = field(default_factory=partial(FairTurns, 2))


@dataclass(slots=True)
class Visit:
    """A request to a portal, whose own path is `path`.

    `session` is None on public pages; `form` has the fields of a POST. `sent` is that form if it can be sent again,
    `waiting` the forms that the page offers to send, `unread` a large page until the client has read it.
    """

    site: Site
    portal: Portal
    sessions: Sessions
    place: Place
    request: Request
    cookies: Mapping[str, str]
    path: str
    language: str
    session: Session | None = None
    form: dict[str, str] = field(default_factory=dict)
    sent: SentForm | None = None
    waiting: list[SentForm] = field(default_factory=list)
    unread: IO[bytes] | None = None

    @property
    def db(self) -> Database:
        return self.site.database()

    @property
    def secret(self) -> ServerSecret:
        assert self.site.secret is not None  # noqa: S101 - without one, no portal has sign-in
        return self.site.secret

    @property
    def user(self) -> User:
        assert self.session is not None  # noqa: S101 - the application has checked it
        return self.session.user

    @property
    def actor(self) -> Actor:
        return Actor(self.portal.workspace_id, "portal_user", str(self.user.id))

    @property
    def form_id(self) -> UUID:
        """The id of the sent form, else a new one for the forms of the page: what is sent twice is written once."""
        return parse_uuid(self.form.get("form_id", "")) or new_id()

    @property
    def typed(self) -> dict[str, str]:
        """The texts that the person typed into the form."""
        return {name: text for name, text in self.form.items() if name in TEXTS and text}

    @property
    def own_path(self) -> str:
        """The path of this page with its query, or `/`, the page of all ideas, in the answer to a form."""
        if self.request.method == "POST":
            return "/"
        query = self.request.scope["query_string"].decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    @property
    def voted(self) -> str:
        """The public id of the idea for which a form without scripts just set the vote, or an empty text."""
        return self.request.query_params.get("voted", "")

    @property
    def is_partial(self) -> bool:
        """Whether a script of the page requests a part of it."""
        return bool(self.request.scope["headers_by_name"].get(b"hx-request") == b"true")

    def limit(self, which: Callable[[Limits], Limit], key: str) -> None:
        """Counts one use of a limit for this key. Raises TooOften."""
        if self.site.limits is None:
            return
        now = self.db.clock.now().timestamp()
        ends, left = which(self.site.limits).take(f"{self.portal.workspace_id} {key}", now)
        if left < 0:
            raise TooOften(headers={"Retry-After": str(int(ends - now) + 1)})

    def search(self) -> AbstractAsyncContextManager[None]:
        """Counts a search and returns its turn. Raises TooOften."""
        self.limit(lambda limits: limits.look_ups, f"look-ups {self.user.id}")
        return self.turn()

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Returns the turn for what may read all ideas: one of two, and one of a portal and of a person."""
        return self.site.searches.turn(self.user.id, self.portal.workspace_id)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Renders a template, which is a page or a part of one and has the visit as `visit`."""
        return HTMLResponse(self._render(template, values), status)

    async def page_of_texts(self, texts: PageTexts, template: str, status: int, values: Mapping[str, Any]) -> Response:
        """Renders a page with these texts. One with large ones waits in a file until the client has read it."""
        text = self._render(template, values)
        if not texts.large:
            return HTMLResponse(text, status)
        self.unread = await texts.keep_unread(text)
        return StreamingResponse(pieces_of(self.unread), status, media_type="text/html")

    def _render(self, template: str, values: Mapping[str, Any]) -> str:
        return TEMPLATES.render(self.language, template, visit=self, root=self.place.root, csrf=self._csrf(), **values)

    def list_page(self, ideas: Sequence[Any], back: str, **same: Hashable) -> Response:
        """Renders a page of all ideas; pages with the same values have the same text around what is the visitor's."""
        csrf, root = self._csrf(), self.place.root
        rows = TEMPLATES.function(self.language, "idea_rows")(ideas, root, csrf, back, self.voted)
        own = {"rows": rows, "csrf": csrf, "user": self.user.first_name or self.user.email, "own_path": self.own_path}
        return HTMLResponse(render_list(self.language, own, portal=self.portal, root=root, ideas=bool(ideas), **same))

    def _csrf(self) -> str:
        return form_token(self.secret, self.session.token) if self.session else ""

    def part(self, template: str, swap: str, status: int = 200, **values: Any) -> Response:
        """Renders a part of a page for a script. Only answers that name how they are swapped in are shown."""
        response = self.page(template, status, **values)
        response.headers["HX-Reswap"] = swap
        return response

    def opened_earlier(self) -> str:
        """Returns the signed time for a form that the person has filled in already, so that it can be sent at once."""
        assert self.session is not None  # noqa: S101 - only people who are signed in send forms
        return trap.opened(self.secret, self.session.token, self.db.clock.now() - trap.SHORTEST)

    def go(self, path: str, status: int = 303) -> Response:
        """Redirects to a path of this portal."""
        return RedirectResponse(self.place.root + path, status)

    def cookie(self, name: str) -> str:
        """Returns a cookie of this portal, or an empty text. `name` is without the portal's prefix."""
        return self.cookies.get(self.place.cookies + name, "")

    def set_session(self, response: Response, token: str) -> None:
        self.set_cookie(response, "session", token, int(LIFE.total_seconds()))

    def set_cookie(self, response: Response, name: str, value: str, seconds: int) -> None:
        """Sets a cookie; with 0 seconds, deletes it. `name` is without the portal's prefix."""
        name = self.place.cookies + name.removeprefix(self.place.cookies)
        response.set_cookie(
            name, value, max_age=seconds, path="/", secure=self.place.is_secure, httponly=True, samesite="lax"
        )


def read_cookies(header: str) -> dict[str, str]:
    """Returns the cookies by name, their values as they are: none of ours is quoted."""
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return {name: value for name, _, value in pairs}


_OF_EVERY_PAGE = [
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"vary", b"Cookie, Accept-Language, HX-Request"),
]


async def send_page(response: Response, request: Request, send: Any, visit: Visit | None) -> None:
    """Sends a response with the headers that every page has, and with the cookie of a session that is prolonged.

    A large page waits in a file until the client has read it.
    """
    if visit and visit.session and visit.session.is_prolonged:
        visit.set_session(response, visit.session.token)
    # The address of the callback has a token, which must not leak, even if the sign-in fails.
    is_private = response.status_code in (302, 303) or request.scope["path"].endswith(CALLBACK)
    response.raw_headers += [
        *_OF_EVERY_PAGE,
        (b"content-security-policy", _content_policy(visit.portal if visit else None)),
        # `same-origin`: without any referrer, forms of the portal would have the origin `null`.
        (b"referrer-policy", b"no-referrer" if is_private else b"same-origin"),
    ]
    unread = visit.unread if visit else None
    if not isinstance(response, StreamingResponse) and len(response.body) > LARGE_BYTES:
        unread = await keep_unread(response.body)
        page = StreamingResponse(pieces_of(unread), response.status_code)
        page.raw_headers, response.body = response.raw_headers, b""  # the caller holds the response
        response = page
    try:
        await response(request.scope, request.receive, send)
    finally:
        if unread:  # what a gone client did not read: its cancelled task stays in memory for long
            unread.close()


def _content_policy(portal: Portal | None) -> bytes:
    """Returns the content security policy: only the portal's files; forms may also lead to the customer's product."""
    remotes = (portal.remote_login_url, portal.remote_logout_url) if portal else ()
    is_plain = any(url and url.startswith("http://") for url in remotes)
    forms = "'self' https: http:" if is_plain else "'self' https:"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
    ).encode()
