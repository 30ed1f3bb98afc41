"""Restores a backup into an empty database, all or nothing."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import asyncpg

from sightline import migrations
from sightline.backup import queries
from sightline.backup.archive import Archive
from sightline.backup.records import BackupRefused, Manifest, Progress, Restored, Table
from sightline.platform.db import Connection
from sightline.platform.db.database import block, first_line
from sightline.platform.db.tables import tables_in_order


@asynccontextmanager
async def restoring(
    url: str, archive: Archive, progress: Progress, *, forget_secrets: bool = False
) -> AsyncIterator[Restored]:
    """Loads everything and migrates it to this version. The end of the block commits, an exception undoes it.

    The caller has checked the secret, or lets the portals' secrets be removed. Other connections can read existing
    tables, not write them. Needs only the right to create tables, or to own them.
    Refuses with BackupRefused (not empty, newer than this program, damaged, not fitting), otherwise like `migrate()`.
    """
    manifest = archive.manifest
    if manifest.revision < migrations.BASELINE:
        raise BackupRefused(
            f"The backup is of revision {manifest.revision} and this version restores {migrations.BASELINE} and later: "
            f"restore it with an earlier version, migrate to {migrations.BASELINE}, and back it up again."
        )
    if manifest.revision not in migrations.REVISIONS:
        raise BackupRefused(
            f"The backup was made by Sightline {manifest.program} at revision {manifest.revision} and this version "
            f"knows {migrations.HEAD} at most: restore it with that version, or a newer one."
        )
    async with migrations.locked(url) as connection:
        await connection.execute(queries.WRITE_ALIKE)
        async with block(connection, isolation="read_committed"):
            await _prepare(connection, manifest)
            tables, skipped = await _matched(connection, manifest)
            await _load(connection, archive, tables, progress)
            await migrations.migrate_within(connection, migrations.HEAD)
            portals = await queries.forget_portal_secrets(connection) if forget_secrets else []
            rows = sum(table.rows for table in tables.values())
            yield Restored(len(tables), rows, skipped, portals)


async def _prepare(connection: Connection, manifest: Manifest) -> None:
    """Migrates the database to the backup's revision, with empty tables that others cannot write."""
    revision = await migrations.revision_on(connection)
    if revision is None:
        if [*await tables_in_order(connection)]:
            raise BackupRefused("The database has tables of another program: use an empty database.")
        await migrations.migrate_within(connection, manifest.revision)
    elif revision != manifest.revision:
        raise BackupRefused(
            f"The database is at revision {revision} and the backup at {manifest.revision}: give one without tables."
        )
    tables = await queries.columns_by_table(connection)
    await _refuse_rows(connection, tables)  # before the locks, which would stop the writers of a database in use
    await queries.switch_triggers(connection, tables, "DISABLE")
    await _refuse_rows(connection, tables)


async def _refuse_rows(connection: Connection, tables: Iterable[str]) -> None:
    for table in tables:
        if await queries.has_rows(connection, table):
            raise BackupRefused(f"The database is not empty ({table} has rows): give an empty one.")


async def _matched(connection: Connection, manifest: Manifest) -> tuple[dict[str, Table], list[str]]:
    """Returns the tables to load by name, and the names of the backup's other tables, which are not Sightline's."""
    known = await queries.columns_by_table(connection)
    given = {table.name: table for table in manifest.tables}
    numbers = await queries.next_numbers(connection)
    for name, columns in known.items():
        if name not in given or set(given[name].columns) != set(columns):
            raise BackupRefused(f"The backup does not fit revision {manifest.revision}: its table {name} differs.")
    if missing := numbers.keys() - manifest.sequences.keys():
        raise BackupRefused(f"The backup does not fit revision {manifest.revision}: it lacks {min(missing)}.")
    for sequence in numbers:
        await queries.set_next_number(connection, sequence, manifest.sequences[sequence])
    return {name: given[name] for name in given if name in known}, sorted(given.keys() - known.keys())


async def _load(connection: Connection, archive: Archive, tables: dict[str, Table], progress: Progress) -> None:
    progress.begin(archive.manifest.rows)
    for table in archive.manifest.tables:
        if table.name in tables:
            await _fill(connection, archive, table, progress)
        else:
            async for _ in archive.rows_of(table):
                pass
    archive.ensure_whole()
    await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    await queries.switch_triggers(connection, tables, "ENABLE")
    await queries.analyze(connection, tables)


async def _fill(connection: Connection, archive: Archive, table: Table, progress: Progress) -> None:
    async def rows() -> AsyncIterator[bytes]:
        async for piece in archive.rows_of(table):
            progress.advance(piece.count(b"\n"))
            yield piece

    try:
        done = await connection.copy_to_table(table.name, source=rows(), columns=table.columns, format="text")
    except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError) as error:
        raise BackupRefused(f"The backup is damaged: {table.name}: {first_line(error)}.") from error
    if done != f"COPY {table.rows}":
        raise BackupRefused(f"The backup is damaged: {table.name} has not the {table.rows} rows it should.")
