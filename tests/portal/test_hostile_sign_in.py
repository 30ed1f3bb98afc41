"""Tokens and callbacks of attackers, and mistakes of a product: each is refused."""

import base64
import json
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import jwt
import pytest

from tests.portal.product import CALLBACK, Browser, PortalWorld, claims

NOW = int(time.time())
OTHER_SECRET = "x" * 43

# What is wrong: claims that replace the usual ones (None leaves one out), and a word of the reason in the log.
WRONG_CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "no iat": ({"iat": None}, "iat"),
    "iat as text": ({"iat": str(NOW)}, "iat"),
    "iat with a fraction": ({"iat": NOW + 0.5}, "iat"),
    "iat true": ({"iat": True}, "iat"),
    "iat as a list": ({"iat": [NOW]}, "iat"),
    "iat in milliseconds": ({"iat": NOW * 1000}, "milliseconds"),
    "iat zero": ({"iat": 0}, "iat"),
    "iat negative": ({"iat": -NOW}, "iat"),
    "iat beyond numbers": ({"iat": 10**400}, "iat"),
    "iat below numbers": ({"iat": -(10**400)}, "iat"),
    "exp below numbers": ({"exp": -(10**400)}, "exp"),
    "iat 6 minutes old with a later exp": ({"iat": NOW - 360, "exp": NOW + 36000}, "iat"),
    "exp long past": ({"exp": NOW - 100}, "exp"),
    "exp as text": ({"exp": str(NOW + 100)}, "exp"),
    "exp with a fraction": ({"exp": NOW + 100.5}, "exp"),
    "exp false": ({"exp": False}, "exp"),
    "nbf in an hour": ({"nbf": NOW + 3600}, "nbf"),
    "nbf as text": ({"nbf": str(NOW)}, "nbf"),
    "nbf with a fraction": ({"nbf": NOW - 0.5}, "nbf"),
    "nbf beyond numbers": ({"nbf": 10**400}, "nbf"),
    "no jti": ({"jti": None}, "jti"),
    "jti empty": ({"jti": ""}, "jti"),
    "jti blank": ({"jti": " \t"}, "jti"),
    "jti a number": ({"jti": 5}, "jti"),
    "jti a list": ({"jti": ["a"]}, "jti"),
    "jti with NUL": ({"jti": "a\0b"}, "jti"),
    "jti endless": ({"jti": "a" * 1001}, "jti"),
    "no email": ({"email": None}, "email"),
    "email empty": ({"email": ""}, "email"),
    "email blank": ({"email": "  "}, "email"),
    "email a number": ({"email": 5}, "email"),
    "email without @": ({"email": "bo"}, "email"),
    "email with a line break": ({"email": "bo@globex.test\nx"}, "email"),
    "email endless": ({"email": "a" * 250 + "@globex.test"}, "email"),
    "email half a character": ({"email": "\ud800@globex.test"}, "email"),
    "no first_name": ({"first_name": None}, "first_name"),
    "first_name a number": ({"first_name": 1}, "first_name"),
    "first_name with NUL": ({"first_name": "a\0"}, "first_name"),
    "no last_name": ({"last_name": None}, "last_name"),
    "last_name an object": ({"last_name": {}}, "last_name"),
    "last_name endless": ({"last_name": "a" * 256}, "last_name"),
    "sub a number": ({"sub": 7}, "sub"),
    "sub blank": ({"sub": " "}, "sub"),
    "sub endless": ({"sub": "a" * 256}, "sub"),
    "accounts an object": ({"accounts": {}}, "accounts"),
    "accounts a text": ({"accounts": "globex"}, "accounts"),
    "accounts of texts": ({"accounts": ["globex"]}, "accounts"),
    "accounts with null": ({"accounts": [None]}, "accounts"),
    "51 empty accounts": ({"accounts": [{}] * 51}, "accounts"),
    "51 accounts": ({"accounts": [{"accountName": str(n)} for n in range(51)]}, "accounts"),
    "accountId a number": ({"accounts": [{"accountId": 5}]}, "accounts[0].accountId"),
    "accountExternalId a number": (
        {"accounts": [{"accountName": "a"}, {"accountExternalId": 5}]},
        "accounts[1].accountExternalId",
    ),
    "accountName a list": ({"accounts": [{"accountName": []}]}, "accountName"),
    "accountName with NUL": ({"accounts": [{"accountName": "a\0"}]}, "accountName"),
    "accountDomain true": ({"accounts": [{"accountDomain": True}]}, "accountDomain"),
    "legacy accountName a number": ({"accountName": 5}, "accountName"),
}
REQUIRED = ("iat", "jti", "email", "first_name", "last_name")
OPTIONAL = ("exp", "nbf", "sub", "accounts", "accountId", "accountExternalId", "accountName", "accountDomain")


