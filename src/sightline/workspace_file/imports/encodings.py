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
