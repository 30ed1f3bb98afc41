"""Notifications of the database, on a connection that is opened again when it is lost."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import asyncpg
import structlog

from sightline.platform.db.database import first_line

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

    def on_change(arrive: bool) -> None:
        nonlocal wait, is_missed
        if arrive:
            wait = FIRST_WAIT
            if is_missed:
                log.info("Notifications arrive again")
            is_missed = False
        on_gap(arrive)

    while True:
        try:
            link = await asyncpg.connect(
                url,
                timeout=ANSWER_SECONDS,
                command_timeout=ANSWER_SECONDS,
                statement_cache_size=0,
                server_settings={"application_name": name},
            )
            await _listen(link, channel, on_notify, on_change)
        except Exception as error:  # listening starts again after any error
            if not is_missed:
                log.warning("Notifications do not arrive", error=first_line(error))
            is_missed = True
        await asyncio.sleep(wait)
        wait = min(wait * 2, LONGEST_WAIT)


async def _listen(
    link: "asyncpg.Connection[asyncpg.Record]",
    channel: str,
    on_notify: Callable[[str], None],
    on_gap: Callable[[bool], None],
) -> None:
    """Listens until the connection is lost; always raises."""
    lost = asyncio.Event()
    link.add_termination_listener(lambda _: lost.set())
    try:
        await link.add_listener(channel, lambda _link, _pid, _channel, payload: on_notify(str(payload)))
        on_gap(True)
        while not lost.is_set():
            await link.execute("SELECT 1")
            with suppress(TimeoutError):
                await asyncio.wait_for(lost.wait(), HEARTBEAT_SECONDS)
        raise ConnectionResetError("the connection was closed")
    finally:
        on_gap(False)
        link.terminate()
