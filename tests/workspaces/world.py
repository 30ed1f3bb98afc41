"""One workspace with a member of each role, and shortcuts for the tests of its keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from sightline.platform.access import Actor, Role
from sightline.platform.db import Database
from sightline.workspaces import tenants
from sightline.workspaces.guard.authentication import KeyGuard
from sightline.workspaces.keys import lifecycle as keys
from sightline.workspaces.keys.records import CreatedKey, NewKey
from sightline.workspaces.records import Workspace
from tests.waiting import until

OPERATOR = Actor(workspace_id=uuid4(), kind="operator", id="tester")


@dataclass(frozen=True)
class World:
    url: str
    db: Database
    workspace: Workspace

    @property
    def actor(self) -> Actor:
        return replace(OPERATOR, workspace_id=self.workspace.id)

    async def key(
        self,
        *,
        name: str = "test",
        scopes: tuple[str, ...] = ("ideas:read",),
        member: str | None = None,
        expires_at: datetime | None = None,
    ) -> CreatedKey:
        async with self.db.transaction() as tx:
            return await keys.create_key(tx, self.actor, NewKey(name, list(scopes), member, expires_at))

    async def revoke(self, key: CreatedKey) -> None:
        async with self.db.transaction() as tx:
            await keys.revoke_key(tx, self.actor, str(key.id))

    async def run(self, statement: str, *values: object) -> None:
        async with self.db.transaction() as tx:
            await tx.connection.execute(statement, *values)

    @asynccontextmanager
    async def guard(self, db: Database | None = None) -> AsyncIterator[KeyGuard]:
        """A guard that is notified of changes."""
        guard = KeyGuard(db or self.db, self.url)
        async with guard.open():
            await until(lambda: guard.is_listening)
            yield guard


async def make_world(url: str, db: Database) -> World:
    async with db.transaction() as tx:
        workspace = await tenants.create_workspace(tx, OPERATOR, f"w-{uuid4().hex[:12]}", "World", "owner@w.test")
        for role in (Role.ADMIN, Role.EDITOR, Role.VIEWER):
            await tx.connection.execute(
                "INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at)"
                " VALUES ($1, gen_random_uuid(), $2, $3, $3, $4, $4)",
                workspace.id,
                f"{role}@w.test",
                role,
                tx.now,
            )
    return World(url, db, workspace)


def bearer(key: CreatedKey) -> str:
    return f"Bearer {key.key}"
