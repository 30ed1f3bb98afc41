"""Writes a backup from one snapshot, while the server runs."""

from datetime import UTC, datetime
from typing import BinaryIO

from sightline import __version__
from sightline.backup import queries
from sightline.backup.archive import ArchiveWriter, TableWriter
from sightline.backup.records import FORMAT, BackupRefused, Manifest, Progress, Table, Written
from sightline.backup.secrets import check_value
from sightline.migrations import locked, revision_on
from sightline.platform.db import Connection
from sightline.platform.db.database import ONLY_READS, block


async def write_backup(url: str, out: BinaryIO, secret: str, progress: Progress) -> Written:
    """Writes the whole file. After an exception the file is not a backup. Needs a few MiB of memory at any size.

    Other connections can write, migrations wait. Raises BackupRefused if the database was never migrated or cannot be
    read whole, otherwise the errors of `migrate()`.
    """
    async with locked(url, shared=True) as connection:
        await connection.execute(queries.WRITE_ALIKE)
        async with block(connection, isolation="repeatable_read", readonly=True):
            await connection.execute(ONLY_READS)
            manifest = await _manifest(connection, secret)
            progress.begin(manifest.rows)
            archive = ArchiveWriter(out, manifest)
            for table in manifest.tables:
                await _copy(connection, table, TableWriter(archive, table.name), progress)
        archive.seal()
    return Written(len(manifest.tables), manifest.rows, archive.size)


async def _manifest(connection: Connection, secret: str) -> Manifest:
    """Reads the sequences after the snapshot, so that none is behind a copied row."""
    revision = await revision_on(connection)
    if revision is None:
        raise BackupRefused("There is nothing to back up: the database has never been migrated.")
    columns = await queries.columns_by_table(connection)
    version = connection.get_server_version()
    return Manifest(
        format=FORMAT,
        program=__version__,
        revision=revision,
        server=f"PostgreSQL {version.major}.{version.minor}",
        created_at=datetime.now(UTC),
        secret_check=check_value(secret),
        tables=[Table(name, own, await queries.count_rows(connection, name)) for name, own in columns.items()],
        sequences=await queries.next_numbers(connection),
    )


async def _copy(connection: Connection, table: Table, out: TableWriter, progress: Progress) -> None:
    async def take(rows: bytes) -> None:
        progress.advance(out.add(rows))

    await connection.copy_from_query(queries.select_all(table.name, table.columns), output=take)
    if (copied := out.end().rows) != table.rows:
        raise BackupRefused(f"{table.name} has {table.rows} rows and {copied} could be copied: look at the database.")
