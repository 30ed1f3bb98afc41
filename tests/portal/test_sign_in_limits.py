"""Limits of sign-in: they count what is refused, and keep nobody with a valid token out."""

from pathlib import Path

from sightline.app import create_app
from sightline.settings import Settings
from tests.portal.product import SERVER_SECRET, PortalWorld, claims
from tests.statements import Traced, logged_pools
from tests.world import serving


async def test_false_callbacks_from_one_address_are_limited_and_keep_nobody_there_out(
    world: PortalWorld, database_url: str
) -> None:
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        answers = [await browser.call_back("x", "y") for _ in range(140)]
        assert [answer.status_code for answer in answers] == [*[400] * 120, *[429] * 20]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 61
        assert "too often" in answers[-1].text
        assert answers[-1].headers["referrer-policy"] == "no-referrer", "the address holds a token"
        for _ in range(3):
            async with world.browser(address) as neighbour:
                await world.sign_in(neighbour)


async def test_refused_tokens_are_counted_by_their_state_and_a_valid_one_is_always_let_in(
    world: PortalWorld, database_url: str
) -> None:
    async with (
        serving(database_url, secret=SERVER_SECRET) as address,
        world.browser(address) as attacker,
        world.browser(address) as neighbour,
    ):
        state = await attacker.state()
        answers = [await attacker.call_back(world.token(iat=1), state) for _ in range(25)]
        assert [answer.status_code for answer in answers] == [*[401] * 20, *[429] * 5]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 601
        refused = await neighbour.call_back(world.token(iat=1), await neighbour.state())
        assert refused.status_code == 401, "another state"
        assert (await attacker.call_back(world.token(), state)).status_code == 302


async def test_a_used_token_is_limited_under_any_state(world: PortalWorld, database_url: str) -> None:
    async with serving(database_url, secret=SERVER_SECRET) as address:
        token, statuses = world.token(), []
        for _ in range(22):
            async with world.browser(address) as browser:
                statuses.append((await browser.call_back(token, await browser.state())).status_code)
        assert statuses == [302, *[401] * 19, *[429] * 2]
        async with world.browser(address) as browser:
            await world.sign_in(browser)


async def test_addresses_of_version_4_that_a_proxy_writes_as_version_6_are_counted_each(
    world: PortalWorld, database_url: str
) -> None:
    settings = {"secret": SERVER_SECRET, "trusted_proxies": "127.0.0.0/8"}
    async with serving(database_url, **settings) as address, world.browser(address) as browser:
        path = "/api/portal/auth/jwt/callback?jwt=x&state=y"
        busy = [await browser.get(path, X_Forwarded_For="::ffff:192.0.2.1") for _ in range(121)]
        other = await browser.get(path, X_Forwarded_For="::ffff:192.0.2.2")
        assert (busy[-1].status_code, other.status_code) == (429, 400)


async def test_only_a_signed_token_that_was_not_used_too_often_reaches_the_database(
    world: PortalWorld, database_url: str
) -> None:
    given = {"data_dir": Path("/nonexistent"), "database_url": database_url, "secret": SERVER_SECRET}
    app = Traced(create_app(Settings.read(given, environment={}, file=Path("/nonexistent"))))
    with logged_pools():
        async with serving(database_url, app=app) as address, world.browser(address) as browser:

            async def asks_more(token: str) -> bool:
                """Whether a callback in a fresh browser asks for more than the portal."""
                browser.cookies = {}
                await browser.call_back(token, await browser.state())
                return any("FROM portals" not in statement for statement in await app.statements())

            for token in ("x", world.token(iat=1), world.sign(claims(), secret="x" * 43)):
                assert not await asks_more(token)
            used = world.token()
            assert [await asks_more(used) for _ in range(22)] == [*[True] * 20, *[False] * 2]
