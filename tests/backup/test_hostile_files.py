"""A file made to exhaust memory or time is refused in one line, within bounds of both."""

import gzip
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator
from io import BytesIO
from time import monotonic

import msgspec
import pytest

from sightline.backup.records import BackupRefused
from tests.backup.conftest import Filled
from tests.backup.copies import contents, new_database, restore
from tests.backup.test_refusals import archive, members

pytestmark = pytest.mark.slow

MIB = 1 << 20
BOMB = 300  # MiB, which compress to a thousandth
LARGEST_PEAK = 48 * MIB
Parts = Iterator[bytes]


def header(name: str, size: int, type: bytes = tarfile.REGTYPE) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, type
    return member.tobuf(tarfile.USTAR_FORMAT)


def filler(letter: bytes, mebibytes: int = BOMB) -> Parts:
    for _ in range(mebibytes):
        yield letter * MIB


def up_to(backup: bytes, name: str) -> bytes:
    """The members before this one, as they stand in the tar."""
    text = gzip.decompress(backup)
    with tarfile.open(fileobj=BytesIO(text)) as tar:
        return text[: tar.getmember(name).offset]


def large_manifest(backup: bytes) -> Parts:
    yield header("manifest.json", BOMB * MIB)
    yield from filler(b" ")


def extended_header(backup: bytes) -> Parts:
    yield header("manifest.json", BOMB * MIB, tarfile.XHDTYPE)
    yield from filler(b"9")


def long_name(backup: bytes) -> Parts:
    yield header("././@LongLink", BOMB * MIB, tarfile.GNUTYPE_LONGNAME)
    yield from filler(b"x")


def nothing_but_zeros(backup: bytes) -> Parts:
    yield from filler(b"\0")


def more_rows_than_announced(backup: bytes) -> Parts:
    yield up_to(backup, "tables/ideas/00000001")
    for number, rows in enumerate(filler(b"\n"), 1):
        yield header(f"tables/ideas/{number:08}", len(rows))
        yield rows


def an_endless_row(backup: bytes) -> Parts:
    yield up_to(backup, "tables/ideas/00000001")
    for number, part in enumerate(filler(b"x"), 1):
        yield header(f"tables/ideas/{number:08}", len(part))
        yield part


def more_after_the_end(backup: bytes) -> Parts:
    yield gzip.decompress(backup)
    yield from filler(b"\0")


def packed(parts: Parts) -> bytes:
    out = BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        for part in parts:
            file.write(part)
    return out.getvalue()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (large_manifest, "'manifest.json' is larger than 1 MiB"),
        (extended_header, "'manifest.json' is no plain file"),
        (long_name, "'././@LongLink' is no plain file"),
        (nothing_but_zeros, "manifest.json is not where it belongs"),
        (more_rows_than_announced, "ideas has more than the"),
        (an_endless_row, "ideas has a row longer than 256 MiB"),
        (more_after_the_end, "it does not end after its seal"),
    ],
)
async def test_a_file_that_unpacks_to_very_much_is_refused(
    database_server: str, filled: Filled, make: Callable[[bytes], Parts], problem: str
) -> None:
    url = await new_database(database_server, migrated=True)
    bomb = packed(make(filled.backup))
    assert len(bomb) < 3 * MIB
    tracemalloc.start()
    start = monotonic()
    try:
        with pytest.raises(BackupRefused) as refused:
            await restore(url, bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
    assert peak < LARGEST_PEAK
    assert monotonic() - start < 30
    assert sum(rows for rows, _ in (await contents(url)).values()) == 0


@pytest.mark.parametrize("name", ["tables", "more"])
async def test_a_manifest_that_is_nested_very_deeply_is_refused(
    database_server: str, filled: Filled, name: str
) -> None:
    url = await new_database(database_server)
    manifest = msgspec.json.decode(members(filled.backup)["manifest.json"]) | {name: "here"}
    text = msgspec.json.encode(manifest).replace(b'"here"', b"[" * 5_000 + b"]" * 5_000)
    with pytest.raises(BackupRefused, match=r"^This is not a backup of Sightline: .*[^\n]\.$"):
        await restore(url, archive({**members(filled.backup), "manifest.json": text}))
