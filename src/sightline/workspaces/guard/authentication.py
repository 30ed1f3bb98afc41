"""Authenticates requests: turns the Authorization header into an Actor.

A key is looked up once and then known for some seconds. What is known is dropped at once, in every process, when a
key, its creator or its workspace changes; while this process is not notified of changes it keeps nothing and looks up
the key of each request. A look-up that started before a change is not kept after it: `_era` moves with every change.
Keys that this process has not admitted before are looked up apart, so that forged ones keep no known key waiting.
"""

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple, TypeVar
from uuid import UUID

from sightline.platform.access import Actor, Role
from sightline.platform.beside import running
from sightline.platform.db import Database
from sightline.platform.db.listening import listen_forever
from sightline.platform.errors import Unauthorized
from sightline.workspaces.guard.lookups import UnknownKeys, find_stored_keys
from sightline.workspaces.guard.usage import KeyUsage
from sightline.workspaces.keys.records import StoredKey
from sightline.workspaces.keys.tokens import NOT_VALID, Token, digest, parse_token

CHANNEL = "sightline_access"
NAME = "sightline listener"  # how pg_stat_activity shows the connection
KNOWN_SECONDS = 5.0
KNOWN_KEYS = 10_000
Kept = TypeVar("Kept")


class _Known(NamedTuple):
    actor: Actor
    until: float
    expires_at: datetime | None
    key_id: UUID
    is_used: bool


class KeyGuard:
    """Authenticates requests by their key. Use it while it is open."""

    def __init__(self, db: Database, listen_url: str, *, lookups: Database | None = None) -> None:
        """`lookups`: the reserved connection for keys that were not admitted before; without it, one of `db`."""
        self._db = db
        self._unknown = UnknownKeys(lookups or db)
        self._admitted: dict[bytes, None] = {}
        self._now = db.clock.now
        self._known: dict[bytes, _Known] = {}
        self._lookups: dict[bytes, asyncio.Task[StoredKey | None]] = {}
        self._era = 0
        self._usage = KeyUsage(db)
        self._used = self._usage.seen
        self._listen_url = listen_url
        self.is_listening = False  # only then keys are cached

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listens for changes and writes when keys were used. Does not wait for the database at the start."""
        listening = listen_forever(self._listen_url, CHANNEL, NAME, on_notify=self._on_notify, on_gap=self._on_gap)
        async with running(listening, self._usage.keep_writing()):
            yield
        await self._usage.write()

    async def admit(self, authorization: str) -> Actor:
        """Returns the actor. Raises Unauthorized for a missing, malformed, unknown, revoked or expired key."""
        scheme, _, text = authorization.partition(" ")
        if scheme != "Bearer" and scheme.lower() != "bearer":
            raise Unauthorized
        known = self._known.get(digest(text))
        if known is None or known.until < time.monotonic():
            known = await self._look_up(text.strip(" "))
        if known.expires_at is not None and known.expires_at <= self._now():
            raise Unauthorized(NOT_VALID, str(known.key_id))
        self._used.add(known.key_id)
        if not known.is_used:  # the first use is shown at once; in a task, as it is no change of this request
            await asyncio.create_task(self._usage.write())
        return known.actor

    async def _look_up(self, text: str) -> _Known:
        token = parse_token(text)
        if token is None:
            raise Unauthorized(NOT_VALID)
        era = self._era
        hashed = token.digest
        stored = await self._find(token, hashed)
        if stored is None or stored.revoked_at is not None or not hmac.compare_digest(stored.secret_hash, hashed):
            self._admitted.pop(hashed, None)
            raise Unauthorized(NOT_VALID, token.id)
        _remember(self._admitted, hashed, None)
        until = time.monotonic() + KNOWN_SECONDS
        known = _Known(_actor_of(stored), until, stored.expires_at, stored.id, stored.is_used)
        if era == self._era and self.is_listening:
            _remember(self._known, hashed, known._replace(is_used=True))
        return known

    async def _find(self, token: Token, hashed: bytes) -> StoredKey | None:
        """Looks the key up. Concurrent requests with one key share a look-up unless a change may be between them."""
        if not self.is_listening:
            return await self._read(token, hashed)
        lookup = self._lookups.get(hashed)
        if lookup is None:
            lookup = asyncio.create_task(self._read(token, hashed))
            self._lookups[hashed] = lookup
            lookup.add_done_callback(self._when_found(hashed))
        return await asyncio.shield(lookup)

    def _when_found(self, hashed: bytes) -> "Callable[[asyncio.Task[StoredKey | None]], None]":
        def done(lookup: "asyncio.Task[StoredKey | None]") -> None:
            if self._lookups.get(hashed) is lookup:
                del self._lookups[hashed]
            if not lookup.cancelled():
                lookup.exception()  # waiting requests get the error; there may be none left

        return done

    async def _read(self, token: Token, hashed: bytes) -> StoredKey | None:
        if hashed not in self._admitted:
            return await self._unknown.find(token.id)
        async with self._db.autocommit() as tx:
            return (await find_stored_keys(tx, [token.id])).get(token.id)

    def _on_notify(self, workspace_id: str) -> None:
        """Forgets the keys of a workspace."""
        changed = UUID(workspace_id)
        self._era += 1
        self._lookups.clear()
        self._known = {at: known for at, known in self._known.items() if known.actor.workspace_id != changed}

    def _on_gap(self, is_listening: bool) -> None:
        """Forgets all keys, as changes may have been missed."""
        self.is_listening = is_listening
        self._era += 1
        self._lookups.clear()
        self._known.clear()


def _remember(kept: dict[bytes, Kept], hashed: bytes, value: Kept) -> None:
    """Caches a value; drops the oldest one if the cache is full."""
    kept.pop(hashed, None)
    while len(kept) >= KNOWN_KEYS:
        del kept[next(iter(kept))]
    kept[hashed] = value


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
