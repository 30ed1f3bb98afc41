"""Escapes user texts for Markdown."""

import re
from typing import Final

from sightline.intelligence.embedded.kept import keep_by_text

_SIGNS: Final = re.compile(r"([\\`*_{}\[\]<>|~#$]|&(?! ))")  # "& " begins no character reference
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029]")
_TURNS: Final = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # they reverse the direction of the rest of the line
_LIST_START: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_LINE_START: Final = re.compile(r"^([-+=:])")

_BULLET: Final = re.compile(r"\s*[-*+•]\s+")
_MARK: Final = re.compile(r"\s*(?:#{1,6}\s+|>(?!=?\d)\s?)")
_OWN_LINE: Final = re.compile(r"\s*(?:[-*+•]\s|#{1,6}\s|>(?!=?\d)|\||\d{1,9}[.)]\s)")
_PLAIN: Final = re.compile(r"(?![\d=:+-])[\w ,.!?;'\"/%€£()\u2013\u2014\u2018-\u201d\u2026-]*")
_NO_WORDS: Final = re.compile(r"[\s|:*_=~`+-]*|\s*`{3,}[^`]*")


@keep_by_text(5_000)  # names and quotes stand in several documents
def inline(text: str) -> str:
    """Returns the text as one line, escaped for Markdown and HTML."""
    if _PLAIN.fullmatch(text) and "_" not in text and "  " not in text:
        return text.strip()
    line = " ".join(_CONTROLS.sub(" ", _TURNS.sub("", text)).split())
    line = _SIGNS.sub(r"\\\1", line)
    line = _LIST_START.sub(r"\1\\\2", line)
    return _LINE_START.sub(r"\\\1", line)


def blocks(text: str) -> list[str]:
    """Returns the paragraphs and items of a text, each as one line, without tables and lines without words."""
    found: list[list[str]] = []
    goes_on = False
    for line in text.splitlines():
        if _NO_WORDS.fullmatch(line) or is_row(line):
            goes_on = False
        elif goes_on and not _OWN_LINE.match(line):
            found[-1].append(line)
        else:
            found.append([line])
            goes_on = True
    return list(map(" ".join, found))


def is_row(line: str) -> bool:
    """Whether the line is a row of a Markdown table."""
    return line.lstrip().startswith("|") and line.count("|") > 2


def paragraphs(text: str) -> list[str]:
    """Returns the paragraphs of a text, each as one escaped line. Items of Markdown lists stay items."""
    return [shown for block in blocks(text) if (shown := _paragraph(block))]


def _paragraph(text: str) -> str:
    bullet = _BULLET.match(text)
    said = ended(inline(text[bullet.end() :] if bullet else _MARK.sub("", text, count=1)))
    return f"- {said}" if bullet and said else said


def ended(line: str) -> str:
    """Returns the text with a full stop, unless it ends with a mark."""
    return line if not line or line[-1] in ".!?…:;。！？" else f"{line}."  # noqa: RUF001 - other scripts end their sentences so
