"""Backups of databases of the tests' own, and a look at what is in a database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from io import BytesIO
from typing import Any
from uuid import uuid4

import asyncpg

from sightline.backup.archive import Archive
from sightline.backup.queries import columns_by_table, quoted
from sightline.backup.records import Restored
from sightline.backup.restoring import restoring
from sightline.backup.writing import write_backup
from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.sample.workspace import load
from sightline.workspaces.keys.lifecycle import create_key
from sightline.workspaces.keys.records import NewKey
from sightline.workspaces.tenants import find_workspace
from tests.migrations.servers import connected, on_database
from tests.workspace_file.files import apply, whole
from tests.world import OPERATOR

SECRET = "s3cret-of-the-tests-and-of-nobody-else"
SLUG, OWNER = "fennmark", "ina@fennmark.example"  # of the sample
# What no workspace file brings.
MORE = (
    """UPDATE portals SET secret = decode('00ff10', 'hex') WHERE workspace_id = $1""",
    """INSERT INTO portal_sessions (token_hash, workspace_id, user_id, created_at, expires_at)
       SELECT decode(md5(id::text), 'hex'), workspace_id, id, now(), now() + '1 day' FROM portal_users
        WHERE workspace_id = $1""",
    """INSERT INTO model_usage (workspace_id, id, task, record_id, model, requests, unmeasured, input_tokens,
                                output_tokens, seconds, cost, created_at)
       VALUES ($1, gen_random_uuid(), 'signals.process', gen_random_uuid(), 'model:m', 2, 0, 9, 3, 0.5, 0.01, now())""",
    """INSERT INTO portal_used_tokens (workspace_id, jti_hash, valid_until) VALUES ($1, '\\x0a5c', now())""",
    """INSERT INTO portal_waiting_forms
           (workspace_id, id, browser_hash, network_hash, path, fields, created_at, expires_at)
       VALUES ($1, gen_random_uuid(), '\\x0a', '\\x5c', '/ideas', '{"text": "a"}', now(), now() + '1 hour')""",
    """INSERT INTO document_generations
           (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after, created_at, updated_at)
       SELECT workspace_id, id, id, id, 'PRD', true, 'pending', now(), now(), now() FROM initiatives
        WHERE workspace_id = $1""",
    """INSERT INTO idempotency_keys (workspace_id, key_id, operation, value, body_hash, status, body, created_at)
       VALUES ($1, $1, 'create', E'tab\t, line\n, \\\\N and \\\\.', '\\x00', 201, '\\x0001ff', now())""",
    """INSERT INTO insight_keys (workspace_id, hash, insight_id)
       SELECT workspace_id, sha256(id::text::bytea), id FROM insights WHERE workspace_id = $1
       UNION ALL VALUES ($1, '\\x00ff10'::bytea, NULL::uuid)""",
    """INSERT INTO renames (workspace_id, record_id, renamed_at) VALUES ($1, gen_random_uuid(), now())""",
)
HUGE = """
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, at, detail)
SELECT gen_random_uuid(), gen_random_uuid(), 'huge', gen_random_uuid(), 'added', 'operator', now(),
       jsonb_build_object('noise', (SELECT string_agg(md5(m::text || random()), '')
                                      FROM generate_series(n, n + 30) AS m))
  FROM generate_series(1, $1::int) AS n"""
# What belongs to no workspace.
QUEUED = """
INSERT INTO jobs (kind, workspace_id, record_id, state, run, attempts, held_until)
VALUES ('x', gen_random_uuid(), gen_random_uuid(), 'running', 2, 1, now());
INSERT INTO job_totals (kind, outcome, jobs, seconds) VALUES ('x', 'done', 1, 0.1)"""


class Unwatched:
    """Nobody wants to know how far it is."""

    def begin(self, rows: int) -> None: ...

    def advance(self, rows: int) -> None: ...


async def new_database(server: str, *, migrated: bool = False) -> str:
    """A database of the caller's own on a server that other processes use too; its address."""
    name = f"b_{uuid4().hex}"
    async with connected(on_database(server, "postgres")) as connection:
        await connection.execute(f"CREATE DATABASE {name}")
    url = on_database(server, name)
    if migrated:
        await migrate(url)
    return url


async def fill(url: str) -> str:
    """Something in every table; a key of the sample's owner."""
    database = await Database.connect(url, size=2)
    try:
        for file in (load(), whole()):
            await apply(database, file)
        async with database.transaction() as tx:
            actor = replace(OPERATOR, workspace_id=(await find_workspace(tx, SLUG)).id)
            await tx.connection.execute(QUEUED)
            for statement in MORE:
                await tx.connection.execute(statement, actor.workspace_id)
            return (await create_key(tx, actor, NewKey(name="test", scopes=["all"], member=OWNER))).key
    finally:
        await database.close()


async def backed_up(url: str, secret: str = SECRET) -> bytes:
    out = BytesIO()
    await write_backup(url, out, secret, Unwatched())
    return out.getvalue()


async def restore(url: str, backup: bytes, **options: Any) -> Restored:
    async with restoring(url, Archive(BytesIO(backup)), Unwatched(), **options) as restored:
        pass
    return restored


async def contents(url: str) -> dict[str, tuple[int, str]]:
    """Of each copied table, how many rows it has and a fingerprint of them."""
    async with looking(url) as connection:
        found = {}
        for table, columns in (await columns_by_table(connection)).items():
            row = f"ROW({', '.join(map(quoted, columns))})::text"
            rows, fingerprint = await connection.fetchrow(
                f"SELECT count(*), md5(string_agg({row}, E'\\n' ORDER BY {row} COLLATE \"C\")) FROM {quoted(table)}"  # noqa: S608
            ) or (0, "")
            found[table] = rows, fingerprint
        return found


async def make_large(url: str, rows: int) -> None:
    """Adds about 1 KiB a row that hardly compresses."""
    await value(url, HUGE, rows)


async def tables(url: str) -> int:
    async with looking(url) as connection:
        found: int = await connection.fetchval(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        )
        return found


async def value(url: str, statement: str, *values: object) -> Any:
    async with looking(url) as connection:
        return await connection.fetchval(statement, *values)


@asynccontextmanager
async def looking(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    async with connected(url) as connection:
        await connection.execute("SET TimeZone = 'UTC'")
        yield connection
