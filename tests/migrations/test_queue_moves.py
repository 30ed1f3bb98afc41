"""The jobs of the queue before revision 0013 stay jobs, also those in a backup."""

from sightline.migrations import migrate, migrate_within
from tests.backup.copies import backed_up, restore
from tests.migrations.servers import connected, new_database

BEFORE = "0012"
WORKSPACE, RECORD = "0b5c7f1e-0000-4000-8000-00000000000a", "0b5c7f1e-0000-4000-8000-00000000000"
ADD = """
INSERT INTO pgqueuer (priority, status, entrypoint, dedupe_key, payload, attempts, headers, execute_after)
VALUES (0, $1::pgqueuer_status, 'documents.write', 'documents.write:' || $2, '', $3, $4, now() + interval '1 hour')"""
LOG = "INSERT INTO pgqueuer_log (job_id, status, priority, entrypoint) VALUES (1, 'queued', 0, 'x')"
FOUND = """
SELECT id, kind, workspace_id::text, record_id::text, state, attempts, error, stop, is_revived,
       run_after > now() + interval '50 minutes' AS is_later, held_until <= now() AS is_lost
  FROM jobs ORDER BY id"""


async def at_revision_before(url: str) -> None:
    async with connected(url) as connection:
        await migrate_within(connection, BEFORE)
        rows = [
            ("queued", 1, 2, '{"spared": 1, "error": "ValueError: broken", "stop": "It was stopped by ada."}'),
            ("picked", 2, 1, None),
            ("failed", 3, 5, '{"error": "ValueError: broken"}'),
            ("queued", 4, 5, '{"spared": 5, "revive": true}'),
        ]
        for status, number, attempts, headers in rows:
            await connection.execute(ADD, status, f"{WORKSPACE}:{RECORD}{number}", attempts, headers)
        await connection.execute(ADD, "queued", "of no record", 0, None)
        await connection.execute(LOG)


async def look(url: str) -> None:
    async with connected(url) as connection:
        found = [tuple(row) for row in await connection.fetch(FOUND)]
        next_id = await connection.fetchval("SELECT nextval('jobs_id_seq')")
    kind, broken = "documents.write", "ValueError: broken"
    assert found == [
        (1, kind, WORKSPACE, f"{RECORD}1", "waiting", 1, broken, "It was stopped by ada.", False, True, None),
        (2, kind, WORKSPACE, f"{RECORD}2", "running", 1, None, None, False, True, True),
        (3, kind, WORKSPACE, f"{RECORD}3", "failed", 5, broken, None, False, True, None),
        (4, kind, WORKSPACE, f"{RECORD}4", "waiting", 0, None, None, True, True, None),
    ]
    assert next_id == 6


async def test_waiting_running_and_failed_jobs_are_moved_with_their_numbers(empty: str) -> None:
    await at_revision_before(empty)
    await migrate(empty)
    await look(empty)


async def test_a_backup_of_the_revision_before_is_restored_with_its_jobs(server: str, empty: str) -> None:
    await at_revision_before(empty)
    another = await new_database(server)
    await restore(another, await backed_up(empty))
    await look(another)
