"""How statements were carried out: which tables and indexes were read, and how much of them."""

from typing import Any

import msgspec

from sightline.platform.db import Statement
from tests.waiting import until

Json = dict[str, Any]


class Explained:
    """A transaction that tells how its statements were carried out."""

    def __init__(self, tx: Any) -> None:
        self.tx = tx
        self.now, self.clock = tx.now, tx.clock
        self.nodes: list[Json] = []

    async def value(self, statement: Statement, **values: Any) -> Any:
        return await self.tx.value(statement, **values)

    async def rows(self, statement: Statement, **values: Any) -> Any:
        explained = Statement(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement.text}", statement.names)
        [[plan]] = await self.tx.rows(explained, **values)
        self._add(msgspec.json.decode(plan)[0]["Plan"])
        return await self.tx.rows(statement, **values)

    def _add(self, node: Json) -> None:
        self.nodes.append(node)
        for below in node.get("Plans", ()):
            self._add(below)

    @property
    def rows_read(self) -> float:
        """Of tables and indexes, shown or not."""
        scans = [node for node in self.nodes if "Relation Name" in node]
        passed_over = ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        return sum(
            float(node["Actual Loops"] * (node["Actual Rows"] + sum(node.get(name, 0) for name in passed_over)))
            for node in scans
        )

    @property
    def read_whole(self) -> set[str]:
        """Tables that were read from end to end, but for the one that holds a few rows of each feed."""
        scans = [node for node in self.nodes if node["Node Type"] == "Seq Scan" and node["Actual Loops"]]
        return {node["Relation Name"] for node in scans} - {"feed_versions"}


_IS_SETTLED = "SELECT relallvisible >= 0.95 * relpages FROM pg_class WHERE oid = $1::text::regclass"


async def settle(tx: Any, table: str) -> None:
    """Fresh statistics, and no row that some open transaction might not see: then indexes answer alone."""

    async def is_settled() -> bool:
        await tx.connection.execute(f"VACUUM ANALYZE {table}")
        return bool(await tx.connection.fetchval(_IS_SETTLED, table))

    await until(is_settled)  # else somebody keeps a transaction open
