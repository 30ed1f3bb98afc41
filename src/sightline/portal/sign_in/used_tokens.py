"""Replay protection: a `jti` works once, whatever token carries it. Specification: JWT claims."""

from datetime import timedelta
from hashlib import sha256
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.portal.sign_in.tokens import Claims, TokenRefused

KEPT = timedelta(days=90)

_USE = sql("""
    INSERT INTO portal_used_tokens (workspace_id, jti_hash, valid_until)
    VALUES (:workspace_id, :jti_hash, :valid_until) ON CONFLICT DO NOTHING""")
_IS_USED = sql("""
    SELECT EXISTS (SELECT FROM portal_used_tokens WHERE workspace_id = :workspace_id AND jti_hash = :jti_hash)""")


async def use_token(tx: Tx, workspace_id: UUID, claims: Claims) -> None:
    """Marks the token as used. Waits for another transaction that does so. Raises TokenRefused."""
    if not await tx.run(_USE, workspace_id=workspace_id, jti_hash=jti_hash(claims), valid_until=tx.now + KEPT):
        raise _refusal()


async def refuse_used_token(tx: Tx, workspace_id: UUID, claims: Claims) -> None:
    """Raises TokenRefused if the token was used. Does not mark it."""
    if await tx.value(_IS_USED, workspace_id=workspace_id, jti_hash=jti_hash(claims)):
        raise _refusal()


def jti_hash(claims: Claims) -> bytes:
    return sha256(claims.jti.encode()).digest()


def _refusal() -> TokenRefused:
    return TokenRefused("jti", "jti was used before: send a new one with each sign-in.")
