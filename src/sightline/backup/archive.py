"""The file: a compressed tar, written and read front to back in pieces of at most 1 MiB."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgspec

from sightline.backup.records import FORMAT, BackupRefused, Manifest, Seal, TableSeal

PIECE = 1 << 20
LARGEST_MEMBER = 1 << 26  # of the two JSON members, which are read at once
LEVEL = 3  # a sixth larger than the best, in half the time
MANIFEST, SEAL = "manifest.json", "seal.json"


class _File:
    """The file itself: counts its bytes, and tells its faults from those of the database."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, piece: Any) -> int:
        with self._blamed("written"):
            self._file.write(piece)
            self.size += len(piece)
        return len(piece)

    def read(self, size: int = -1) -> bytes:
        with self._blamed("read"):
            piece = self._file.read(size)
            self.size += len(piece)
        return piece

    def flush(self) -> None:
        with self._blamed("written"):
            self._file.flush()

    @contextmanager
    def _blamed(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BackupRefused(f"The backup cannot be {what}: {error.strerror or error}.") from error


class Measure:
    """What goes by of one table. Newlines inside a value are escaped by COPY, so every newline ends a row."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._rows = self._bytes = 0

    def add(self, piece: bytes) -> int:
        """How many rows end in this piece."""
        self._hash.update(piece)
        rows = piece.count(b"\n")
        self._rows += rows
        self._bytes += len(piece)
        return rows

    def seal(self) -> TableSeal:
        return TableSeal(self._rows, self._bytes, self._hash.hexdigest())


class ArchiveWriter:
    """Writes the members in their order; without `seal()` the file is not whole."""

    def __init__(self, out: BinaryIO, manifest: Manifest) -> None:
        self._file = _File(out)
        self._packed = gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=self._file, mtime=0)
        self._created = int(manifest.created_at.timestamp())
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self._seal = Seal(hashlib.sha256(text).hexdigest(), {})
        self._add(MANIFEST, text)

    def table(self, name: str) -> "TableWriter":
        return TableWriter(self, name)

    def add_piece(self, table: str, number: int, piece: bytes) -> None:
        self._add(f"tables/{table}/{number:08}", piece)

    def end_table(self, table: str, seal: TableSeal) -> None:
        self._seal.tables[table] = seal

    @property
    def size(self) -> int:
        """Bytes written to the file so far."""
        return self._file.size

    def seal(self) -> None:
        self._add(SEAL, msgspec.json.format(msgspec.json.encode(self._seal), indent=1))
        self._packed.write(bytes(2 * tarfile.BLOCKSIZE))
        self._packed.close()

    def _add(self, name: str, content: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = len(content), self._created, 0o600
        self._packed.write(member.tobuf(tarfile.USTAR_FORMAT))
        self._packed.write(content)
        self._packed.write(bytes(-len(content) % tarfile.BLOCKSIZE))


class TableWriter:
    """Takes the rows of one table as they come."""

    def __init__(self, archive: ArchiveWriter, name: str) -> None:
        self._archive = archive
        self._name = name
        self._waiting = bytearray()
        self._pieces = 0
        self._measure = Measure()

    def add(self, rows: bytes) -> int:
        """How many rows end in this."""
        self._waiting += rows
        while len(self._waiting) >= PIECE:
            self._write(PIECE)
        return self._measure.add(rows)

    def end(self) -> TableSeal:
        if self._waiting:
            self._write(len(self._waiting))
        seal = self._measure.seal()
        self._archive.end_table(self._name, seal)
        return seal

    def _write(self, size: int) -> None:
        self._pieces += 1
        self._archive.add_piece(self._name, self._pieces, bytes(self._waiting[:size]))
        del self._waiting[:size]


class Archive:
    """An opened backup. Raises BackupRefused when the file is none, newer than this program, damaged or cut off."""

    def __init__(self, source: BinaryIO) -> None:
        self._file = _File(source)
        self._packed = gzip.GzipFile(fileobj=self._file, mode="rb")
        with _told_in_one_line("This is no backup of Sightline"):
            self._tar = tarfile.open(fileobj=self._packed, mode="r|")  # noqa: SIM115 - holds nothing but the file
            self._member = self._tar.next()
            text = self._json_member(MANIFEST)
            self._manifest_sha256 = hashlib.sha256(text).hexdigest()
            self.manifest = _read_manifest(text)
        self._seals: dict[str, TableSeal] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._packed.close()

    @property
    def size(self) -> int:
        """Bytes read from the file so far."""
        return self._file.size

    async def rows_of(self, table: str) -> AsyncIterator[bytes]:
        """The rows of the next table, in pieces."""
        measure = Measure()
        with _told_in_one_line("The backup is damaged or cut off"):
            while self._member is not None and self._member.name.startswith(f"tables/{table}/"):
                for piece in self._content():
                    measure.add(piece)
                    yield piece
        self._seals[table] = measure.seal()

    def ensure_whole(self) -> None:
        """After the last table: what was read is what was written, down to the last byte of the file."""
        with _told_in_one_line("The backup is damaged or cut off"):
            seal = msgspec.json.decode(self._json_member(SEAL), type=Seal)
            while self._packed.read(PIECE):
                pass
        counted = {table.name: table.rows for table in self.manifest.tables}
        if seal != Seal(self._manifest_sha256, self._seals) or counted != {
            name: found.rows for name, found in self._seals.items()
        }:
            raise BackupRefused("The backup is damaged: its contents do not match their checksums.")

    def _json_member(self, name: str) -> bytes:
        if self._member is None or self._member.name != name or self._member.size > LARGEST_MEMBER:
            raise EOFError(f"{name} is not where it belongs")
        return b"".join(self._content())

    def _content(self) -> Iterator[bytes]:
        """What the member holds; then on to the next one."""
        assert self._member is not None  # noqa: S101 - tells mypy what every caller has made sure of
        content = self._tar.extractfile(self._member)
        if content is None:
            raise EOFError(f"{self._member.name} is no file")
        while piece := content.read(PIECE):
            yield piece
        self._tar.members = []  # type: ignore[attr-defined]  # it would remember every one
        self._member = self._tar.next()


def _read_manifest(text: bytes) -> Manifest:
    made_by = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    if (seen := msgspec.json.decode(made_by["format"], type=int)) > FORMAT:
        raise BackupRefused(
            f"The backup has format {seen} and this version of Sightline reads {FORMAT} at most: "
            "restore it with the version that made it, or a newer one."
        )
    return msgspec.json.decode(text, type=Manifest)


@contextmanager
def _told_in_one_line(what: str) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, KeyError, msgspec.MsgspecError) as error:
        raise BackupRefused(f"{what}: {error}.") from error
