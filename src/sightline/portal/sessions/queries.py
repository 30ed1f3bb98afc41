"""The SQL of sessions, which are found with their portal. The database has only hashes of the tokens."""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from sightline.platform.db import Database, Row, Tx, sql
from sightline.platform.db.sql import columns
from sightline.portal.portals.records import COLUMNS, Portal

LIFE = timedelta(days=14)
_PROLONGED_AFTER = timedelta(hours=12)  # so that not every page writes the session

_ADD = sql("""
    INSERT INTO portal_sessions (token_hash, workspace_id, user_id, created_at, expires_at)
    VALUES (:token_hash, :workspace_id, :user_id, :now, :expires_at)""")
_FIND = """
    SELECT {portal}, u.id AS user_id, u.email, u.first_name, u.last_name, u.subject, s.token_hash, s.expires_at
      FROM (SELECT * FROM portals WHERE {condition}) AS p
      LEFT JOIN portal_sessions s
        ON s.workspace_id = p.workspace_id AND s.token_hash = ANY(:token_hashes) AND s.expires_at > :now
      LEFT JOIN portal_users u ON u.workspace_id = p.workspace_id AND u.id = s.user_id"""
_PORTAL = columns(COLUMNS)
_HAS_HOST = sql("SELECT EXISTS (SELECT FROM portals WHERE host = ANY(:hosts))")
_QUALIFIED = ", ".join(f"p.{column}" for column in _PORTAL)
_BY_ALIAS = sql(_FIND, portal=_QUALIFIED, condition="alias = :alias")
_BY_HOST = sql(_FIND, portal=_QUALIFIED, condition="host = ANY(:hosts) ORDER BY host DESC LIMIT 1")
_PROLONG = sql("""
    UPDATE portal_sessions SET expires_at = :expires_at
     WHERE workspace_id = :workspace_id AND token_hash = :token_hash AND expires_at < :expires_at""")
_END = sql("DELETE FROM portal_sessions WHERE workspace_id = :workspace_id AND token_hash = :token_hash")


class User(NamedTuple):
    """A person. `subject` is their id in the customer's product; None if only the e-mail is known."""

    id: UUID
    email: str
    first_name: str
    last_name: str
    subject: str | None


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


Sessions = dict[bytes, Row]  # of one browser in one portal, by the hash of their token


class Opened(NamedTuple):
    portal: Portal
    sessions: Sessions


async def find_by_alias(tx: Tx, alias: str, tokens: Iterable[str]) -> Opened | None:
    """Returns the portal and, of the sessions with these tokens, the portal's own that have not ended."""
    return _opened(await tx.rows(_BY_ALIAS, alias=alias, token_hashes=[*map(hash_of, tokens)]))


async def find_by_host(tx: Tx, hosts: list[str], tokens: Iterable[str]) -> Opened | None:
    """Like find_by_alias(), by the name with and without its port. A portal that names the port comes first."""
    return _opened(await tx.rows(_BY_HOST, hosts=hosts, token_hashes=[*map(hash_of, tokens)]))


async def has_host(tx: Tx, hosts: list[str]) -> bool:
    """Whether a portal has one of these hosts: the name with and without its port."""
    return bool(await tx.value(_HAS_HOST, hosts=hosts))


def _opened(rows: list[Row]) -> Opened | None:
    if not rows:
        return None
    portal = Portal(*(rows[0][column] for column in _PORTAL))
    return Opened(portal, {row["token_hash"]: row for row in rows if row["token_hash"] is not None})


async def open_session(db: Database, portal: Portal, sessions: Sessions, token: str) -> Session | None:
    """Returns the session with this token unless it has ended, and prolongs it at most twice a day."""
    row = sessions.get(hash_of(token))
    if row is None:
        return None
    user = User(row["user_id"], row["email"], row["first_name"], row["last_name"], row["subject"])
    is_prolonged: bool = row["expires_at"] - db.clock.now() <= LIFE - _PROLONGED_AFTER
    if is_prolonged:
        async with db.autocommit(writes=True) as tx:
            values = {"token_hash": hash_of(token), "expires_at": tx.now + LIFE}
            await tx.run(_PROLONG, workspace_id=portal.workspace_id, **values)
    return Session(token, user, is_prolonged)


async def end_session(tx: Tx, workspace_id: UUID, token: str) -> None:
    """Ends the session: copies of the cookie stop working too."""
    await tx.run(_END, workspace_id=workspace_id, token_hash=hash_of(token))


def hash_of(token: str) -> bytes:
    """Returns what is stored of a text that the database must not show."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
