"""AI credits of a workspace's plan: reserved when work is queued, settled when it is done, returned when it is not.

Reserved credits count as used, so concurrent requests never spend more than the plan allows.
"""

from typing import Any, ClassVar
from uuid import UUID

from sightline.platform.db import Statement, Tx, sql
from sightline.platform.errors import PaymentRequired


class CreditsExhausted(PaymentRequired):
    """402: the plan's AI credits do not suffice."""

    code = "CREDITS_EXHAUSTED"
    members: ClassVar[dict[str, Any]] = {"used": 1000, "limit": 1000}


_TAKE = """
UPDATE plans SET {column} = {column} + :credits
 WHERE workspace_id = :workspace_id
   AND (ai_credits IS NULL OR ai_credits_used + ai_credits_reserved + :credits <= ai_credits)"""
_RESERVE = sql(_TAKE, column="ai_credits_reserved")
_SPEND = sql(_TAKE, column="ai_credits_used")
_SETTLE = sql("""
UPDATE plans SET ai_credits_reserved = ai_credits_reserved - :credits, ai_credits_used = ai_credits_used + :credits
 WHERE workspace_id = :workspace_id""")
_RETURN = sql("""
UPDATE plans SET ai_credits_reserved = ai_credits_reserved - :credits WHERE workspace_id = :workspace_id""")
_LOCK = sql("SELECT FROM plans WHERE workspace_id = :workspace_id FOR NO KEY UPDATE")
_SET_RESERVED = sql("UPDATE plans SET ai_credits_reserved = :reserved WHERE workspace_id = :workspace_id")
_FIND = sql("""
SELECT ai_credits_used + ai_credits_reserved AS used, ai_credits AS limit
  FROM plans WHERE workspace_id = :workspace_id""")


async def reserve_credits(tx: Tx, workspace_id: UUID, credits: int) -> None:
    """Raises CreditsExhausted. Locks the plan."""
    if credits and not await tx.run(_RESERVE, workspace_id=workspace_id, credits=credits):
        raise await _exhausted(tx, workspace_id, credits)


async def settle_credits(tx: Tx, workspace_id: UUID, credits: int) -> None:
    """Turns reserved credits into used ones."""
    if credits:
        await tx.run(_SETTLE, workspace_id=workspace_id, credits=credits)


async def return_credits(tx: Tx, workspace_id: UUID, credits: int) -> None:
    """Gives reserved credits back."""
    if credits:
        await tx.run(_RETURN, workspace_id=workspace_id, credits=credits)


async def recount_reserved(tx: Tx, workspace_id: UUID, reserved: Statement) -> None:
    """Sets the reserved credits to what the statement counts: whatever reserves credits has them reserved here too."""
    await tx.run(_LOCK, workspace_id=workspace_id)
    counted = await tx.value(reserved, workspace_id=workspace_id)
    await tx.run(_SET_RESERVED, workspace_id=workspace_id, reserved=counted)


async def spend_credits(tx: Tx, workspace_id: UUID, credits: int) -> None:
    """Uses credits at once. Raises CreditsExhausted."""
    if not await tx.run(_SPEND, workspace_id=workspace_id, credits=credits):
        raise await _exhausted(tx, workspace_id, credits)


async def ensure_credits(tx: Tx, workspace_id: UUID, credits: int) -> None:
    """Raises CreditsExhausted when the plan does not allow so many now."""
    row = await tx.row(_FIND, workspace_id=workspace_id)
    if row is not None and row["limit"] is not None and row["used"] + credits > row["limit"]:
        raise await _exhausted(tx, workspace_id, credits)


async def _exhausted(tx: Tx, workspace_id: UUID, credits: int) -> CreditsExhausted:
    row = await tx.row(_FIND, workspace_id=workspace_id)
    used, limit = (row["used"], row["limit"]) if row else (0, 0)
    detail = f"This needs {credits} AI credits; {used} of the plan's {limit} are used or reserved."
    return CreditsExhausted(detail, used=used, limit=limit)
