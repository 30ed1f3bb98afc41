"""Finds records of an import that the workspace already has from another source."""

from collections.abc import Sequence
from typing import NamedTuple

from sightline.platform.db import Database, sql
from sightline.platform.file_section.tables import Table
from sightline.workspace_file import queries
from sightline.workspace_file.reading import DEFAULT_SOURCE, Line
from sightline.workspaces.tenants import find_workspace

CHECKED_LINES = 10_000  # at the start of a file; later lines are from the same source
MOST_SOURCES = 10

# One look-up in the index for each source, however many records it has.
_SOURCES = """
    WITH RECURSIVE source AS (
        (SELECT min(source_key) AS key FROM {table} WHERE workspace_id = :workspace_id AND source_key IS NOT NULL)
        UNION ALL
        SELECT (SELECT min(source_key) FROM {table} WHERE workspace_id = :workspace_id AND source_key > source.key)
          FROM source WHERE source.key IS NOT NULL)
    SELECT key FROM source WHERE key IS NOT NULL AND key <> :own LIMIT :most"""


class OtherSource(NamedTuple):
    """How many lines would be added although their externalId exists with this sourceKey."""

    key: str
    lines: int


class OtherSources:
    """Checks the first lines of an import without its own source key."""

    def __init__(self, db: Database, slug: str, table: Table) -> None:
        self.db = db
        self.slug = slug
        self.table = table
        self._checked = 0

    async def find(self, lines: Sequence[Line]) -> OtherSource | None:
        """Returns the source that has most of the records that these lines would add; None after 10,000 lines."""
        filled = {given["externalId"] for _, given, *_ in lines if given.get("sourceKey") == DEFAULT_SOURCE}
        if self._checked >= CHECKED_LINES or not filled:
            return None
        self._checked += len(lines)
        async with self.db.autocommit() as tx:
            workspace = await find_workspace(tx, self.slug)
            statement = sql(_SOURCES, table=self.table.name)
            rows = await tx.rows(statement, workspace_id=workspace.id, own=DEFAULT_SOURCE, most=MOST_SOURCES)
            sources = [row["key"] for row in rows]
            if not sources:
                return None
            sets = [(key, external_id) for key in (DEFAULT_SOURCE, *sources) for external_id in filled]
            stored = await queries.find_rows(tx, self.table, workspace.id, {("source_key", "external_id"): sets})
        known = {row["external_id"] for row in stored if row["source_key"] == DEFAULT_SOURCE}
        found = [
            OtherSource(key, sum(row["source_key"] == key and row["external_id"] not in known for row in stored))
            for key in sources
        ]
        most = max(found, key=lambda source: source.lines)
        return most if most.lines else None
