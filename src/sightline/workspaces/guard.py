"""Who asks: from the Authorization header to the Actor.

A key is looked up once and then known for some seconds. What is known is dropped at once, in every process, when
a key, its creator or its workspace changes; while this process cannot hear of changes it knows nothing and asks
each time. A lookup that began before a change is not kept after it: `_era` moves with every change.
"""

import asyncio
import hmac
import time
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.platform.access import Actor, Role
from sightline.platform.db import Database
from sightline.platform.errors import Unauthorized
from sightline.workspaces import queries
from sightline.workspaces.access_listener import AccessListener
from sightline.workspaces.key_usage import KeyUsage
from sightline.workspaces.records import StoredKey
from sightline.workspaces.tokens import Token, digest, parse_token

KNOWN_SECONDS = 5.0
KNOWN_KEYS = 10_000
_REFUSED = "The API key is malformed, unknown, revoked or expired."


class _Known(NamedTuple):
    actor: Actor
    until: float
    expires_at: datetime | None
    key_id: UUID


class KeyGuard:
    """Admits the holders of valid keys. `open` before the first request, `close` after the last."""

    def __init__(self, db: Database, listen_url: str, *, known_seconds: float = KNOWN_SECONDS) -> None:
        self._db = db
        self._now = db.clock.now
        self._known_seconds = known_seconds
        self._known: dict[bytes, _Known] = {}
        self._lookups: dict[bytes, asyncio.Task[StoredKey | None]] = {}
        self._era = 0
        self._usage = KeyUsage(db)
        self._used = self._usage.seen
        self._listener = AccessListener(listen_url, on_change=self._forget, on_gap=self._forget_all)

    async def open(self) -> None:
        """Starts listening for changes and writing when keys were used; does not wait for the database."""
        self._listener.start()
        self._usage.start()

    async def close(self) -> None:
        """Stops listening and writes down what was used since the last time."""
        await self._listener.stop()
        await self._usage.stop()

    @property
    def is_listening(self) -> bool:
        """Whether changes made elsewhere are heard of, and so whether anything is kept."""
        return self._listener.is_listening

    async def admit(self, authorization: str | None) -> Actor:
        """Raises Unauthorized for a missing, malformed, unknown, revoked or expired key."""
        if authorization is None:
            raise Unauthorized
        scheme, _, text = authorization.partition(" ")
        if scheme != "Bearer" and scheme.lower() != "bearer":
            raise Unauthorized
        known = self._known.get(digest(text))
        if known is None or known.until < time.monotonic():
            known = await self._look_up(text.strip(" "))
        if known.expires_at is not None and known.expires_at <= self._now():
            raise Unauthorized(_REFUSED)
        self._used.add(known.key_id)
        return known.actor

    async def _look_up(self, text: str) -> _Known:
        token = parse_token(text)
        if token is None:
            raise Unauthorized(_REFUSED)
        era = self._era
        hashed = token.digest
        stored = await self._find(token, hashed)
        if stored is None or stored.revoked_at is not None or not hmac.compare_digest(stored.secret_hash, hashed):
            raise Unauthorized(_REFUSED)
        known = _Known(_actor_of(stored), time.monotonic() + self._known_seconds, stored.expires_at, stored.id)
        if era == self._era and self._listener.is_listening:
            self._keep(hashed, known)
        return known

    async def _find(self, token: Token, hashed: bytes) -> StoredKey | None:
        """One query for all who ask for the same key at the same time, unless a change may lie between them."""
        if not self._listener.is_listening:
            return await self._read(token)
        lookup = self._lookups.get(hashed)
        if lookup is None:
            lookup = asyncio.create_task(self._read(token))
            self._lookups[hashed] = lookup
            lookup.add_done_callback(self._when_found(hashed))
        return await asyncio.shield(lookup)

    def _when_found(self, hashed: bytes) -> "Callable[[asyncio.Task[StoredKey | None]], None]":
        def done(lookup: "asyncio.Task[StoredKey | None]") -> None:
            if self._lookups.get(hashed) is lookup:
                del self._lookups[hashed]
            if not lookup.cancelled():
                lookup.exception()  # those who wait for it see it; nobody may be left to

        return done

    async def _read(self, token: Token) -> StoredKey | None:
        async with self._db.read() as tx:
            return await queries.find_stored_key(tx, token.id)

    def _keep(self, hashed: bytes, known: _Known) -> None:
        """The one known for longest makes room."""
        self._known.pop(hashed, None)
        while len(self._known) >= KNOWN_KEYS:
            del self._known[next(iter(self._known))]
        self._known[hashed] = known

    def _forget(self, workspace_id: UUID) -> None:
        self._era += 1
        self._lookups.clear()
        self._known = {at: known for at, known in self._known.items() if known.actor.workspace_id != workspace_id}

    def _forget_all(self) -> None:
        self._era += 1
        self._lookups.clear()
        self._known.clear()


def _actor_of(stored: StoredKey) -> Actor:
    return Actor(
        workspace_id=stored.workspace_id,
        kind="key",
        id=str(stored.id),
        name=stored.name,
        scopes=frozenset(stored.scopes),
        role=Role(stored.role) if stored.role else None,
        member_id=stored.member_id,
        created_at=stored.created_at,
        expires_at=stored.expires_at,
    )
