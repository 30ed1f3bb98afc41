"""Feature maps of products, read once per version and cached by the process up to a bound in bytes."""

from collections import OrderedDict
from typing import NamedTuple
from uuid import UUID

from sightline.intelligence.engine import Engine, FeatureMap, FeatureText
from sightline.platform.db import Tx, sql

FIND_MAP_VERSION = sql("SELECT map_version FROM products WHERE workspace_id = :workspace_id AND id = :product_id")
_FEATURES = sql("""
SELECT p.map_version, f.id, f.name, f.description
  FROM products p LEFT JOIN features f ON f.workspace_id = :workspace_id AND f.product_id = p.id
 WHERE p.workspace_id = :workspace_id AND p.id = :product_id
 ORDER BY f.position, f.id""")


async def find_map_version(tx: Tx, workspace_id: UUID, product_id: UUID) -> int | None:
    """Returns the version of the product's feature map, or None without such a product."""
    version: int | None = await tx.value(FIND_MAP_VERSION, workspace_id=workspace_id, product_id=product_id)
    return version


class VersionedMap(NamedTuple):
    """A feature map as an engine reads it, and the version of the product's map that was read."""

    product_id: UUID
    version: int
    features: FeatureMap


class FeatureMaps:
    """A cache of maps that drops the least recently used first. `capacity` is in bytes."""

    def __init__(self, engine: Engine, capacity: int = 16 * 1024 * 1024) -> None:
        self.engine = engine
        self._capacity = capacity
        self._size = 0
        self._maps: OrderedDict[tuple[UUID, UUID], VersionedMap] = OrderedDict()

    async def find(self, tx: Tx, workspace_id: UUID, product_id: UUID) -> VersionedMap | None:
        """Returns the current map, or None if the workspace has no such product."""
        version = await find_map_version(tx, workspace_id, product_id)
        if version is None:
            return None
        kept = self._maps.get((workspace_id, product_id))
        if kept is not None and kept.version == version:
            self._maps.move_to_end((workspace_id, product_id))
            return kept
        rows = await tx.rows(_FEATURES, workspace_id=workspace_id, product_id=product_id)
        if not rows:
            return None
        texts = [FeatureText(row["id"], row["name"], row["description"]) for row in rows if row["id"] is not None]
        found = VersionedMap(product_id, rows[0]["map_version"], self.engine.read_features(texts))
        self._keep((workspace_id, product_id), found)
        return found

    def _keep(self, at: tuple[UUID, UUID], found: VersionedMap) -> None:
        if (before := self._maps.pop(at, None)) is not None:
            self._size -= before.features.size
        if found.features.size > self._capacity:
            return
        self._maps[at] = found
        self._size += found.features.size
        while self._size > self._capacity:
            _, oldest = self._maps.popitem(last=False)
            self._size -= oldest.features.size
