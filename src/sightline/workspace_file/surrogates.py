r"""Finds halves of surrogate pairs in JSON, such as a lone `\ud800`, which the reader turns into a question mark."""

import re
from typing import Any

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
# An escape that may continue in the next part: a backslash, an unfinished \\uXXXX, or the first half of a pair.
_UNFINISHED = re.compile(
    rb"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)\Z"
)
_LONGEST_ESCAPE = 12


class LoneSurrogate(Exception):
    """A text has half of a surrogate pair, which is not a character. The message has the place."""


class SurrogateWatch:
    """Checks JSON part by part. Raises LoneSurrogate."""

    def __init__(self) -> None:
        self._unfinished = b""
        self._line = 1

    def look(self, part: bytes) -> None:
        """Checks the next part; an empty one is the end."""
        text = self._unfinished + part
        unfinished = _UNFINISHED.search(text, self._start_of_tail(text)) if part else None
        whole = text[: unfinished.start(1)] if unfinished else text
        self._unfinished = text[len(whole) :]
        if _HALF.search(whole):
            self._look_closely(whole)
        self._line += whole.count(b"\n")

    def _start_of_tail(self, text: bytes) -> int:
        """Returns the start of the backslashes that may start an unfinished escape."""
        start = max(0, len(text) - _LONGEST_ESCAPE)
        while start and text[start - 1 : start] == b"\\":
            start -= 1
        return start

    def _look_closely(self, text: bytes) -> None:
        for escape in _ESCAPE.finditer(text):
            if (half := escape["half"]) is not None:
                line = self._line + text.count(b"\n", 0, escape.start())
                raise LoneSurrogate(f"half of a surrogate pair, \\{half.decode()}, in line {line}")


class Watched:
    """A file that is checked while it is read."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._watch = SurrogateWatch()

    def read(self, size: int = -1) -> bytes:
        part: bytes = self._source.read(size)
        if size != 0:
            self._watch.look(part)
        return part
