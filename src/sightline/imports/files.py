"""The file of an import: inside a ZIP, in any encoding."""

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from io import BufferedReader, BytesIO
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import Any, NoReturn, cast

from sightline.imports.maps import list_names
from sightline.imports.tools.rows import BACKUPS
from sightline.platform.errors import Fault, ValidationFailed

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_PIECE = 1024 * 1024
_HEAD = 4096
_BOMS = ((codecs.BOM_UTF8, "UTF-8"), (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))
_NOT_IN_1252 = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])


def find_encoding(source: BufferedReader, *, is_utf: bool = False) -> str:
    """Returns UTF-8, UTF-16, UTF-16-LE, UTF-16-BE, Windows-1252 or MS932, without consuming anything.

    For the last two a file that can be read twice is read whole, unless it `is_utf`. Of a pipe the beginning decides.
    """
    head = source.peek(_HEAD)[:_HEAD]
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    for name, zeros in (("UTF-16-LE", head[1:200:2]), ("UTF-16-BE", head[:200:2])):
        if zeros.count(0) > len(head[:200]) // 4:
            return name
    if is_utf or not source.seekable():
        return "UTF-8" if is_utf else _of_bytes([head])
    start = source.tell()
    found = _of_bytes(iter(lambda: source.read(_PIECE), b""))
    source.seek(start)
    return found


def _of_bytes(pieces: Iterable[bytes]) -> str:
    """Returns UTF-8, unless more bytes beyond ASCII are no UTF-8 than are. Then: whether they are letters or kana."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    wrong = right = odd = kana = 0
    for piece in pieces:
        if piece.isascii() and not decoder.getstate()[0]:
            continue
        odd += len(piece) - len(piece.translate(None, _NOT_IN_1252))
        kana += piece.count(b"\x82") + piece.count(b"\x83")
        text = decoder.decode(piece)
        broken = text.count("\ufffd") - piece.count("\ufffd".encode())
        wrong += broken
        right += len(text) - len(text.encode("ascii", "ignore")) - broken
    if 8 * kana > wrong > right:
        return "MS932"
    return "Windows-1252" if wrong - odd > right else "UTF-8"


def recoded(source: BufferedReader, encoding: str, files: ExitStack) -> BufferedReader:
    """Returns the file as UTF-8, with lines that do not end as on an old Mac. Raises ValidationFailed.

    If it was none, it is a temporary file, which `files` closes.
    """
    head = source.peek(_HEAD)[:_HEAD]
    is_mac = b"\r" in head[:-1] and b"\n" not in head  # the last one may be half of a line's end
    if encoding == "UTF-8" and not is_mac:
        return source
    files.callback((file := TemporaryFile()).close)  # noqa: SIM115 - closed by the stack
    try:
        for text in codecs.iterdecode(iter(lambda: source.read1(_PIECE), b""), encoding):
            file.write((text.replace("\r", "\n") if is_mac else text).encode())
    except UnicodeError:
        raise ValidationFailed([Fault("", f"The file is no text of {encoding}: save it as UTF-8")]) from None
    file.seek(0)
    return cast(BufferedReader, file)


SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
LARGEST_FILE = 2 * 1024**3  # unpacked; it is read line by line
LARGEST_TABLES = 256 * 1024**2  # unpacked, together; they are read as a whole
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)  # while a file is read
_UNREADABLE = (*DAMAGED, ValueError, TypeError, OSError, RuntimeError)  # while one is opened
_STARTS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of ZIP files, and of spreadsheets before them
_SPREADSHEET = {"xl/workbook.xml", "content.xml"}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_archive(source: BufferedReader) -> bool:
    return source.peek(len(_STARTS[0])).startswith(_STARTS)


def open_archive(source: BufferedReader, kind: str, tool: str | None) -> tuple[str, BufferedReader]:
    """Returns the name and the content of the file to import.

    It is the only one, or the only one that is named like the kind. The tables of a tool's backup are joined. Raises
    ValidationFailed.
    """
    if source.peek(len(_STARTS[1])).startswith(_STARTS[1]):
        _refuse("The file is a spreadsheet: save it as CSV, and import that")
    if not source.seekable():
        _refuse("The ZIP file cannot be read from a pipe: save it first")
    try:
        return _find_file(zipfile.ZipFile(source), kind, tool)
    except _UNREADABLE as error:
        _refuse(f"The ZIP file is damaged: {error}")


def _find_file(archive: zipfile.ZipFile, kind: str, tool: str | None) -> tuple[str, BufferedReader]:
    found = [one for one in archive.infolist() if PurePosixPath(one.filename).suffix.lower() in SUFFIXES]
    if _SPREADSHEET & set(archive.namelist()):
        _refuse("The file is a spreadsheet: save it as CSV, and import that")
    files = [one for one in found if not one.filename.startswith("__MACOSX/")]
    names, join = BACKUPS.get(tool or "", ((), None))
    tables = {path.stem: one for one in files if (path := PurePosixPath(one.filename)).stem in names}
    if join and names[0] in tables:
        _check(list(tables.values()), LARGEST_TABLES)
        rows = join({name: _table(archive, tables.get(name)) for name in names})
        return tables[names[0]].filename, _opened(BytesIO(b"\n".join(json.dumps(row).encode() for row in rows)))
    named = files if len(files) == 1 else [one for one in files if _words(one.filename) & list_names(kind)]
    if len(named) != 1:
        has = ", ".join(one.filename for one in (named or files)[:20]) or "no CSV or JSON"
        _refuse(f"The ZIP file has {has}. Unpack it, and import one file with {kind}")
    _check(named, LARGEST_FILE)
    return named[0].filename, _opened(archive.open(named[0]))


def _opened(file: Any) -> BufferedReader:
    return BufferedReader(file, 1024 * 1024)


def _table(archive: zipfile.ZipFile, file: zipfile.ZipInfo | None) -> list[dict[str, Any]]:
    """Returns the objects of a JSON list; none if there is no such file."""
    try:
        found = json.loads(archive.open(file).read(file.file_size)) if file else []
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        _refuse("The ZIP file has JSON that cannot be read")
    return [one for one in found if isinstance(one, dict)]


def _check(files: Sequence[zipfile.ZipInfo], most: int) -> None:
    if any(one.flag_bits & 1 or one.compress_type not in _METHODS for one in files):
        _refuse("The ZIP file is encrypted, or packed in an unusual way: unpack it first")
    if sum(one.file_size for one in files) > most:
        _refuse(f"The ZIP file has more than {most // 1024**2} MiB to be imported: unpack it first")


def _words(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", PurePosixPath(name).stem.lower()))


def _refuse(message: str) -> NoReturn:
    raise ValidationFailed([Fault("", message)]) from None
