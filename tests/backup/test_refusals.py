"""What is refused leaves the database as empty as it was."""

import asyncio
import gzip
import shutil
import tarfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import asyncpg
import msgspec
import pytest
import pytest_asyncio

from sightline import migrations
from sightline.backup.archive import Archive
from sightline.backup.records import FORMAT, BackupRefused, Manifest
from sightline.backup.restoring import restoring
from sightline.backup.secrets import check_value, is_made_with
from sightline.platform.db import DatabaseUnavailable
from tests.backup.conftest import Filled
from tests.backup.copies import SECRET, Unwatched, backed_up, contents, new_database, restore, tables, value
from tests.line import open_line
from tests.migrations.servers import connected, leave_to_alembic


@pytest_asyncio.fixture(scope="module")
async def empty(database_server: str) -> str:
    return await new_database(database_server)


def members(backup: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=BytesIO(backup)) as tar:
        return {member.name: opened.read() for member in tar if (opened := tar.extractfile(member))}


def archive(members: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
        end = tar.offset + 2 * tarfile.BLOCKSIZE
    return gzip.compress(out.getvalue()[:end])


def with_manifest(backup: bytes, **changes: object) -> bytes:
    found = members(backup)
    changed = msgspec.json.decode(found["manifest.json"]) | changes
    return archive({**found, "manifest.json": msgspec.json.encode(changed)})


@pytest_asyncio.fixture(scope="module")
async def migrated(database_server: str) -> str:
    """A database without rows."""
    return await new_database(database_server, migrated=True)


async def refusal(url: str, backup: bytes) -> str:
    """The one line, after which nothing is left."""
    before = await tables(url)
    with pytest.raises(BackupRefused) as refused:
        await restore(url, backup)
    assert await tables(url) == before
    if before:
        assert sum(rows for rows, _ in (await contents(url)).values()) == 0
    line = str(refused.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.7, 0.99, 0.9999])
async def test_a_truncated_file_is_refused(migrated: str, filled: Filled, share: float) -> None:
    line = await refusal(migrated, filled.backup[: int(len(filled.backup) * share)])
    assert line.startswith(("This is not a backup of Sightline: ", "The backup is damaged or cut off: "))


HEADER = tarfile.TarInfo("tables/members/00000009").tobuf(tarfile.USTAR_FORMAT)


def with_end(backup: bytes, end: bytes) -> bytes:
    """The backup with this end in place of the two blocks of zeros after its seal."""
    return gzip.compress(gzip.decompress(backup)[:-1024] + end, mtime=0)


def in_the_tar(backup: bytes, more: bytes) -> bytes:
    return gzip.compress(gzip.decompress(backup) + more)


@pytest.mark.parametrize(
    "longer",
    [
        pytest.param(lambda backup: backup + b"\0", id="a zero"),
        pytest.param(lambda backup: backup + b"\n", id="a line break"),
        pytest.param(lambda backup: backup + bytes(512), id="a block of zeros"),
        pytest.param(lambda backup: backup + b"rm -rf /", id="a text"),
        pytest.param(lambda backup: backup + gzip.compress(b""), id="a packed nothing"),
        pytest.param(lambda backup: backup + gzip.compress(b"more"), id="a packed text"),
        pytest.param(lambda backup: backup + backup, id="twice"),
        pytest.param(lambda backup: in_the_tar(backup, b"\0"), id="a zero in the tar"),
        pytest.param(lambda backup: in_the_tar(backup, bytes(10_240)), id="blocks of zeros in the tar"),
        pytest.param(lambda backup: in_the_tar(backup, b"more"), id="a text in the tar"),
        pytest.param(lambda backup: with_end(backup, HEADER + bytes(512)), id="another header in the tar"),
        pytest.param(lambda backup: with_end(backup, bytes(512)), id="one block of zeros in the tar"),
    ],
)
async def test_data_after_the_end_is_refused(migrated: str, filled: Filled, longer: Callable[[bytes], bytes]) -> None:
    line = await refusal(migrated, longer(filled.backup))
    assert line == "The backup is damaged or cut off: it does not end after its seal."


def flipped(backup: bytes, place: int) -> bytes:
    """One bit is turned: at this place, or at the next one that changes what is unpacked.

    A match may also point to another copy of a text, which changes nothing.
    """
    damaged = bytearray(backup)
    damaged[place] ^= 0x10
    try:
        is_alike = gzip.decompress(damaged) == gzip.decompress(backup)
    except (OSError, EOFError, zlib.error):
        is_alike = False
    return flipped(backup, place + 1) if is_alike else bytes(damaged)


