"""Requests that no browser sends: cookies, headers, parameters and forms of any content never fail."""

from collections.abc import Callable
from functools import reduce
from time import perf_counter

import pytest

from sightline.portal.application import PAGES
from sightline.portal.page import Page
from tests.portal.product import Browser, PortalWorld

NAMES: dict[str, Callable[[Browser, str], str]] = {
    "a state never issued": lambda browser, n: f"{browser.prefix}state_{n}",
    "a state with odd characters": lambda browser, n: f"{browser.prefix}state_a b({n})@",
    "a state beyond ASCII": lambda browser, n: f"{browser.prefix}state_ü{n}",
    "a state like ours": lambda browser, n: f"{browser.prefix}state_{n:0>16}",
    "a session": lambda browser, n: f"{browser.prefix}session",
    "no name": lambda browser, n: "",
}
VALUES = ["", "x", "9" * 5000, '"', '"\\377\\000"', "\xff\xfe", "9999999999.x", "{}", "%00", "a=b", "1." + "A" * 43]
BACKSLASHES = "\\" * 20_000
HEADERS = (
    "Accept",
    "Accept-Language",
    "Content-Type",
    "Cookie",
    "Host",
    "HX-Request",
    "If-None-Match",
    "Origin",
    "Referer",
    "Sec-Fetch-Site",
)
TEXTS = ["", "%00", "%ff", "{}", "-1", "9" * 400, "x" * 5000, "%F0%9F%8E%89", "%"]
NAMES_OF_FIELDS = ("q", "sort", "status", "page", "title", "text", "body", "vote", "id", "return_to", "jwt", "state")
PARTS = {"{ref}": "IDEA-1", "{comment}": "x"}
ADDRESSES = [
    (method, reduce(lambda path, part: path.replace(*part), PARTS.items(), route.path))
    for route in PAGES
    if isinstance(route.endpoint, Page)
    for method in route.endpoint.methods
    if method != "HEAD"
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [1, 12, 100])
async def test_no_number_of_odd_cookies_fails(world: PortalWorld, name: str, count: int) -> None:
    async with world.browser() as browser:
        for value in VALUES:
            odd = "; ".join(f"{NAMES[name](browser, str(n))}={value}" for n in range(count))
            for path in ("/", "/api/portal/portal_session/logout", "/api/portal/auth/jwt/callback?jwt=x&state=y"):
                answer = await browser.client.get(browser.root + path, headers={b"Cookie": odd.encode("latin-1")})
                assert answer.status_code < 500, (path, value)


@pytest.mark.parametrize("value", ['"{}"', '"{}', "={}", "{};"])
async def test_no_cookie_takes_long_to_read(world: PortalWorld, value: str) -> None:
    async with world.browser() as browser:
        odd = f"a={value.format(BACKSLASHES)}"
        started = perf_counter()
        assert (await browser.client.get(f"{browser.root}/", headers={"Cookie": odd})).status_code == 302
        assert perf_counter() - started < 1


async def test_a_browser_with_cookies_never_issued_can_sign_in(world: PortalWorld) -> None:
    async with world.browser() as browser:
        browser.cookies = {name(browser, str(n)): "x" for name in NAMES.values() for n in range(12)}
        browser.cookies = {name: value for name, value in browser.cookies.items() if name.isascii()}
        await world.sign_in(browser)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_no_header_of_any_content_fails(world: PortalWorld, method: str, path: str) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        for name in HEADERS:
            for value in VALUES:
                headers = {b"Cookie": cookie.encode(), name.encode(): value.encode("latin-1")}
                answer = await browser.client.request(method, browser.root + path, headers=headers)
                assert answer.status_code < 500, (name, value)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_no_parameter_or_field_of_any_content_fails(world: PortalWorld, method: str, path: str) -> None:
    for text in TEXTS:
        async with world.browser() as browser:
            await world.sign_in(browser)  # each time, as some of these addresses sign out
            form = {"csrf": await browser.form_token()} if method == "POST" else {}
            query = "&".join(f"{name}={text}" for name in NAMES_OF_FIELDS)
            fields = dict.fromkeys(NAMES_OF_FIELDS, text) | form
            for odd_path in (f"{path}?{query}", path.replace("IDEA-1", text or "x")):
                answer = await browser.send(method, odd_path, {}, fields if form else None)
                assert answer.status_code < 500, (odd_path, text)


@pytest.mark.parametrize("path", ["/%0A", "/request%0A", "/ideas/IDEA-1%0A", "/api/portal/portal_session/logout%0A"])
async def test_a_path_that_ends_in_a_line_feed_is_no_page(world: PortalWorld, path: str) -> None:
    async with world.browser() as browser:
        answer = await browser.client.get(browser.root + path)
        assert answer.status_code == 404


@pytest.mark.parametrize("origin", ["http://[::1", "http://][", "https://evil.test", "null"])
async def test_a_form_of_another_origin_is_refused(world: PortalWorld, origin: str) -> None:
    async with world.browser() as browser:
        assert (await browser.send("POST", "/signout", {"Origin": origin}, {"a": "b"})).status_code == 401
        await world.sign_in(browser)
        assert (await browser.post("/signout", {}, Origin=origin)).status_code == 403
        own = f"http://{browser.client.base_url.host}"  # some proxies leave out the port of Host
        assert (await browser.post("/signout", {}, Origin=own)).status_code == 303
