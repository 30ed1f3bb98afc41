"""Signs that belong to a number or a word, unlike marks of lists, headings and emphasis: "-30 °C", ">90 %", "C++"."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"[$€£¥₹]?[.,]?\d")
_CURRENCY: Final = "$€£¥₹"
_BEFORE: Final = re.compile(r"(?<![\w~#=<>+-])(?:[<>]=|\+/?-|[-+\u2013\u2212~#=<>±≤≥≈])\Z")
_PLUS_MINUS: Final = re.compile(r"\+/-[.,]?\d")
_EMPHASIS: Final = "**"
_AFTER_NUMBER: Final = re.compile(r"\s?(?:[%\u2030]|°\s?[CFK]?\b)|\+(?!\+)")
_AFTER_WORD: Final = re.compile(r"(?<=\w)(?:\+{1,2}(?!\+)|#(?!#))|(?<=\b[A-Z])[-\u2212]")


def start_with_sign(text: str, at: int) -> int:
    """Returns where the sign or the currency of the number at this place begins; the place itself without one."""
    if not _NUMBER.match(text, at):
        return at
    start = at - 1 if at and text[at - 1] in _CURRENCY else at
    found = _BEFORE.search(text, max(0, start - 3), start)
    return found.start() if found else start


def end_with_sign(text: str, at: int) -> int:
    """Returns where the sign after the number that ends at this place ends; the place itself without one."""
    found = _AFTER_NUMBER.match(text, at) if at and text[at - 1].isdigit() else None
    return found.end() if found else at


def without_marks(text: str, before: str, after: str) -> str:
    """Returns the text without these marks at its ends. A sign stays where it belongs to what it stands at."""
    if text.isalnum():  # most words
        return text
    at = len(text) - len(text.lstrip(before))
    start = at - 1 if at and _PLUS_MINUS.match(text, at - 1) else start_with_sign(text, at)
    end = max(start, len(text.rstrip(after)))
    found = _AFTER_WORD.match(text, end)
    end = found.end() if found else end
    if text.count(_EMPHASIS, start, end) % 2:  # one of a pair is at an end
        start -= len(_EMPHASIS) * text.endswith(_EMPHASIS, 0, start)
        end += len(_EMPHASIS) * text.startswith(_EMPHASIS, end)
    return text[start:end]
