"""Insights that were found before statements had keys: the oldest of equal ones has the key, and none is merged."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from sightline.migrations import migrate, migrate_within
from tests.migrations.rows import MADE, WORKSPACE, add
from tests.migrations.servers import connected

LONG = "When the books are closed, the export of the general ledger takes longer than an hour and nobody knows why"
QUOTE = f"{LONG}, not even our own support"
OWNER = "SELECT insight_id FROM insight_keys WHERE hash = statement_hash('problem', $1, jsonb_build_array($2::jsonb))"
FOUND = [
    ("Exports are slow.", "problem", "processing", 2),
    ("exports are SLOW!", "problem", "processing", 1),
    ("Exports are slow", "context", "processing", 3),
    ("Exports are slow", "problem", "manual", 0),
    ("When the books are closed", "problem", "processing", 4),
    ("\U0001f44d", "praise", "processing", 5),
]


def insight(n: int, title: str, category: str, origin: str, day: int) -> dict[str, Any]:
    quotes = msgspec.json.encode([{"text": QUOTE, "signalId": None}]).decode() if title in LONG else None
    moments = MADE | {"created_at": datetime(2026, 1, 1 + day, tzinfo=UTC)}
    names = {"workspace_id": WORKSPACE, "id": UUID(int=n), "title": title, "category": category, "origin": origin}
    return names | {"extracts": quotes} | moments


async def test_the_oldest_of_equal_insights_gets_the_key(empty: str) -> None:
    async with connected(empty) as connection:
        await migrate_within(connection, "0017")
        await add(connection, "workspaces", {"id": WORKSPACE, "slug": "w", "name": "W", **MADE})
        await add(connection, "insights", *(insight(n, *found) for n, found in enumerate(FOUND)))
    await migrate(empty)
    async with connected(empty) as connection:
        assert await connection.fetchval("SELECT count(*) FROM insights") == len(FOUND)
        rows = await connection.fetch("SELECT insight_id FROM insight_keys")
        assert {row[0].int for row in rows} == {1, 2, 4, 5}
        said = msgspec.json.encode({"text": QUOTE.upper()}).decode()
        assert await connection.fetchval(OWNER, "When the books", said) == UUID(int=4)
