"""Signing in: the way there and back, cookies, sessions, signing out."""

import asyncio
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.server_secret import ServerSecret, WrongServerSecret
from sightline.portal.jobs import forget_ended
from tests.portal.product import CALLBACK, LOGOUT, SERVER_SECRET, Browser, PortalWorld
from tests.world import serving


async def test_a_visitor_who_is_not_signed_in_is_sent_to_the_product(world: PortalWorld) -> None:
    async with world.browser() as browser:
        answer = await browser.get("/request?title=CSV%20export")
    target = urlsplit(answer.headers["location"])
    query = parse_qs(target.query)
    assert (answer.status_code, target.hostname, target.path) == (302, "product.test", "/login")
    assert query["from"] == ["portal"]
    assert query["return_to"] == ["/request?title=CSV%20export"]
    assert len(query["state"][0]) >= 32


async def test_a_token_signs_in_and_leads_to_the_requested_page(world: PortalWorld) -> None:
    async with world.browser() as browser:
        answer = await browser.call_back(world.token(), await browser.state(), "/?q=export")
        assert (answer.status_code, answer.headers["location"]) == (302, f"{world.root}/?q=export")
        assert not [name for name in browser.cookies if "state" in name]
        assert (await browser.get("/")).status_code == 200


async def test_the_signing_function_of_the_guide_signs_in(world: PortalWorld) -> None:
    guide = (Path(__file__).parents[2] / "docs/guide/portal.md").read_text()
    names: dict[str, Any] = {}
    exec(guide.partition("```python\n")[2].partition("```")[0], names)  # noqa: S102 - of our own guide
    user = {"id": "u-1", "email": "bo@globex.test", "first_name": "Bo", "last_name": "Lee"}
    company = {"id": "crm-1", "name": "Globex"}
    async with world.browser() as browser:
        state = await browser.state("/mine")
        address = names["portal_redirect"](user, company, state, "/mine", CALLBACK, world.secret)
        answer = await browser.get(address)
        assert (answer.status_code, answer.headers["location"]) == (302, f"{world.root}/mine")
    [account] = await world.rows("SELECT name, external_id FROM accounts WHERE workspace_id = $1")
    assert tuple(account) == ("Globex", "crm-1")


async def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(world: PortalWorld) -> None:
    async with world.browser() as browser:
        answer = await world.sign_in(browser)
    [line] = [line for line in answer.headers.get_list("set-cookie") if "session=" in line]
    attributes = {each.strip().lower() for each in line.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "max-age=1209600"} <= attributes
    assert "secure" not in attributes, "plain http on this machine"


async def test_behind_tls_cookies_are_secure_and_addresses_are_the_public_ones(
    world: PortalWorld, database_url: str
) -> None:
    settings = {"secret": SERVER_SECRET, "public_url": "https://ideas.example/here"}
    async with serving(database_url, **settings) as address, world.browser(address) as browser:
        answer = await world.sign_in(browser)
        assert answer.headers["location"] == f"/here/portal/{world.slug}/"
        lines = answer.headers.get_list("set-cookie")
        assert all("; secure" in line.lower() and line.startswith("__Host-") for line in lines)
        assert f'href="/here/portal/{world.slug}/mine"' in (await browser.get("/")).text


async def test_a_portal_answers_on_a_host_of_its_own(world: PortalWorld) -> None:
    await world.open_portal(host=f"{world.slug}.test")
    async with world.browser(host=f"{world.slug}.test:8000", root="") as browser:
        answer = await browser.call_back(world.token(), await browser.state("/mine"), "/mine")
        assert (answer.status_code, answer.headers["location"]) == (302, "/mine")
        page = await browser.get("/")
        assert page.status_code == 200
        assert 'href="/mine"' in page.text
        assert (await browser.get("/docs")).status_code == 404
    async with world.browser(host="other.test", root="") as browser:
        assert (await browser.get("/mine")).headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("is_trusted", [True, False])