def part(value: object) -> str:
    encoded = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(encoded).decode().rstrip("=")


def unsigned(header: object, payload: object) -> str:
    return f"{part(header)}.{part(payload)}."


def with_header(world: PortalWorld, **header: Any) -> str:
    return jwt.encode(claims(), world.secret, algorithm="HS256", headers=header)


def with_other_tail(world: PortalWorld) -> str:
    head, _, tail = world.token().rpartition(".")
    return f"{head}.{'A' if tail[0] != 'A' else 'B'}{tail[1:]}"


def with_other_payload(world: PortalWorld) -> str:
    head, _, tail = world.token().split(".")
    return f"{head}.{part(claims(email='boss@globex.test'))}.{tail}"


WRONG_TOKENS: dict[str, Callable[[PortalWorld], str]] = {
    "another secret": lambda world: world.sign(claims(), secret=OTHER_SECRET),
    "an empty signature": lambda world: unsigned({"alg": "HS256", "typ": "JWT"}, claims()),
    "alg none": lambda world: unsigned({"alg": "none"}, claims()),
    "alg None": lambda world: unsigned({"alg": "None"}, claims()),
    "alg in lower case": lambda world: unsigned({"alg": "hs256"}, claims()),
    "no alg": lambda world: unsigned({"typ": "JWT"}, claims()),
    "alg a list": lambda world: unsigned({"alg": ["HS256"]}, claims()),
    "HS384": lambda world: world.sign(claims(), secret=world.secret * 2, algorithm="HS384"),
    "HS512": lambda world: world.sign(claims(), secret=world.secret * 2, algorithm="HS512"),
    "RS256 in name": lambda world: unsigned({"alg": "RS256"}, claims()) + part(b"x" * 256),
    "a critical header": lambda world: with_header(world, crit=["exp"]),
    "a detached payload": lambda world: with_header(world, b64=False, crit=["b64"]),
    "another signature": with_other_tail,
    "another payload": with_other_payload,
    "claims that are a list": lambda world: unsigned({"alg": "HS256"}, [1]),
    "claims that are no JSON": lambda world: unsigned({"alg": "HS256"}, b"{"),
    "a header that is no JSON": lambda world: f"{part(b'{')}.{part({})}.x",
    "a header that is a list": lambda world: unsigned([], claims()),
    "two parts": lambda world: world.token().rpartition(".")[0],
    "five parts": lambda world: "a.b.c.d.e",
    "no base64": lambda world: "!.!.!",
    "characters beyond ASCII": lambda world: world.token() + "ü",
    "words": lambda world: "let me in",
    "an endless token": lambda world: world.token(accountName="a") + "A" * 33_000,
    "deep nesting": lambda world: unsigned({"alg": "HS256"}, b"[" * 9000),
}

# Addresses that the callback refuses before it looks at the token.
WRONG_CALLBACKS: dict[str, Callable[[str, str], str]] = {
    "nothing": lambda token, state: "",
    "no token": lambda token, state: f"?state={state}",
    "an empty token": lambda token, state: f"?jwt=&state={state}",
    "two tokens": lambda token, state: f"?jwt={token}&jwt={token}&state={state}",
    "no state": lambda token, state: f"?jwt={token}",
    "an empty state": lambda token, state: f"?jwt={token}&state=",
    "two states": lambda token, state: f"?jwt={token}&state={state}&state={state}",
    "another state": lambda token, state: f"?jwt={token}&state={state[:-1]}~",
    "a state with NUL": lambda token, state: f"?jwt={token}&state={state}%00",
    "a state that is no UTF-8": lambda token, state: f"?jwt={token}&state=%ff{state}",
    "a state in another case": lambda token, state: f"?jwt={token}&state={state.swapcase()}",
    "an endless state": lambda token, state: f"?jwt={token}&state={state * 200}",
}


