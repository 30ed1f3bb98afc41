"""Sentences of a text, as exact parts of it."""

import re
from collections.abc import Iterator
from typing import Final

MOST_CHARACTERS: Final = 40_000
MOST_SENTENCES: Final = 200
LONGEST_SENTENCE: Final = 300

# Every alternative is of bounded length, so that searching stays linear in the text.
_END = re.compile("[.!?…؟۔।]['\"”’»)\\]*_]?(?=\\s)|[。！？｡]|[\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]")  # noqa: RUF001 - other scripts end their sentences so
_EDGE: Final = " \t\u00a0\u200b\ufeff-*•·‣◦–—#>|`_~=+"  # noqa: RUF001 - what writes lists and headings
_EDGE_AFTER: Final = " \t\u00a0\u200b\ufeff-*•–—#|`_~=+"  # noqa: RUF001 - the same, after a sentence


def split_sentences(text: str) -> list[str]:
    """The sentences that say something, in order: trimmed, 1 to 300 characters, each an exact part of `text`.

    Line breaks end sentences; a longer sentence is cut between words where it can be. Looks at the first
    40,000 characters and stops after 200 sentences.
    """
    found: list[str] = []
    for part in _parts(text[:MOST_CHARACTERS]):
        for piece in _cut(part):
            if says_something(piece):
                found.append(piece)
                if len(found) == MOST_SENTENCES:
                    return found
    return found


def says_something(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(map(str.isalnum, text))


def _parts(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        yield _trimmed(text[start : end.end()])
        start = end.end()
    yield _trimmed(text[start:])


def _trimmed(part: str) -> str:
    return part.strip().lstrip(_EDGE).rstrip(_EDGE_AFTER).strip()


def _cut(sentence: str) -> Iterator[str]:
    rest = sentence
    while rest:
        piece = beginning(rest, LONGEST_SENTENCE)
        yield piece
        rest = rest[max(1, len(piece)) :].strip()


def beginning(text: str, longest: int) -> str:
    """The first words of a text, at most `longest` characters; cuts a word only when it fills the second half."""
    if len(text) <= longest:
        return text
    for at in range(longest, longest // 2, -1):
        if text[at].isspace():
            return text[:at].strip()
    return text[:longest].strip()
