"""The encoding and the delimiter of a CSV file."""

import codecs
import re
from collections.abc import Iterable
from contextlib import ExitStack
from io import BufferedReader
from tempfile import TemporaryFile
from typing import cast

from sightline.platform.errors import Fault, ValidationFailed

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_PIECE = 1024 * 1024
_HEAD = 4096
_BOMS = ((codecs.BOM_UTF8, "UTF-8"), (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))
_NOT_IN_1252 = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_QUOTED = re.compile(rb'"[^"]*"')


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
        broken = text.count("\ufffd")
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


def find_delimiter(line: bytes) -> str:
    """Returns the delimiter that the line has most of, outside of quotes; empty if it has none."""
    names = _QUOTED.sub(b"", line)
    counts = {delimiter: names.count(delimiter.encode()) for delimiter in DELIMITERS}
    return max(counts, key=counts.__getitem__) if any(counts.values()) else ""
