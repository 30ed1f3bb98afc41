"""When a model reads an idea: a time in the idea's row, set in the transaction that described the idea."""

from uuid import UUID

from sightline.intelligence.engine import Engine
from sightline.intelligence.model.usage import may_ask
from sightline.platform.db import Tx


async def model_follows(tx: Tx, engine: Engine, workspace_id: UUID) -> bool:
    """Whether a model reads what is described now: there is one, and the workspace wants it and has budget left."""
    return engine.model_follows and await may_ask(tx, workspace_id)