async def test_forwarded_headers_count_from_trusted_proxies(
    world: PortalWorld, database_url: str, is_trusted: bool
) -> None:
    await world.open_portal(host=f"{world.slug}.test")
    proxies = {"trusted_proxies": "127.0.0.0/8"} if is_trusted else {}
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": f"{world.slug}.test"}
    async with (
        serving(database_url, secret=SERVER_SECRET, **proxies) as address,
        world.browser(address, root="") as browser,
    ):
        answer = await browser.get("/mine", **forwarded)
        assert answer.status_code == (302 if is_trusted else 404)
        if is_trusted:
            assert "; secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("path", ["/portal/unknown/", "/portal/UNKNOWN/x", "/portal/a%20b/", "/portal//", "/portal/x/"])
async def test_an_unknown_portal_is_a_page(world: PortalWorld, path: str) -> None:
    async with world.browser(root="") as browser:
        answer = await browser.get(path)
    assert answer.status_code == 404
    assert "Portal not found" in answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_a_portal_without_its_slash_leads_to_it(world: PortalWorld) -> None:
    async with world.browser() as browser:
        answer = await browser.get("?q=1")
    assert answer.status_code == 308
    assert answer.headers["location"] == f"{world.slug}/?q=1"


async def test_without_configured_sign_in_a_page_says_so(world: PortalWorld) -> None:
    async with world.stranger() as stranger:
        await stranger.add(portal={"alias": stranger.slug})
        async with world.browser(root=f"/portal/{stranger.slug}") as browser:
            for path in ("/", "/request", "/api/portal/auth/jwt/callback?jwt=x&state=y"):
                answer = await browser.get(path)
                assert ("jwt" in path) == (answer.headers["referrer-policy"] == "no-referrer")
                assert answer.status_code == 403
                assert "Sign-in is not set up" in answer.text
                assert not browser.cookies


