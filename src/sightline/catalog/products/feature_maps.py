"""Feature maps of products, read once per version and cached by the process up to a bound in bytes."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID
from weakref import WeakValueDictionary

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.engine import FeatureText
from sightline.platform.beside import Beside
from sightline.platform.db import Database, Row, Tx, sql

FIND_MAP_VERSION = sql("SELECT map_version FROM products WHERE workspace_id = :workspace_id AND id = :product_id")
# Characters of the descriptions of a map: each is read up to an equal share, which bounds time and memory.
_MOST_CHARACTERS = 6_000_000
_LARGE = 256 * 1024  # bytes of names and descriptions, and 100 for each feature: read in 0.2 s, and takes 6 MB
_IS_LARGE = sql("""
SELECT coalesce(sum(octet_length(name) + octet_length(description) + 100), 0) > :large FROM features
 WHERE workspace_id = :workspace_id AND product_id = :product_id""")
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
    features: EmbeddedFeatureMap


_read_small = Beside("small-feature-maps").run  # in which only one waits: maps are read one at a time
_read_large = Beside("feature-maps").run  # 2 s for 10,000 features
_Key = tuple[UUID, UUID]  # workspace and product


class FeatureMaps:
    """A cache of maps, small and large ones apart: a small one waits for no large one, which pushes none out.

    `capacity` is in bytes, of each of the two.
    """

    def __init__(self, engine: EmbeddedEngine, capacity: int = 16 * 1024 * 1024) -> None:
        self.engine = engine
        self._small = _Maps(capacity)
        self._large = _Maps(capacity)
        self._locks: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()  # of products that are read

    async def find(self, db: Database, workspace_id: UUID, product_id: UUID) -> VersionedMap | None:
        """Returns the current map, or None if the workspace has no such product. Holds no connection while it reads."""
        at = (workspace_id, product_id)
        async with db.autocommit() as tx:
            version = await find_map_version(tx, *at)
        if version is None:
            return None
        if kept := self._find_kept(at, version):
            return kept
        async with self._locks.setdefault(at, asyncio.Lock()):
            # After another request has read it; else it is read.
            return self._find_kept(at, version) or await self._read(db, at)

    def _find_kept(self, at: _Key, version: int) -> VersionedMap | None:
        return self._small.find(at, version) or self._large.find(at, version)

    async def _read(self, db: Database, at: _Key) -> VersionedMap | None:
        # Not of the pool: all its connections may be held by requests that wait here.
        beside = db.beside or db
        product = {"workspace_id": at[0], "product_id": at[1]}
        async with beside.autocommit() as tx:
            is_large = await tx.value(_IS_LARGE, **product, large=_LARGE)
        maps, run = (self._large, _read_large) if is_large else (self._small, _read_small)
        async with maps.one_at_a_time:
            async with beside.autocommit() as tx:
                rows = await tx.rows(_FEATURES, **product, most=_MOST_CHARACTERS)
            self._small.remove(at)
            self._large.remove(at)
            if not rows:
                return None
            maps.make_room(fewest=0)
            found = VersionedMap(at[1], rows[0]["map_version"], await run(self._features, rows))
            maps.keep(at, found)
        return found

    def _features(self, rows: Sequence[Row]) -> EmbeddedFeatureMap:
        return self.engine.read_features(
            [FeatureText(row["id"], row["name"], row["description"]) for row in rows if row["id"] is not None]
        )


class _Maps:
    """Maps, of which the least recently used are dropped first. One over the capacity stays until another is read.

    Maps are read one at a time: one of 10,000 features takes 2 s and 60 MB.
    """

    def __init__(self, capacity: int) -> None:
        self.one_at_a_time = asyncio.Lock()
        self._capacity = capacity
        self._size = 0
        self._maps: OrderedDict[_Key, VersionedMap] = OrderedDict()

    def find(self, at: _Key, version: int) -> VersionedMap | None:
        kept = self._maps.get(at)
        if kept is None or kept.version != version:
            return None
        self._maps.move_to_end(at)
        return kept

    def keep(self, at: _Key, found: VersionedMap) -> None:
        self._maps[at] = found
        self._size += found.features.size
        self.make_room(fewest=1)

    def remove(self, at: _Key) -> None:
        if (before := self._maps.pop(at, None)) is not None:
            self._size -= before.features.size

    def make_room(self, *, fewest: int) -> None:
        """Drops maps while they exceed the capacity, but keeps so many."""
        while self._size > self._capacity and len(self._maps) > fewest:
            _, oldest = self._maps.popitem(last=False)
            self._size -= oldest.features.size
