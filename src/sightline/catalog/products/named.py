"""Whether a product that a request names exists. Decisions: References in bodies."""

from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.errors import NotFound

_EXISTS = sql("SELECT EXISTS (SELECT FROM products WHERE workspace_id = :workspace_id AND id = :id)")


async def ensure_product(tx: Tx, workspace_id: UUID, id: UUID | str | None, field: str) -> None:
    """Raises NotFound if the field of the body names a product that the workspace does not have."""
    if id and not await tx.value(_EXISTS, workspace_id=workspace_id, id=UUID(str(id))):
        raise unknown_product(field)


def unknown_product(field: str) -> NotFound:
    return NotFound("The workspace has no such product.", field=field)
