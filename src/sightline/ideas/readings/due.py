"""When a model reads an idea: a time in the idea's row, set in the transaction that described the idea."""

from datetime import datetime
from uuid import UUID

from sightline.intelligence.engine import Engine
from sightline.platform.db import Tx, sql

_MARK = sql("""
UPDATE ideas SET model_due_at = :now, model_attempts = 0 WHERE workspace_id = :workspace_id AND id = :id""")


def due_at(tx: Tx, engine: Engine) -> datetime | None:
    """Returns when a model reads an idea that is added now; None if no model follows."""
    return tx.now if engine.model_follows else None


async def mark_due(tx: Tx, engine: Engine, workspace_id: UUID, idea_id: UUID) -> None:
    """Lets a model read the idea as it is after this transaction. What a model is just reading is then dropped."""
    if engine.model_follows:
        await tx.run(_MARK, workspace_id=workspace_id, id=idea_id)