@pytest.mark.parametrize("place", [0, 2, 30, 5_000, 70_000, -6_000, -7, -3])
async def test_a_flipped_bit_is_refused(migrated: str, filled: Filled, place: int) -> None:
    line = await refusal(migrated, flipped(filled.backup, place))
    assert line.startswith(("This is not a backup of Sightline: ", "The backup is damaged"))


@pytest.mark.parametrize(
    "other",
    [b"", b"CREATE TABLE x ();", gzip.compress(b"hello"), archive({"x": b"y"})],
    ids=["nothing", "a script", "a compressed text", "an archive"],
)
async def test_another_file_is_refused(empty: str, other: bytes) -> None:
    assert (await refusal(empty, other)).startswith("This is not a backup of Sightline: ")


async def test_a_refusal_does_not_show_bytes_of_the_file(empty: str) -> None:
    assert await refusal(empty, b"secret") == "This is not a backup of Sightline: Not a gzipped file."


async def test_a_changed_row_is_refused_although_the_file_is_sound(empty: str, filled: Filled) -> None:
    found = members(filled.backup)
    name = "tables/members/00000001"
    found[name] = found[name].replace(b"viewer", b"editor")
    assert "checksums" in await refusal(empty, archive(found))


async def test_a_row_that_refers_to_nothing_is_refused(empty: str, filled: Filled) -> None:
    found = members(filled.backup)
    del found["tables/members/00000001"]
    assert "members has not the" in await refusal(empty, archive(found))
    found = members(filled.backup)
    name = "tables/plans/00000001"
    found[name] = b"\t".join([b"00000000-0000-0000-0000-000000000001", *found[name].split(b"\t", 1)[1:]])
    assert "violates foreign key" in await refusal(empty, archive(found))


async def test_a_missing_seal_or_table_is_refused(empty: str, filled: Filled) -> None:
    found = members(filled.backup)
    assert "seal.json is not where it belongs" in await refusal(
        empty, archive({name: content for name, content in found.items() if name != "seal.json"})
    )
    manifest = msgspec.json.decode(found["manifest.json"], type=Manifest)
    fewer = [table for table in manifest.tables if table.name != "plans"]
    assert "its table plans differs" in await refusal(empty, with_manifest(filled.backup, tables=fewer))


async def test_a_backup_of_a_newer_program_is_refused(empty: str, filled: Filled) -> None:
    line = await refusal(empty, with_manifest(filled.backup, format=FORMAT + 1, tables="otherwise"))
    assert line.startswith(f"The backup has format {FORMAT + 1} and")
    line = await refusal(empty, with_manifest(filled.backup, revision="9999", program="7.0"))
    assert line.startswith("The backup was made by Sightline 7.0 at revision 9999 and")


async def test_a_database_with_data_is_refused_and_kept(database_server: str, filled: Filled) -> None:
    with pytest.raises(BackupRefused, match=r"^The database is not empty \(\w+ has rows\)"):
        await restore(filled.url, filled.backup)
    assert (await contents(filled.url))["ideas"] == filled.contents["ideas"]
    theirs = await new_database(database_server)
    await value(theirs, "CREATE TABLE ideas (mine int)")
    with pytest.raises(BackupRefused, match="has tables of another program"):
        await restore(theirs, filled.backup)
    assert await tables(theirs) == 1


async def test_a_database_in_use_is_refused_beside_its_writers(filled: Filled) -> None:
    """Waiting for their locks, it would stop further writers, or be in a deadlock with one."""
    async with connected(filled.url) as writer, writer.transaction():
        await writer.execute("LOCK TABLE ideas IN ROW EXCLUSIVE MODE")  # as a write that has not ended
        async with asyncio.timeout(10):
            with pytest.raises(BackupRefused, match="is not empty"):
                await restore(filled.url, filled.backup)


async def test_a_database_without_tables_has_nothing_to_back_up(empty: str) -> None:
    with pytest.raises(BackupRefused, match="never been migrated"):
        await backed_up(empty)


def test_the_check_value_distinguishes_secrets_and_differs_each_time() -> None:
    first, second = check_value(SECRET), check_value(SECRET)
    assert is_made_with(first, SECRET)
    assert not is_made_with(first, SECRET + "x")
    assert (first.salt, first.value) != (second.salt, second.value)


@pytest.fixture
def newer_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """This program with one more revision, from here to the end of the test; its name."""
    newer = "9000"
    shutil.copytree(migrations.SQL, tmp_path, dirs_exist_ok=True)
    (tmp_path / newer).mkdir()
    (tmp_path / newer / "01_ideas.sql").write_text("ALTER TABLE ideas ADD COLUMN taste text NOT NULL DEFAULT 'sour'")
    monkeypatch.setattr(migrations, "SQL", tmp_path)
    monkeypatch.setattr(migrations, "REVISIONS", (*migrations.REVISIONS, newer))
    monkeypatch.setattr(migrations, "HEAD", newer)
    return newer


