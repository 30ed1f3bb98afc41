"""The file: a compressed tar, written and read sequentially in pieces of at most 1 MiB."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import msgspec

from sightline.backup.records import FORMAT, BackupRefused, Manifest, Seal, Table, TableSeal

MIB = 1 << 20
READ = 16 * 1024
PIECE = MIB  # no member of the tar is larger
LONGEST_ROW = 256 * MIB  # as COPY writes it; the API and imports accept at most 8 MiB at once
LEVEL = 3  # a sixth larger than the best level, in half the time
MANIFEST, SEAL = "manifest.json", "seal.json"
DAMAGED = "The backup is damaged or cut off"


class _File:
    """The file itself: counts its bytes, and raises BackupRefused if it cannot be read or written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, piece: Any) -> int:
        with self._refused("written"):
            self._file.write(piece)
            self.size += len(piece)
        return len(piece)

    def read(self, size: int = -1) -> bytes:
        with self._refused("read"):
            piece = self._file.read(size)
            self.size += len(piece)
        return piece

    def flush(self) -> None:
        with self._refused("written"):
            self._file.flush()

    @contextmanager
    def _refused(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BackupRefused(f"The backup cannot be {what}: {error.strerror or error}.") from error


class _Packed:
    """Unpacks the file. Unlike gzip.GzipFile it takes one member, and knows what stands after it."""

    def __init__(self, file: _File) -> None:
        self._file = file
        self._unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._start = file.read(2)
        if self._start != b"\x1f\x8b":
            raise gzip.BadGzipFile("Not a gzipped file")

    def read(self, size: int) -> bytes:
        """Returns less only at the end. Raises EOFError if the file ends before, zlib.error if it is damaged."""
        content = bytearray()
        while len(content) < size and not self._unpack.eof:
            packed = self._start or self._unpack.unconsumed_tail or self._file.read(READ)
            self._start = b""
            unpacked = self._unpack.decompress(packed, size - len(content))
            if not packed and not unpacked and not self._unpack.eof:
                raise EOFError("it ends before its end-of-stream marker")
            content += unpacked
        return bytes(content)

    def is_at_end(self) -> bool:
        """Whether nothing is left, neither to unpack nor in the file behind it."""
        return not self.read(1) and not self._unpack.unused_data and not self._file.read(1)


class Measure:
    """Counts the rows of one table. Newlines inside a value are escaped by COPY, so every newline ends a row.

    `row_bytes`: the length so far of the unfinished row.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._bytes = 0
        self.rows = self.row_bytes = 0

    def add(self, piece: bytes) -> int:
        """Returns how many rows end in this piece."""
        self._hash.update(piece)
        rows = piece.count(b"\n")
        self.rows += rows
        self.row_bytes = len(piece) - piece.rindex(b"\n") - 1 if rows else self.row_bytes + len(piece)
        self._bytes += len(piece)
        return rows

    def seal(self) -> TableSeal:
        return TableSeal(self.rows, self._bytes, self._hash.hexdigest())


class ArchiveWriter:
    """Writes the members in their order. Without `seal()` the file is incomplete."""

    def __init__(self, out: BinaryIO, manifest: Manifest) -> None:
        self._file = _File(out)
        self._packed = gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=self._file, mtime=0)
        self._created = int(manifest.created_at.timestamp())
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self._manifest_sha256 = hashlib.sha256(text).hexdigest()
        self.seals: dict[str, TableSeal] = {}
        self.add(MANIFEST, text)

    @property
    def size(self) -> int:
        """Bytes written to the file so far."""
        return self._file.size

    def seal(self) -> None:
        seal = Seal(self._manifest_sha256, self.seals)
        self.add(SEAL, msgspec.json.format(msgspec.json.encode(seal), indent=1))
        self._packed.write(bytes(2 * tarfile.BLOCKSIZE))
        self._packed.close()
        self._file.flush()

    def add(self, name: str, content: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = len(content), self._created, 0o600
        self._packed.write(member.tobuf(tarfile.USTAR_FORMAT))
        self._packed.write(content)
        self._packed.write(bytes(-len(content) % tarfile.BLOCKSIZE))


class TableWriter:
    """Writes the rows of one table."""

    def __init__(self, archive: ArchiveWriter, name: str) -> None:
        self._archive = archive
        self._name = name
        self._waiting = bytearray()
        self._pieces = 0
        self._measure = Measure()

    def add(self, rows: bytes) -> int:
        """Adds a piece. Returns how many rows end in it."""
        self._waiting += rows
        while len(self._waiting) >= PIECE:
            self._write(PIECE)
        return self._measure.add(rows)

    def end(self) -> TableSeal:
        if self._waiting:
            self._write(len(self._waiting))
        self._archive.seals[self._name] = seal = self._measure.seal()
        return seal

    def _write(self, size: int) -> None:
        self._pieces += 1
        self._archive.add(f"tables/{self._name}/{self._pieces:08}", bytes(self._waiting[:size]))
        del self._waiting[:size]


class Archive:
    """An opened backup. Raises BackupRefused if the file is not a backup, newer than this program, damaged or cut off.

    Accepts only valid members: headers of plain files, a manifest and a seal of at most 1 MiB, pieces of at most
    1 MiB, rows of at most 256 MiB, as many rows as the manifest has.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._file = _File(source)
        with _refused_in_one_line("This is not a backup of Sightline"):
            self._packed = _Packed(self._file)
            self._member = self._next_member()
            text = self._json_member(MANIFEST)
            self._manifest_sha256 = hashlib.sha256(text).hexdigest()
            self.manifest = _read_manifest(text)
        self._seals: dict[str, TableSeal] = {}

    @property
    def size(self) -> int:
        """Bytes read from the file so far."""
        return self._file.size

    async def rows_of(self, table: Table) -> AsyncIterator[bytes]:
        """Yields the rows of the next table, in pieces."""
        measure = Measure()
        with _refused_in_one_line(DAMAGED):
            while self._member is not None and self._member.name.startswith(f"tables/{table.name}/"):
                piece = self._content()
                measure.add(piece)
                if measure.rows > table.rows:
                    raise EOFError(f"{table.name} has more than the {table.rows} rows it should")
                if measure.row_bytes > LONGEST_ROW:
                    raise EOFError(f"{table.name} has a row longer than {LONGEST_ROW // MIB} MiB")
                yield piece
        self._seals[table.name] = measure.seal()

    def ensure_whole(self) -> None:
        """Checks after the last table that everything was read as it was written, to the last byte of the file."""
        with _refused_in_one_line(DAMAGED):
            seal = msgspec.json.decode(self._json_member(SEAL), type=Seal)
            end = self._packed.read(tarfile.BLOCKSIZE)  # after the block of zeros that was read as the next member
            if self._member is not None or end.count(0) < tarfile.BLOCKSIZE or not self._packed.is_at_end():
                raise EOFError("it does not end after its seal")
        counted = {table.name: table.rows for table in self.manifest.tables}
        if seal != Seal(self._manifest_sha256, self._seals) or counted != {
            name: found.rows for name, found in self._seals.items()
        }:
            raise BackupRefused("The backup is damaged: its contents do not match their checksums.")

    def _json_member(self, name: str) -> bytes:
        if self._member is None or self._member.name != name:
            raise EOFError(f"{name} is not where it belongs")
        return self._content()

    def _next_member(self) -> tarfile.TarInfo | None:
        """Returns the header of the next member; None at the end, which is blocks of zeros.

        tarfile.open() is not used: it reads extended headers of any size into memory.
        """
        block = self._packed.read(tarfile.BLOCKSIZE)
        if block.count(0) == tarfile.BLOCKSIZE:
            return None
        member = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        if not member.isreg():
            raise EOFError(f"{member.name[:100]!r} is no plain file")
        if not 0 <= member.size <= PIECE:
            raise EOFError(f"{member.name!r} is larger than {PIECE // MIB} MiB")
        return member

    def _content(self) -> bytes:
        """Returns the content of the member, and moves to the next one."""
        assert self._member is not None  # noqa: S101 - for mypy: every caller has opened it
        size = self._member.size
        content = self._packed.read(size)
        padding = self._packed.read(-size % tarfile.BLOCKSIZE)
        if len(content) < size or len(padding) < -size % tarfile.BLOCKSIZE:
            raise EOFError(f"it ends within {self._member.name}")
        self._member = self._next_member()
        return content


def _read_manifest(text: bytes) -> Manifest:
    made_by = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    if (format := msgspec.json.decode(made_by["format"], type=int)) > FORMAT:
        raise BackupRefused(
            f"The backup has format {format} and this version of Sightline reads {FORMAT} at most: "
            "restore it with the version that made it, or a newer one."
        )
    return msgspec.json.decode(text, type=Manifest)


_NOT_READABLE = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, KeyError, msgspec.MsgspecError, UnicodeError)


@contextmanager
def _refused_in_one_line(problem: str) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise BackupRefused(f"{problem}: it is nested too deeply.") from error
    except _NOT_READABLE as error:
        reason = str(error).partition(" (b'")[0]  # gzip shows the first bytes of another file
        raise BackupRefused(f"{problem}: {reason}.") from error
