"""The encoding and the delimiter of a CSV file."""

import codecs
import re
from collections.abc import Iterable
from io import BufferedReader, RawIOBase
from typing import cast

from sightline.platform.errors import Fault, ValidationFailed

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_PIECE = 1024 * 1024
_HEAD = 4096
_BOMS = ((codecs.BOM_UTF8, "UTF-8"), (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))
_NOT_IN_1252 = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_QUOTED = re.compile(rb'"[^"]*"')


def find_encoding(source: BufferedReader, *, may_be_1252: bool = True) -> str:
    """Returns UTF-8, UTF-16, UTF-16-LE, UTF-16-BE or Windows-1252, without consuming anything.

    For Windows-1252 a file that can be read twice is read whole. Of a pipe only the beginning decides.
    """
    head = source.peek(_HEAD)[:_HEAD]
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    if head[1:200:2].count(0) > len(head[:200]) // 4:
        return "UTF-16-LE"
    if head[:200:2].count(0) > len(head[:200]) // 4:
        return "UTF-16-BE"
    if not may_be_1252:
        return "UTF-8"
    if not source.seekable():
        return "Windows-1252" if _looks_like_1252([head]) else "UTF-8"
    start = source.tell()
    found = _looks_like_1252(iter(lambda: source.read(_PIECE), b""))
    source.seek(start)
    return "Windows-1252" if found else "UTF-8"


def _looks_like_1252(pieces: Iterable[bytes]) -> bool:
    """Whether more bytes beyond ASCII are no UTF-8 than are, and all of them are characters of Windows-1252."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    wrong = right = 0
    for piece in pieces:
        if piece.isascii() and not decoder.getstate()[0]:
            continue
        if len(piece.translate(None, _NOT_IN_1252)) < len(piece) and not right:
            wrong -= len(piece) - len(piece.translate(None, _NOT_IN_1252))
        text = decoder.decode(piece)
        broken = text.count("\ufffd")
        wrong += broken
        right += len(text) - len(text.encode("ascii", "ignore")) - broken
    return wrong > right


class _Recoded(RawIOBase):
    """A file in UTF-8, whatever its own encoding."""

    def __init__(self, source: BufferedReader, encoding: str) -> None:
        self.source = source
        self.encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]  # the narrower buffer
        while not self._left:
            piece = self.source.read1(_PIECE)
            try:
                self._left = self._decoder.decode(piece, final=not piece).encode()
            except UnicodeError as error:
                raise ValidationFailed([Fault("", f"The file is not {self.encoding}: {error}")]) from None
            if not piece and not self._left:
                return 0
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count


def recoded(source: BufferedReader, encoding: str) -> BufferedReader:
    """Returns the file as UTF-8."""
    if encoding == "UTF-8":
        return source
    return BufferedReader(cast(RawIOBase, _Recoded(source, encoding)), _PIECE)


def find_delimiter(line: bytes) -> str:
    """Returns the delimiter that the line has most of, outside of quotes; empty if it has none."""
    names = _QUOTED.sub(b"", line)
    counts = {delimiter: names.count(delimiter.encode()) for delimiter in DELIMITERS}
    return max(counts, key=counts.__getitem__) if any(counts.values()) else ""