async def test_an_older_backup_is_brought_to_this_version(
    database_server: str, filled: Filled, newer_program: str
) -> None:
    url = await new_database(database_server)
    await restore(url, filled.backup)
    assert await value(url, "SELECT max(revision) FROM schema_revisions") == newer_program
    assert await value(url, "SELECT array_agg(DISTINCT taste) FROM ideas") == ["sour"]
    assert {name: rows for name, (rows, _) in (await contents(url)).items()} == {
        name: rows for name, (rows, _) in filled.contents.items()
    }


async def test_a_backup_before_the_first_revision_is_refused(empty: str, filled: Filled) -> None:
    line = await refusal(empty, with_manifest(filled.backup, revision="0018"))
    assert line.startswith("The backup is of revision 0018 and")
    assert line.endswith(f"migrate to {migrations.BASELINE}, and back it up again.")


async def test_a_database_of_alembic_is_backed_up_and_restored_into(database_server: str) -> None:
    """At its last revision, which is the first of ours."""
    url, another = [await new_database(database_server) for _ in range(2)]
    await leave_to_alembic(url, migrations.BASELINE)
    await leave_to_alembic(another, migrations.BASELINE)
    await value(url, "INSERT INTO workspaces VALUES (gen_random_uuid(), 'acme', 'Acme', '{}', now(), now())")
    await restore(another, await backed_up(url))
    assert await value(another, "SELECT slug FROM workspaces") == "acme"
    assert await migrations.pending(another) == []
    assert await value(another, "SELECT to_regclass('alembic_version')") is None


@pytest.mark.usefixtures("newer_program")
async def test_an_older_backup_needs_a_database_without_tables(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server, migrated=True)
    with pytest.raises(BackupRefused, match=r"at revision 9000 and the backup at \d+: give one without tables"):
        await restore(url, filled.backup)


async def test_a_program_can_back_up_a_database_it_has_not_migrated_yet(
    database_server: str, filled: Filled, newer_program: str
) -> None:
    opened = Archive(BytesIO(await backed_up(filled.url)))
    assert opened.manifest.revision == migrations.REVISIONS[-2] != newer_program


async def test_no_rights_are_needed_but_to_create_tables(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server)
    name = f"plain_{url.partition('?')[0].rpartition('_')[2]}"
    await value(url, f"CREATE ROLE {name} LOGIN")
    await value(url, f"GRANT CREATE, USAGE ON SCHEMA public TO {name}")
    as_plain = url.replace("sightline@", f"{name}@", 1)
    await restore(as_plain, filled.backup)
    assert await contents(as_plain) == filled.contents
    assert await backed_up(as_plain)
    await value(url, "ALTER TABLE ideas OWNER TO sightline")
    with pytest.raises(DatabaseUnavailable, match="permission denied for table ideas"):
        await backed_up(as_plain)


async def test_writes_and_migrations_wait_until_the_block_ends(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server, migrated=True)
    opened = Archive(BytesIO(filled.backup))
    async with restoring(url, opened, Unwatched()), connected(url) as other:
        assert not await other.fetchval("SELECT pg_try_advisory_lock_shared($1)", migrations.LOCK)
        await other.execute("SET lock_timeout = 1")
        with pytest.raises(asyncpg.LockNotAvailableError):
            await other.execute("DELETE FROM ideas")


async def test_who_restores_learns_that_the_connection_was_lost(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server)
    async with open_line(url) as line:
        line.stops_at = b"COPY"
        restored = asyncio.create_task(restore(line.url, filled.backup))
        await line.until_stopped()
        line.cut()
        with pytest.raises(DatabaseUnavailable, match=r"^The connection to the database was lost\."):
            await restored
    assert await tables(url) == 0


async def test_a_fault_in_the_block_undoes_everything(database_server: str, filled: Filled) -> None:
    url = await new_database(database_server)

    async def fail() -> None:
        async with restoring(url, Archive(BytesIO(filled.backup)), Unwatched()):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await tables(url) == 0


async def test_migrating_waits_for_a_backup_and_others_write(database_server: str) -> None:
    url = await new_database(database_server, migrated=True)
    async with migrations.locked(url, shared=True), connected(url) as other:
        assert not await other.fetchval("SELECT pg_try_advisory_lock($1)", migrations.LOCK)
        assert await other.fetchval("SELECT pg_try_advisory_lock_shared($1)", migrations.LOCK)
