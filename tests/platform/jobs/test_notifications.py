"""What a worker says of notifications that stop to arrive."""

import asyncio

import pytest

from tests.line import open_line
from tests.platform.jobs.conftest import Site
from tests.waiting import until

pytestmark = pytest.mark.slow

LISTENS = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT 1' AND application_name = 'sightline worker'"
STOPPED, ARRIVE = "Notifications do not arrive", "Notifications arrive again"


def events(site: Site) -> list[str]:
    """What the listener said, in order."""
    lines = [line for line in site.said.splitlines() if 'listener="sightline worker"' in line]
    return [event for line in lines for event in (STOPPED, ARRIVE) if event in line]


async def test_a_listener_says_once_that_notifications_stop_and_once_that_they_arrive_again(site: Site) -> None:
    async def said(*expected: str) -> bool:
        return events(site) == list(expected)

    async with open_line(site.url) as line:
        site.url = line.url
        await asyncio.to_thread(site.worker)  # the line works beside it
        await until(lambda: site.value(LISTENS))
        line.cut()
        await until(lambda: said(STOPPED))
        await asyncio.sleep(1)  # several attempts
        await line.open()
        await until(lambda: said(STOPPED, ARRIVE))
        line.stop()  # the connection stays open and does not answer
        await until(lambda: said(STOPPED, ARRIVE, STOPPED))
        line.resume()
        await until(lambda: said(STOPPED, ARRIVE, STOPPED, ARRIVE))
        site.end()
