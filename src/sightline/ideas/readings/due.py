"""When a model reads an idea: a time in the idea's row, set in the transaction that described the idea."""

from uuid import UUID

from sightline.intelligence.engine import Engine
from sightline.intelligence.model.usage import may_ask
from sightline.platform.db import Tx, sql

_MARK = sql("""
UPDATE ideas SET model_due_at = :now, model_attempts = 0 WHERE workspace_id = :workspace_id AND id = :id""")


async def model_follows(tx: Tx, engine: Engine, workspace_id: UUID) -> bool:
    """Whether a model reads what is described now: there is one, and the workspace wants it and has budget left."""
    return engine.model_follows and await may_ask(tx, workspace_id)


async def mark_due(tx: Tx, workspace_id: UUID, idea_id: UUID) -> None:
    """Lets a model read the idea as it is after this transaction. What a model is just reading is then dropped."""
    await tx.run(_MARK, workspace_id=workspace_id, id=idea_id)
