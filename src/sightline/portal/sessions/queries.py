"""The SQL of sessions. The database has only hashes of the tokens."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.portal.users.records import User

LIFE = timedelta(days=14)
_PROLONGED_AFTER = timedelta(hours=12)  # so that not every page writes the session

_ADD = sql("""
    INSERT INTO portal_sessions (token_hash, workspace_id, user_id, created_at, expires_at)
    VALUES (:token_hash, :workspace_id, :user_id, :now, :expires_at)""")
_FIND = sql("""
    SELECT u.id, u.email, u.first_name, u.last_name, u.subject, s.expires_at
      FROM portal_sessions s
      JOIN portal_users u ON u.workspace_id = :workspace_id AND u.id = s.user_id
     WHERE s.workspace_id = :workspace_id AND s.token_hash = :token_hash AND s.expires_at > :now""")
_PROLONG = sql("""
    UPDATE portal_sessions SET expires_at = :expires_at
     WHERE workspace_id = :workspace_id AND token_hash = :token_hash AND expires_at < :expires_at""")
_END = sql("DELETE FROM portal_sessions WHERE workspace_id = :workspace_id AND token_hash = :token_hash")


class Session(NamedTuple):
    """A signed-in browser and its token. `is_prolonged`: its cookie has to be sent again."""

    token: str
    user: User
    is_prolonged: bool


async def add_session(tx: Tx, workspace_id: UUID, user_id: UUID) -> str:
    """Returns the new session's token, 43 random characters."""
    token = secrets.token_urlsafe(32)
    await tx.run(_ADD, token_hash=hash_of(token), workspace_id=workspace_id, user_id=user_id, expires_at=tx.now + LIFE)
    return token


async def find_session(tx: Tx, workspace_id: UUID, token: str) -> Session | None:
    """Returns the session unless it has ended, and prolongs it at most twice a day."""
    row = await tx.row(_FIND, workspace_id=workspace_id, token_hash=hash_of(token))
    if row is None:
        return None
    *user, expires_at = row
    return Session(token, User(*user), await _prolong(tx, workspace_id, token, expires_at))


async def _prolong(tx: Tx, workspace_id: UUID, token: str, expires_at: datetime) -> bool:
    if expires_at - tx.now > LIFE - _PROLONGED_AFTER:
        return False
    await tx.run(_PROLONG, workspace_id=workspace_id, token_hash=hash_of(token), expires_at=tx.now + LIFE)
    return True


async def end_session(tx: Tx, workspace_id: UUID, token: str) -> None:
    """Ends the session: copies of the cookie stop working too."""
    await tx.run(_END, workspace_id=workspace_id, token_hash=hash_of(token))


def hash_of(token: str) -> bytes:
    """Returns what is stored of a text that the database must not show."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
