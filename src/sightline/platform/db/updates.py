"""The one way to change a versioned record."""

from typing import Any
from uuid import UUID

from sightline.platform.db.database import Tx
from sightline.platform.db.sql import assignments, sql

_UPDATE = """
UPDATE {table}
   SET {assignments}updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id"""


async def update_record(tx: Tx, table: str, workspace_id: UUID, id: UUID, changes: dict[str, Any]) -> None:
    """Sets the columns named in `changes`, if any, and moves `updated_at` and `version`."""
    statement = sql(_UPDATE, table=table, assignments=f"{assignments(changes)}, " if changes else "")
    await tx.run(statement, workspace_id=workspace_id, id=id, **changes)
