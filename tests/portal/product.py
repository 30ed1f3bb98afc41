"""A customer's product as portals see it: it signs tokens. And a browser that keeps cookies."""

import re
import time
from dataclasses import replace
from html import unescape
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import httpx2
import jwt

from sightline.platform.server_secret import ServerSecret
from sightline.portal.portals.configure import SignIn, configure, rotate_secret
from tests.connections import Connections
from tests.world import OPERATOR, World

SERVER_SECRET = "a secret of the server, for tests only"
LOGIN = "https://product.test/login?from=portal"
LOGOUT = "https://product.test/logout"
CALLBACK = "/api/portal/auth/jwt/callback"


def claims(**others: Any) -> dict[str, Any]:
    """The claims of a token that is accepted; None as a value leaves the claim out."""
    usual: dict[str, Any] = {
        "iat": int(time.time()),
        "jti": uuid4().hex,
        "email": f"bo-{uuid4().hex[:8]}@globex.test",
        "first_name": "Bo",
        "last_name": "Lee",
    }
    return {name: value for name, value in (usual | others).items() if value is not None}


class Browser:
    """Follows no redirects. Keeps cookies by name and ignores their attributes."""

    def __init__(self, address: str, root: str, *, host: str | None = None) -> None:
        self.root = root
        self.cookies: dict[str, str] = {}
        headers = {"Host": host} if host else {}
        self.client = httpx2.AsyncClient(base_url=address, headers=headers, timeout=30, transport=Connections())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.send("GET", path, headers)

    async def post(self, path: str, fields: dict[str, str], **headers: str) -> httpx2.Response:
        """With the form's token, unless the fields hold another."""
        csrf = {} if "csrf" in fields else {"csrf": await self.form_token()}
        return await self.send("POST", path, headers, csrf | fields)

    async def send(
        self, method: str, path: str, headers: dict[str, str], fields: dict[str, str] | None = None
    ) -> httpx2.Response:
        self.client.cookies.clear()
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.client.request(
            method, self.root + path, headers={"Cookie": cookie, **named} if cookie else named, data=fields
        )
        for line in answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            if "max-age=0" in line.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    async def form_token(self) -> str:
        page = await self.get("/")
        found = re.search(r'name="csrf" value="([^"]+)"', page.text)
        return unescape(found[1]) if found else ""

    async def state(self, path: str = "/") -> str:
        """Opens a page without being signed in; the state that the product is given."""
        answer = await self.get(path)
        assert answer.status_code == 302, answer.text
        return parse_qs(urlsplit(answer.headers["location"]).query)["state"][0]

    async def call_back(self, token: str, state: str, return_to: str | None = "/") -> httpx2.Response:
        query = {"jwt": token, "state": state} | ({} if return_to is None else {"return_to": return_to})
        return await self.get(f"{CALLBACK}?{urlencode(query)}")

    @property
    def prefix(self) -> str:
        """The prefix of the portal's cookies over plain http."""
        return f"sl_{self.root.rpartition('/')[2]}_"

    @property
    def is_signed_in(self) -> bool:
        return any(name.endswith("session") for name in self.cookies)


class PortalWorld(World):
    """A workspace with a portal, and what its customer's product knows."""

    secret: str

    async def open_portal(self, *, host: str | None = None, **settings: Any) -> None:
        """Configures the portal, with these settings of the workspace file."""
        if settings:
            await self.add(portal=settings)
        async with self.database.transaction() as tx:
            actor = replace(OPERATOR, workspace_id=self.workspace_id)
            sign_in = SignIn(LOGIN, LOGOUT, host)
            _, secret = await configure(tx, actor, sign_in, ServerSecret(SERVER_SECRET))
        self.secret = secret or self.secret

    async def rotate(self) -> None:
        async with self.database.transaction() as tx:
            actor = replace(OPERATOR, workspace_id=self.workspace_id)
            _, self.secret = await rotate_secret(tx, actor, ServerSecret(SERVER_SECRET))

    @property
    def root(self) -> str:
        return f"/portal/{self.slug}"

    def browser(self, address: str | None = None, **options: Any) -> Browser:
        """A new browser, closed with this world at the latest."""
        made = Browser(address or self.address, options.pop("root", self.root), **options)
        self._clients.append(made.client)
        return made

    def token(self, **others: Any) -> str:
        return self.sign(claims(**others))

    def sign(self, payload: dict[str, Any], *, secret: str | None = None, algorithm: str = "HS256") -> str:
        return jwt.encode(payload, secret or self.secret, algorithm=algorithm)

    async def sign_in(self, browser: Browser, **others: Any) -> httpx2.Response:
        """The whole way; the answer of the callback."""
        answer = await browser.call_back(self.token(**others), await browser.state())
        assert answer.status_code == 302, answer.text
        assert browser.is_signed_in
        return answer

    async def value(self, statement: str, *values: Any) -> Any:
        """Of a statement whose $1 is the workspace."""
        async with self.database.autocommit() as tx:
            return await tx.connection.fetchval(statement, self.workspace_id, *values)

    async def rows(self, statement: str, *values: Any) -> list[Any]:
        async with self.database.autocommit() as tx:
            return await tx.connection.fetch(statement, self.workspace_id, *values)
