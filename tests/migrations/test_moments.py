"""Records that a file stored with an `updated_at` before they were written are updated by revision 0018."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sightline.migrations import migrate, migrate_within
from tests.migrations.rows import MADE, WORKSPACE, add, named, record
from tests.migrations.servers import connected

BEFORE = "0017"
LISTS = ("accounts", "opportunities", "ideas", "initiatives", "insights", "signals")
CREATED, LATER = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
# The latest lines of the trail, the stored `updated_at`, and whether that is wrong.
CASES: tuple[tuple[list[datetime], datetime, bool], ...] = (
    ([CREATED], CREATED - timedelta(days=30), False),  # kept from the file that created the workspace
    ([CREATED, LATER], CREATED - timedelta(days=30), True),  # changed by a later file that gave a time
    ([LATER], LATER - timedelta(days=30), True),  # added by a later file
    ([LATER], LATER, False),
    ([], CREATED, True),  # nothing is known
)


def line(kind: str, id: UUID, at: datetime) -> dict[str, Any]:
    who = {"actor_kind": "file", "action": "created"}
    return {"workspace_id": WORKSPACE, "id": uuid4(), "kind": kind, "record_id": id, "at": at, **who}


async def test_records_written_into_the_past_are_updated_by_the_migration(empty: str) -> None:
    async with connected(empty) as connection:
        await migrate_within(connection, BEFORE)
        await add(connection, "workspaces", {"id": WORKSPACE, "slug": "w", "name": "W", **MADE})
        await add(connection, "changes", line("workspace", WORKSPACE, CREATED))
        for table in LISTS:
            for n, (moments, updated, _) in enumerate(CASES):
                await add(connection, table, record(table, n) | {"updated_at": updated})
                for at in moments:
                    await add(connection, "changes", line(table, named(table, n), at))
    before = datetime.now(UTC) - timedelta(seconds=1)
    await migrate(empty)
    async with connected(empty) as connection:
        for table in LISTS:
            rows = await connection.fetch(f"SELECT id, updated_at FROM {table}")  # noqa: S608 - our names
            found = {row["id"]: row["updated_at"] for row in rows}
            for n, (_, updated, is_wrong) in enumerate(CASES):
                now = found[named(table, n)]
                assert now > before if is_wrong else now == updated, (table, n)
