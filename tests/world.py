"""A workspace, its keys, and an HTTP client of the real application."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid4

import httpx2
import msgspec
import uvicorn

from sightline.app import create_app
from sightline.catalog.default_statuses import add_default_statuses
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.http.connection_limits import BoundedProtocol
from sightline.platform.wire import Moment
from sightline.settings import Settings
from sightline.workspace_file import apply_file
from sightline.workspace_file.parts import TABLES
from sightline.workspaces.keys import lifecycle as keys
from sightline.workspaces.keys.records import NewKey
from sightline.workspaces.tenants import create_workspace
from tests.connections import Connections
from tests.waiting import until

API = "/api/external/v1"
OPERATOR = Actor(workspace_id=UUID(int=0), kind="operator", id="tests")
NO_STORE = "http://127.0.0.1:9"  # nothing answers there
NAME_OWNER = "UPDATE members SET key = 'owner', name = 'Olga Owner' WHERE workspace_id = $1"
OPEN_TRANSACTIONS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"""
_numbers = count(1)


@asynccontextmanager
async def serving(database_url: str, app: Any = None, **settings: Any) -> AsyncIterator[str]:
    """The application on a port of 127.0.0.1, in this event loop; its address. `protocol` reads the connections."""
    protocol: type[BoundedProtocol] = settings.pop("protocol", BoundedProtocol)
    given = {"data_dir": Path("/nonexistent"), "log_level": "error", "app_store_url": NO_STORE, **settings}
    given["database_url"] = database_url
    app = app or create_app(Settings.read(given, environment={}, file=Path("/nonexistent")))
    # Named as TCP, since asyncio sends small answers at once only where it is: else each takes 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    options: Any = {"log_config": None, "access_log": False, "lifespan": "on", "ws": "none"}
    options |= {"proxy_headers": False, "reset_contextvars": True}
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, **options))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    await until(lambda: server.started or running.done())
    if running.done():
        running.result()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


class World:
    """One workspace with an owner; `client` acts with all scopes. Lists of a workspace file are added with `add`."""

    def __init__(self, database: Database, address: str) -> None:
        self.database = database
        self.address = address
        self.slug = f"w{next(_numbers)}-{uuid4().hex[:8]}"
        self.owner = f"owner@{self.slug}.test"
        self.workspace_id = UUID(int=0)
        self.is_patient = True
        self._clients: list[httpx2.AsyncClient] = []

    async def __aenter__(self) -> Self:
        async with self.database.transaction() as tx:  # a workspace file takes three times as long
            self.workspace_id = (await create_workspace(tx, OPERATOR, self.slug, "Acme", self.owner)).id
            await tx.connection.execute(NAME_OWNER, self.workspace_id)
            await add_default_statuses(tx, self.workspace_id)
        self.client = await self.client_with("all")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            await client.aclose()

    async def add(self, workspace: dict[str, Any] | None = None, **lists: Any) -> Any:
        """Applies a workspace file with these lists; what `apply` says."""
        file = {"workspace": {"slug": self.slug, "name": "Acme", **(workspace or {})}, **lists}
        return await apply_file(self.database, BytesIO(msgspec.json.encode(file)), actor_id="tests")

    async def add_earlier(self, **lists: Any) -> None:
        """Adds lists, and sets the `updatedAt` of records with a key, as if they had been written then."""
        await self.add(**lists)
        async with self.database.transaction() as tx:
            for name, records in lists.items():
                dated = [one for one in records if "updatedAt" in one]
                await tx.connection.executemany(
                    f"UPDATE {TABLES[name].name} SET updated_at = $3 WHERE workspace_id = $1 AND key = $2",  # noqa: S608
                    [(self.workspace_id, one["key"], Moment.read(one["updatedAt"])) for one in dated],
                )

    async def key(
        self, *scopes: str, member: str | None = "owner", expires_at: datetime | None = None, name: str = "test"
    ) -> str:
        """A new API key, created by the owner, by no member (None), or by the member with that e-mail address."""
        creator = self.owner if member == "owner" else member
        new_key = NewKey(name=name, scopes=list(scopes), member=creator, expires_at=expires_at)
        async with self.database.transaction() as tx:
            return (await keys.create_key(tx, replace(OPERATOR, workspace_id=self.workspace_id), new_key)).key

    async def client_with(self, *scopes: str, member: str | None = "owner") -> httpx2.AsyncClient:
        """A client with a key of its own that has these scopes."""
        return self.client_of(await self.key(*scopes, member=member))

    def client_of(self, key: str | None) -> httpx2.AsyncClient:
        options: Any = {"headers": {"Authorization": f"Bearer {key}"} if key else {}, "timeout": 30}
        options["event_hooks"] = {"request": [self._wait_for_open_writers]}
        client = httpx2.AsyncClient(base_url=f"{self.address}{API}", transport=Connections(), **options)
        self._clients.append(client)
        return client

    async def _wait_for_open_writers(self, request: httpx2.Request) -> None:
        """A feed ends where the oldest open transaction starts, such as that which keeps a key's last use.

        Waits until none is open, half a second at most: some tests keep one open. Not where `is_patient` is unset.
        """
        if not self.is_patient:
            return
        if request.url.path.endswith("/deletions") or "updatedSince" in request.url.params:
            async with self.database.autocommit() as tx:

                async def are_closed() -> bool:
                    return not await tx.connection.fetchval(OPEN_TRANSACTIONS)

                with suppress(AssertionError):
                    await until(are_closed, 0.5)

    @asynccontextmanager
    async def stranger(self) -> AsyncIterator["World"]:
        """Another workspace on the same server."""
        async with World(self.database, self.address) as stranger:
            yield stranger

    async def ids(self, table: str) -> dict[str, str]:
        """The ids of records of this workspace, by their keys."""
        async with self.database.autocommit() as tx:
            rows = await tx.connection.fetch(f"SELECT key, id FROM {table} WHERE workspace_id = $1", self.workspace_id)  # noqa: S608
        return {row["key"]: str(row["id"]) for row in rows}
