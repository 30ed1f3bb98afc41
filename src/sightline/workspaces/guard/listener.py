"""Listens for changes of keys, members and workspaces by any process."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

import asyncpg

CHANNEL = "sightline_access"
NAME = "sightline listener"  # how pg_stat_activity shows the connection
HEARTBEAT_SECONDS = 5.0
ANSWER_SECONDS = 5.0
LONGEST_WAIT = 5.0

_log = logging.getLogger(__name__)
_Link = "asyncpg.Connection[asyncpg.Record]"


class AccessListener:
    """A separate connection that listens. If it is lost it is opened again, after growing pauses.

    `on_change` is called with the workspace of every change; `on_gap` whenever changes may have been missed: when
    listening ends and when it starts again. A connection that does not answer for 10 s counts as lost.
    """

    def __init__(self, url: str, *, on_change: Callable[[UUID], None], on_gap: Callable[[], None]) -> None:
        self._url = url
        self._on_change = on_change
        self._on_gap = on_gap
        self._task: asyncio.Task[None] | None = None
        self._has_warned = False
        self.is_listening = False

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._keep_listening())

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep_listening(self) -> None:
        wait = 0.1
        while True:
            try:
                link = await asyncpg.connect(
                    self._url,
                    timeout=ANSWER_SECONDS,
                    statement_cache_size=0,
                    server_settings={"application_name": NAME},
                )
                wait = 0.1
                await self._listen(link)
            except Exception as error:  # listening starts again after any error
                if not self._has_warned:
                    _log.warning("Not listening for changed keys, so every request looks up its key: %s", error)
                self._has_warned = True
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    async def _listen(self, link: "asyncpg.Connection[asyncpg.Record]") -> None:
        """Listens until the connection is lost."""
        lost = asyncio.Event()
        link.add_termination_listener(lambda _: self._lose(lost))
        try:
            await link.add_listener(CHANNEL, self._on_notify)
            self._on_gap()
            self.is_listening = not lost.is_set()
            self._has_warned = False
            while not lost.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(lost.wait(), HEARTBEAT_SECONDS)
                    return
                await link.execute("SELECT 1", timeout=ANSWER_SECONDS)
        finally:
            self._lose(lost)
            link.terminate()

    def _lose(self, lost: asyncio.Event) -> None:
        if not lost.is_set():
            lost.set()
            self.is_listening = False
            self._on_gap()

    def _on_notify(self, _link: Any, _pid: int, _channel: str, payload: object) -> None:
        try:
            self._on_change(UUID(str(payload)))
        except ValueError:
            self._on_gap()
