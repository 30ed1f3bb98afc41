"""Whether the process lives, and whether it can answer."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, ClassVar

import asyncpg
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sightline.platform.db import Connection, Database, DatabaseUnavailable
from sightline.platform.errors import Unavailable
from sightline.platform.http.public_pages import PublicPage

KNOWN_SECONDS, PATIENCE_SECONDS = 1.0, 2.0
_NOT_KEPT = {"Cache-Control": "no-store"}


class NotReady(Unavailable):
    """503: `checks` says what is missing."""

    code, title = "NOT_READY", "The service cannot answer yet"
    members: ClassVar[dict[str, Any]] = {"checks": {"database": "ok"}}


class Readiness:
    """Checks the database at most once a second, however many requests come."""

    def __init__(self, pending: Callable[[Connection], Awaitable[list[str]]]) -> None:
        self._pending = pending
        self._seen: dict[str, str] = {}
        self._until = 0.0
        self._looking = asyncio.Lock()

    async def check(self, db: Database) -> dict[str, str]:
        """Each check with `ok`. Raises NotReady."""
        async with self._looking:
            if monotonic() >= self._until:
                self._seen, self._until = await self._look(db), monotonic() + KNOWN_SECONDS
        if problems := "; ".join(f"{name}: {found}" for name, found in self._seen.items() if found != "ok"):
            raise NotReady(f"{problems[0].upper()}{problems[1:]}.", checks=self._seen)
        return self._seen

    async def _look(self, db: Database) -> dict[str, str]:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), db.autocommit() as tx:
                if await tx.connection.fetchval("SELECT current_setting('transaction_read_only')::bool"):
                    raise asyncpg.ReadOnlySQLTransactionError  # closes the connection: another may lead to the primary
                missing = await self._pending(tx.connection)
        except DatabaseUnavailable:  # newer than this program
            return {"database": "ok", "migrations": "the database is newer than this version"}
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as problem:
            is_standby = isinstance(problem, asyncpg.ReadOnlySQLTransactionError)
            return {"database": "takes no writes" if is_standby else "does not answer"}
        return {"database": "ok", "migrations": f"missing: {', '.join(missing)}" if missing else "ok"}


def health_pages(readiness: Readiness, db: Callable[[], Database]) -> dict[str, PublicPage]:
    """`/healthz` answers while the process lives, `/readyz` while requests would be answered."""

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "alive"}, headers=_NOT_KEPT)

    async def ready(_: Request) -> Response:
        return JSONResponse({"status": "ready", "checks": await readiness.check(db())}, headers=_NOT_KEPT)

    return {"/healthz": PublicPage("healthz", live), "/readyz": PublicPage("readyz", ready)}
