"""A portal while its database does not answer."""

import asyncio

import pytest

from tests.line import open_line
from tests.portal.product import SERVER_SECRET, PortalWorld
from tests.world import serving

pytestmark = pytest.mark.slow


async def test_a_portal_says_that_it_cannot_answer(world: PortalWorld, database_url: str) -> None:
    await world.open_portal(host=f"{world.slug}.test")
    async with (
        open_line(database_url) as line,
        serving(line.url, secret=SERVER_SECRET, listen_url=database_url) as address,
        world.browser(address, host=f"{world.slug}.test", root="") as mapped,
        world.browser(address) as browser,
    ):
        assert (await mapped.get("/")).status_code == 302
        await asyncio.sleep(5.1)  # a host is looked up again after 5 s
        line.cut()
        for answer in (await browser.get("/"), await mapped.get("/")):
            assert answer.status_code == 503
            assert "cannot answer right now" in answer.text
