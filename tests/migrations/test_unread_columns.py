"""Columns that are replaced or no longer used since revision 0014: what was stored in them stays."""

import pytest

from sightline.migrations import migrate, migrate_within
from tests.backup.copies import backed_up, restore
from tests.migrations.servers import connected, new_database

BEFORE = "0012"
FILL = """
INSERT INTO workspaces (id, slug, name, created_at, updated_at)
VALUES ('0b5c7f1e-0000-4000-8000-00000000000a', 'acme', 'Acme', now(), now());
INSERT INTO initiatives (workspace_id, id, number, name, status, created_at, updated_at)
SELECT id, gen_random_uuid(), 1, 'Exports', 'PENDING', now(), now() FROM workspaces;
INSERT INTO document_generations (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after,
                                  created_at, updated_at)
SELECT workspace_id, id, id, id, 'PRD', true, 'pending', now(), now(), now() FROM initiatives"""


async def requests(url: str) -> object:
    async with connected(url) as connection:
        return await connection.fetchval("SELECT requests FROM document_generations")


@pytest.fixture
async def at_revision_before(empty: str) -> str:
    """The address of a database in which a generation has been requested three times."""
    async with connected(empty) as connection:
        await migrate_within(connection, BEFORE)
        await connection.execute(FILL)
        await connection.execute("UPDATE document_generations SET wishes = 3")
    return empty


async def test_requests_are_kept(at_revision_before: str) -> None:
    await migrate(at_revision_before)
    assert await requests(at_revision_before) == 3


async def test_a_backup_of_before_is_restored_with_its_requests(server: str, at_revision_before: str) -> None:
    another = await new_database(server)
    await restore(another, await backed_up(at_revision_before))
    assert await requests(another) == 3
