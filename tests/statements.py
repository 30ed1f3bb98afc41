"""Which statements a request runs on the database."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import asyncpg
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from sightline.platform.db import database
from tests.waiting import next_turn

_running: ContextVar[list[str] | None] = ContextVar("running", default=None)


@contextmanager
def logged_pools() -> Iterator[None]:
    """Connections of pools that are opened inside log their statements for `Traced`."""
    original = database.open_connection

    async def open_logged(*arguments: Any) -> Any:
        connection = await original(*arguments)
        connection.add_query_logger(_note)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "open_connection", open_logged)
        yield


def _note(logged: asyncpg.connection.LoggedQuery) -> None:
    statements = _running.get()
    # A write also asks for the database's clock, if nothing has for a hundredth of a second: see Clock.
    if statements is not None and logged.query != "SELECT clock_timestamp()":
        statements.append(logged.query)


class Traced:
    """An application that keeps the statements of its latest request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._statements: tuple[str, ...] = ()
        self._is_done = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._is_done.clear()
        statements: list[str] = []
        _running.set(statements)
        await self._app(scope, receive, send)
        await next_turn()  # the last statement is logged in the next turn of the loop
        self._statements = tuple(statements)  # what a task left behind by the request runs later is not the request's
        self._is_done.set()

    async def statements(self) -> tuple[str, ...]:
        """Those of the request that was answered last."""
        await self._is_done.wait()
        return self._statements
