"""The SQL of feature matching."""

from uuid import UUID

from sightline.platform.db import Tx, sql

_MAP_VERSION = sql("SELECT map_version FROM products WHERE workspace_id = :workspace_id AND id = :id")


async def find_map_version(tx: Tx, workspace_id: UUID, product_id: UUID) -> int | None:
    """Returns the version of the product's feature map, or None without such a product."""
    version: int | None = await tx.value(_MAP_VERSION, workspace_id=workspace_id, id=product_id)
    return version
