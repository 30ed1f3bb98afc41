"""Finds records of an import that the workspace already has from another source."""

from collections.abc import Sequence
from uuid import UUID

from sightline.platform.db import Row, Tx, sql
from sightline.platform.file_section.tables import Table
from sightline.workspace_file.reading import DEFAULT_SOURCE, Line

# One look-up in the index for each of at most ten sources, however many records they have.
_FIND = """
    WITH RECURSIVE source AS (
        (SELECT min(source_key) AS key FROM {table} WHERE workspace_id = :workspace_id AND source_key IS NOT NULL)
        UNION ALL
        SELECT (SELECT min(source_key) FROM {table} WHERE workspace_id = :workspace_id AND source_key > source.key)
          FROM source WHERE source.key IS NOT NULL),
    other AS (SELECT key FROM source WHERE key <> :own LIMIT 10)
    SELECT other.key, count(*) AS lines FROM other CROSS JOIN unnest(:ids::text[]) AS line (id)
      JOIN {table} AS t ON t.workspace_id = :workspace_id AND t.source_key = other.key AND t.external_id = line.id
     WHERE NOT EXISTS (
           SELECT FROM {table} WHERE workspace_id = :workspace_id AND source_key = :own AND external_id = line.id)
     GROUP BY other.key ORDER BY lines DESC LIMIT 1"""


async def find_other_source(tx: Tx, workspace_id: UUID, table: Table, lines: Sequence[Line]) -> Row | None:
    """Returns the `key` of the source that has most of the records that lines without one would add, and how many."""
    ids = list({given["externalId"] for _, given, *_ in lines if given.get("sourceKey") == DEFAULT_SOURCE})
    if not ids:
        return None
    statement = sql(_FIND, table=table.name)
    return await tx.row(statement, workspace_id=workspace_id, own=DEFAULT_SOURCE, ids=ids)