async def test_signing_out_ends_the_session_and_leads_to_the_products_logout(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        kept = dict(browser.cookies)
        answer = await browser.post("/signout", {})
        assert (answer.status_code, answer.headers["location"]) == (303, LOGOUT)
        assert not browser.is_signed_in
        browser.cookies = kept
        assert (await browser.get("/")).status_code == 302, "a copy of the cookie opens nothing"


async def test_a_logout_of_the_product_clears_the_session_and_asks_for_a_new_sign_in(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        kept = dict(browser.cookies)
        answer = await browser.get("/api/portal/portal_session/logout")
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        assert answer.status_code == 302
        assert query["return_to"] == ["/"]
        assert not browser.is_signed_in
        signed_in = await browser.call_back(world.token(), query["state"][0])
        assert signed_in.status_code == 302
        browser.cookies = kept
        assert (await browser.get("/")).status_code == 302


async def test_a_browser_holds_at_most_eight_states_and_the_newest_work(world: PortalWorld) -> None:
    async with world.browser() as browser:
        states = [await browser.state() for _ in range(10)]
        assert len(browser.cookies) == 8
        assert (await browser.call_back(world.token(), states[-1])).status_code == 302
        assert (await browser.call_back(world.token(), states[-2])).status_code == 302


async def test_a_state_ends_after_ten_minutes_even_if_the_browser_keeps_it(
    world: PortalWorld, database_url: str
) -> None:
    async with world.browser() as browser:
        state = await browser.state()
        later = {"secret": SERVER_SECRET, "clock_offset": "601"}
        async with serving(database_url, **later) as address, world.browser(address) as again:
            again.cookies = dict(browser.cookies)
            answer = await again.call_back(world.token(iat=_in(601)), state)
            assert answer.status_code == 400
            assert not again.is_signed_in


def _in(seconds: int) -> int:
    return int(time.time()) + seconds


async def test_a_session_slides_for_fourteen_days_and_then_ends(world: PortalWorld, database_url: str) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
    day = int(timedelta(days=1).total_seconds())
    for days, is_signed_in in ((13, True), (26, True), (41, False)):
        offset = {"secret": SERVER_SECRET, "clock_offset": str(days * day)}
        async with serving(database_url, **offset) as address, world.browser(address) as later:
            later.cookies = dict(browser.cookies)
            answer = await later.get("/")
            assert answer.status_code == (200 if is_signed_in else 302)
            if is_signed_in:
                assert "session=" in answer.headers["set-cookie"], "its cookie is sent again"


async def test_a_refusal_prolongs_a_session_and_signing_out_does_not(world: PortalWorld, database_url: str) -> None:
    day = 24 * 3600
    async with world.browser() as browser:
        await world.sign_in(browser)
        form = {"csrf": await browser.form_token()}
    for days, (method, path, fields), expected in (
        (13, ("GET", "/ideas/IDEA-99", None), (404, True)),
        (26, ("POST", "/signout", form), (303, False)),
    ):
        later = {"secret": SERVER_SECRET, "clock_offset": str(days * day)}
        async with serving(database_url, **later) as address, world.browser(address) as again:
            answer = await again.send(method, path, {"Cookie": _cookies(browser)}, fields)
            assert (answer.status_code, again.is_signed_in) == expected


def _cookies(browser: Browser) -> str:
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


async def test_a_rotated_secret_ends_old_tokens_and_leaves_sessions(world: PortalWorld) -> None:
    async with world.browser() as browser, world.browser() as late:
        await world.sign_in(browser)
        old = world.token()
        await world.rotate()
        refused = await late.call_back(old, await late.state())
        assert refused.status_code == 401
        assert (await browser.get("/")).status_code == 200
        await world.sign_in(late)


async def test_of_concurrent_uses_of_a_token_one_signs_in(world: PortalWorld) -> None:
    browsers = [world.browser() for _ in range(10)]
    states = [await browser.state() for browser in browsers]
    token = world.token()
    answers = await asyncio.gather(
        *(browser.call_back(token, state) for browser, state in zip(browsers, states, strict=True))
    )
    assert sorted(answer.status_code for answer in answers) == [302, *[401] * 9]
    assert await world.value("SELECT count(*) FROM portal_sessions WHERE workspace_id = $1") == 1
    for browser in browsers:
        await browser.__aexit__()


async def test_a_used_token_stays_used_after_a_restart(world: PortalWorld, database_url: str) -> None:
    token = world.token()
    async with world.browser() as browser:
        await browser.call_back(token, await browser.state())
        assert browser.is_signed_in
    for _ in range(2):
        async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as again:
            answer = await again.call_back(token, await again.state())
            assert answer.status_code == 401


async def test_a_jti_stays_used_for_90_days_whatever_token_carries_it(world: PortalWorld, database_url: str) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser, jti="once")
    for days, status in ((1, 401), (89, 401), (91, 302)):
        seconds = days * 24 * 3600
        later = {"secret": SERVER_SECRET, "clock_offset": str(seconds)}
        db = await Database.connect(database_url, size=1, clock=Clock(timedelta(days=days)))
        await forget_ended(db, {})
        await db.close()
        async with serving(database_url, **later) as address, world.browser(address) as again:
            answer = await again.call_back(world.token(jti="once", iat=_in(seconds)), await again.state())
            assert answer.status_code == status, days


async def test_a_head_of_the_callback_spends_neither_token_nor_state(world: PortalWorld) -> None:
    async with world.browser() as browser:
        token, state = world.token(), await browser.state()
        kept = dict(browser.cookies)
        answer = await browser.send("HEAD", f"{CALLBACK}?jwt={token}&state={state}", {})
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert browser.cookies == kept
        assert (await browser.call_back(token, state)).status_code == 302
        await browser.send("HEAD", "/api/portal/portal_session/logout", {})
        assert browser.is_signed_in
        assert (await browser.get("/")).status_code == 200


async def test_concurrent_sign_ins_of_one_new_person_make_one_person_and_one_account(world: PortalWorld) -> None:
    browsers = [world.browser() for _ in range(8)]
    account = {"accountExternalId": "crm-9", "accountName": "Initech", "accountDomain": "initech.test"}
    for browser in browsers:
        browser.cookies = {}
    states = [await browser.state() for browser in browsers]
    tokens = [world.token(sub="u-1", email="one@initech.test", accounts=[account]) for _ in browsers]
    answers = await asyncio.gather(
        *(browser.call_back(*each) for browser, *each in zip(browsers, tokens, states, strict=True))
    )
    assert [answer.status_code for answer in answers] == [302] * 8
    assert await world.value("SELECT count(*) FROM portal_users WHERE workspace_id = $1") == 1
    assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 1
    for browser in browsers:
        await browser.__aexit__()


async def test_a_new_sign_in_ends_the_browsers_session_before(world: PortalWorld) -> None:
    async with world.browser() as browser:
        state = await browser.state()
        await world.sign_in(browser)
        first = dict(browser.cookies)
        await browser.call_back(world.token(), state)
        browser.cookies, second = first, dict(browser.cookies)
        assert first != second
        assert (await browser.get("/")).status_code == 302


async def test_the_worker_deletes_ended_sessions_and_used_tokens(world: PortalWorld, database_url: str) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
    for days, left in ((0, (1, 1)), (15, (0, 1)), (91, (0, 0))):
        later = await Database.connect(database_url, size=1, clock=Clock(timedelta(days=days)))
        await forget_ended(later, {})
        await later.close()
        sessions = await world.value("SELECT count(*) FROM portal_sessions WHERE workspace_id = $1")
        used = await world.value("SELECT count(*) FROM portal_used_tokens WHERE workspace_id = $1")
        assert (sessions, used) == left


@pytest.mark.parametrize("path", ["/", "/api/portal/portal_session/logout"])
async def test_every_answer_is_protected(world: PortalWorld, path: str) -> None:
    async with world.browser() as browser:
        for answer in (await browser.get(path), await browser.call_back("x", "y")):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "form-action 'self' https:;" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert re.match("private, no-store", answer.headers["cache-control"])


async def test_the_portals_secret_is_encrypted_at_rest(world: PortalWorld) -> None:
    stored = await world.value("SELECT secret FROM portals WHERE workspace_id = $1")
    assert world.secret.encode() not in stored
    other = ServerSecret("another secret")
    with pytest.raises(WrongServerSecret):
        other.decrypt(world.workspace_id, stored)
    with pytest.raises(WrongServerSecret):
        ServerSecret(SERVER_SECRET).decrypt(UUID(int=1), stored)


async def test_a_server_with_another_secret_takes_no_token_and_logs_why(
    world: PortalWorld, database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = {"secret": "another secret of the server", "log_level": "info"}
    async with serving(database_url, **settings) as address, world.browser(address) as browser:
        answer = await browser.call_back(world.token(), await browser.state())
        assert answer.status_code == 403
        assert "SIGHTLINE_SECRET" not in answer.text
        assert "SIGHTLINE_SECRET" in capfd.readouterr().err


async def test_no_log_holds_a_token_a_state_or_a_session(
    world: PortalWorld, database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = {"secret": SERVER_SECRET, "log_level": "debug"}
    async with serving(database_url, **settings) as address, world.browser(address) as browser:
        good, bad, state = world.token(), world.token(iat=1), await browser.state()
        await browser.call_back(bad, state)
        await browser.call_back(good, state)
        session = next(value for name, value in browser.cookies.items() if name.endswith("session"))
        await browser.get("/?q=something+private")
    log = capfd.readouterr().err
    assert "portal.sign_in" in log
    for private in (good, bad, good.split(".")[1], state, session, "something", "eyJ"):
        assert private not in log
