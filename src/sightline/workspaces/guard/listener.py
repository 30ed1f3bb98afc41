"""Listens for changes of keys, members and workspaces by any process."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from sightline.platform.db.listening import listen_forever

CHANNEL = "sightline_access"
NAME = "sightline listener"  # how pg_stat_activity shows the connection


class AccessListener:
    """Calls `on_change` with the workspace of every change, and `on_gap` whenever changes may have been missed."""

    def __init__(self, url: str, *, on_change: Callable[[UUID], None], on_gap: Callable[[], None]) -> None:
        self._url = url
        self._on_change = on_change
        self._on_gap = on_gap
        self._task: asyncio.Task[None] | None = None
        self.is_listening = False

    def start(self) -> None:
        if self._task is None:
            listening = listen_forever(self._url, CHANNEL, NAME, on_notify=self._notice, on_gap=self._forget)
            self._task = asyncio.create_task(listening)

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _notice(self, workspace_id: str) -> None:
        try:
            self._on_change(UUID(workspace_id))
        except ValueError:
            self._on_gap()

    def _forget(self, is_listening: bool) -> None:
        self.is_listening = is_listening
        self._on_gap()