TECHNICAL = ("jti", "iat", "nbf", "exp ", "alg", "jwt", "claim", "signature", "token", "secret", "state", "HS256")


async def refused(browser: Browser, address: str, status: int) -> str:
    """The page, which holds neither session, token nor technical words."""
    answer = await browser.get(address)
    assert answer.status_code == status, answer.text
    assert not browser.is_signed_in
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "no-store" in answer.headers["cache-control"]
    assert "eyJ" not in answer.text, "no part of a token"
    shown = answer.text.replace(browser.root, "")
    assert not [word for word in TECHNICAL if re.search(rf"\b{word}", shown, re.IGNORECASE)], shown
    assert f'href="{browser.root}/"' in answer.text, "a way to try again"
    return answer.text


@pytest.mark.parametrize("name", WRONG_CLAIMS)
async def test_a_wrong_claim_is_refused_and_the_log_names_it(
    world: PortalWorld, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong, word = WRONG_CLAIMS[name]
    async with world.browser() as browser:
        state = await browser.state()
        page = await refused(browser, callback(world.token(**wrong), state), 401)
        assert "The product you came from sent a sign-in that is not valid. Try again." in page
        assert word in reason_in(capfd)
        assert (await browser.call_back(world.token(), state)).status_code == 302, "a refused token spends no state"


def reason_in(capfd: pytest.CaptureFixture[str]) -> str:
    """The reason of the only refusal in the log."""
    [reason] = re.findall(r'reason="([^"]+)"', capfd.readouterr().err)
    return str(reason)


@pytest.mark.parametrize("name", REQUIRED)
async def test_a_required_claim_that_is_null_is_refused_like_a_missing_one(
    world: PortalWorld, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async with world.browser() as browser:
        for payload in (claims() | {name: None}, claims(**{name: None})):
            await refused(browser, callback(world.sign(payload), await browser.state()), 401)
            assert reason_in(capfd) == f"{name} is missing."


@pytest.mark.parametrize("name", OPTIONAL)
async def test_an_optional_claim_that_is_null_counts_as_left_out(world: PortalWorld, name: str) -> None:
    async with world.browser() as browser:
        answer = await browser.call_back(world.sign(claims() | {name: None}), await browser.state())
        assert answer.status_code == 302


@pytest.mark.parametrize("ahead", [-3600, 0, 50])
async def test_a_token_whose_nbf_has_come_signs_in(world: PortalWorld, ahead: int) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser, nbf=int(time.time()) + ahead)


@pytest.mark.parametrize("name", WRONG_TOKENS)
async def test_a_wrong_token_is_refused(world: PortalWorld, name: str) -> None:
    async with world.browser() as browser:
        await refused(browser, callback(WRONG_TOKENS[name](world), await browser.state()), 401)


@pytest.mark.parametrize("name", WRONG_CALLBACKS)
async def test_a_wrong_callback_is_refused(world: PortalWorld, name: str) -> None:
    async with world.browser() as browser:
        query = WRONG_CALLBACKS[name](world.token(), await browser.state())
        await refused(browser, CALLBACK + query, 400)


def callback(token: str, state: str) -> str:
    return f"{CALLBACK}?{urlencode({'jwt': token, 'state': state})}"


async def test_the_state_of_another_browser_is_refused(world: PortalWorld) -> None:
    async with world.browser() as victim, world.browser() as attacker:
        await victim.state()
        await refused(victim, callback(world.token(), await attacker.state()), 400)


async def test_a_state_cookie_that_we_did_not_sign_is_refused(world: PortalWorld) -> None:
    async with world.browser() as browser:
        state = await browser.state()
        [(name, value)] = browser.cookies.items()
        ends, _, signature = value.partition(".")
        for forged in (f"{int(ends) + 600}.{signature}", f"{ends}.x", "x", ".", f"{ends}.{signature}x"):
            browser.cookies = {name: forged}
            await refused(browser, callback(world.token(), state), 400)


async def test_the_token_and_state_of_another_portal_are_refused(world: PortalWorld) -> None:
    async with PortalWorld(world.database, world.address) as other, world.browser() as browser:
        await other.open_portal()
        await refused(browser, callback(other.token(), await browser.state()), 401)
        async with other.browser() as theirs:
            state = await theirs.state()
            browser.cookies |= theirs.cookies
            await refused(browser, callback(world.token(), state), 400)
            browser.cookies |= {name.replace(other.slug, world.slug): value for name, value in theirs.cookies.items()}
            await refused(browser, callback(world.token(), state), 400)
            await other.sign_in(theirs)
            browser.cookies = {name.replace(other.slug, world.slug): value for name, value in theirs.cookies.items()}
            assert (await browser.get("/")).status_code == 302, "a session is of one portal"


@pytest.mark.parametrize("age", [-3600, -80, 302, 3600])
async def test_large_differences_of_clocks_are_refused(world: PortalWorld, age: int) -> None:
    async with world.browser() as browser:
        token = world.token(iat=int(time.time()) - age)
        await refused(browser, callback(token, await browser.state()), 401)


@pytest.mark.parametrize("age", [0, 200, 290, -50])
async def test_small_differences_of_clocks_do_no_harm(world: PortalWorld, age: int) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser, iat=int(time.time()) - age, exp=int(time.time()) - 50)


