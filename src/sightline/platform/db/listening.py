"""Notifications of the database, on a connection that is opened again when it is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import asyncpg
import structlog

from sightline.platform.db.database import PROBED, first_line
from sightline.platform.db.pool import Connection

ANSWER_SECONDS = 5.0
HEARTBEAT_SECONDS = 5.0
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0

_log = structlog.get_logger()


async def listen_forever(
    url: str, channel: str, name: str, *, on_notify: Callable[[str], None], on_gap: Callable[[bool], None]
) -> None:
    """Calls `on_notify` with the payload of each notification of the channel.

    Calls `on_gap` whenever notifications may have been missed, with whether they arrive from now on. `url` is the
    database's own address, not a pooler's; pg_stat_activity and the log show the connection under `name`. A connection
    that does not answer for 10 s counts as lost.
    """
    wait, log = FIRST_WAIT, _log.bind(listener=name, channel=channel)
    is_missed = False
    while True:
        try:
            async with connected(url, ANSWER_SECONDS, {"application_name": name} | PROBED) as link:
                await link.add_listener(channel, lambda _link, _pid, _channel, payload: on_notify(str(payload)))
                on_gap(True)
                if is_missed:
                    log.info("Notifications arrive again")
                wait, is_missed = FIRST_WAIT, False
                await _wait_until_lost(link)
        except Exception as error:  # listening starts again after any error
            if not is_missed:
                log.warning("Notifications do not arrive", error=first_line(error))
            is_missed = True
        on_gap(False)
        await asyncio.sleep(wait)
        wait = min(wait * 2, LONGEST_WAIT)


async def _wait_until_lost(link: Connection) -> None:
    """Always raises."""
    lost = asyncio.Event()
    link.add_termination_listener(lambda _: lost.set())
    while not lost.is_set():
        await link.execute("SELECT 1")
        with suppress(TimeoutError):
            await asyncio.wait_for(lost.wait(), HEARTBEAT_SECONDS)
    raise ConnectionResetError("the connection was closed")


@asynccontextmanager
async def connected(url: str, seconds: float, settings: dict[str, str] | None = None) -> AsyncIterator[Connection]:
    """A connection of its own, on which nothing may take longer than `seconds`. A pooler refuses most `settings`."""
    connection = await asyncpg.connect(
        url, timeout=seconds, command_timeout=seconds, statement_cache_size=0, server_settings=settings
    )
    try:
        yield connection
    finally:
        connection.terminate()
