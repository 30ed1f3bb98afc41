"""Feature maps of products, read once per version and cached by the process up to a bound in bytes."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sightline.intelligence.engine import Engine, FeatureMap, FeatureText
from sightline.platform.beside import run_beside
from sightline.platform.db import Database, Row, Tx, sql

FIND_MAP_VERSION = sql("SELECT map_version FROM products WHERE workspace_id = :workspace_id AND id = :product_id")
# Characters of the descriptions of a map: each is read up to an equal share, which bounds time and memory.
_MOST_CHARACTERS = 6_000_000
_FEATURES = sql("""
SELECT p.map_version, f.id, f.name, left(f.description, (:most / count(*) OVER ())::int) AS description
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


_Key = tuple[UUID, UUID]  # workspace and product


class FeatureMaps:
    """A cache of maps that drops the least recently used first. `capacity` is in bytes.

    A larger map is kept until another one is read. Maps are read one at a time: one of 10,000 features takes 2 s and
    60 MB.
    """

    def __init__(self, engine: Engine, capacity: int = 16 * 1024 * 1024) -> None:
        self.engine = engine
        self._capacity = capacity
        self._size = 0
        self._maps: OrderedDict[_Key, VersionedMap] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def find(self, db: Database, workspace_id: UUID, product_id: UUID) -> VersionedMap | None:
        """Returns the current map, or None if the workspace has no such product. Holds no connection while it reads."""
        at = (workspace_id, product_id)
        async with db.autocommit() as tx:
            version = await find_map_version(tx, *at)
        if version is None:
            return None
        if kept := self._find_kept(at, version):
            return kept
        async with self._one_at_a_time:
            if kept := self._find_kept(at, version):  # another request has read it
                return kept
            # Not of the pool: all its connections may be held by requests that wait here.
            async with (db.beside or db).autocommit() as tx:
                rows = await tx.rows(_FEATURES, workspace_id=workspace_id, product_id=product_id, most=_MOST_CHARACTERS)
            if not rows:
                return None
            self._make_room(fewest=0)
            found = VersionedMap(product_id, rows[0]["map_version"], await run_beside(self._read, rows))
            self._keep(at, found)
            return found

    def _find_kept(self, at: _Key, version: int) -> VersionedMap | None:
        kept = self._maps.get(at)
        if kept is None or kept.version != version:
            return None
        self._maps.move_to_end(at)
        return kept

    def _keep(self, at: _Key, found: VersionedMap) -> None:
        if (before := self._maps.pop(at, None)) is not None:
            self._size -= before.features.size
        self._maps[at] = found
        self._size += found.features.size
        self._make_room(fewest=1)

    def _make_room(self, *, fewest: int) -> None:
        while self._size > self._capacity and len(self._maps) > fewest:
            _, oldest = self._maps.popitem(last=False)
            self._size -= oldest.features.size

    def _read(self, rows: Sequence[Row]) -> FeatureMap:
        return self.engine.read_features(
            [FeatureText(row["id"], row["name"], row["description"]) for row in rows if row["id"] is not None]
        )