OPEN_REDIRECTS = [
    "https://evil.test/",
    "//evil.test",
    "///evil.test",
    "/\\evil.test",
    "\\/evil.test",
    "/%5cevil.test",
    "/%2fevil.test",
    "/%252fevil.test",
    "/%25252fevil.test",
    "/\tevil.test",
    "/%09/evil.test",
    "/a\r\nSet-Cookie: x=y",
    "/%0d%0aSet-Cookie:x=y",
    "javascript:alert(1)",
    "evil.test",
    "/../../docs",
    "/%2e%2e/docs",
    "/x%3F/%2e%2e/%2e%2e/%2e%2e/docs",
    "/x%3f/.%2e/%2E./%252e%252e/docs",
    "/%2e/api/portal/portal_session/logout",
    "/api/portal/portal_session/logout",
    "?q=x",
    "",
    "/" + "a" * 3000,
]


@pytest.mark.parametrize("path", OPEN_REDIRECTS)
async def test_people_never_leave_the_portal_by_return_to(world: PortalWorld, path: str) -> None:
    async with world.browser() as browser:
        answer = await browser.call_back(world.token(), await browser.state(), path)
        assert (answer.status_code, answer.headers["location"]) == (302, f"{world.root}/")


async def test_an_exp_beyond_numbers_is_not_in_the_past(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser, exp=10**400)


@pytest.mark.parametrize("alias", ["http:evil.test", "https:evil.test", "javascript:alert(1)", "a:b", "ACME"])
async def test_what_is_no_alias_leads_nowhere(world: PortalWorld, alias: str) -> None:
    async with world.browser(root="") as browser:
        answer = await browser.get(f"/portal/{alias}")
    assert (answer.status_code, answer.headers.get("location")) == (404, None)
    assert "Portal not found" in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/request", "/ideas/IDEA-1", "/?q=a%20b&page=2", "/?q=Gr%C3%BC%C3%9Fe", "/?q=.."]
)
async def test_paths_of_the_portal_are_kept(world: PortalWorld, path: str) -> None:
    async with world.browser() as browser:
        answer = await browser.call_back(world.token(), await browser.state(), path)
        assert answer.headers["location"] == world.root + path
        without = await browser.call_back(world.token(), quote("x"), None)
        assert without.status_code == 400
