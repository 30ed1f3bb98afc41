"""Sentences of a text, as exact parts of it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from sightline.intelligence.embedded.words import words_of

MOST_CHARACTERS: Final = 40_000
MOST_SENTENCES: Final = 200
LONGEST_SENTENCE: Final = 300

# The pattern starts with a set of marks, so that searching is fast; all parts are bounded, so it stays linear.
_BREAKS: Final = "。！？｡\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029"  # noqa: RUF001 - other scripts end their sentences so
_END = re.compile(f"[.!?…؟۔।{_BREAKS}](?:(?<=[{_BREAKS}])|['\"”’»)\\]*_]?(?=\\s))")  # noqa: RUF001 - likewise
_EDGE: Final = " \t\u00a0\u200b\ufeff-*•·‣◦–—#>|`_~=+"  # noqa: RUF001 - what writes lists and headings
_EDGE_AFTER: Final = " \t\u00a0\u200b\ufeff-*•–—#|`_~=+"  # noqa: RUF001 - the same, after a sentence


def split_sentences(text: str) -> list[str]:
    """Returns the sentences with words, in order: trimmed, 1 to 300 characters, each an exact part of `text`.

    Line breaks end sentences; a longer sentence is cut between words where it can be. Looks at the first
    40,000 characters and stops after 200 sentences.
    """
    found: list[str] = []
    for part in _parts(text[:MOST_CHARACTERS]):
        for piece in (part,) if len(part) <= LONGEST_SENTENCE else _cut(part):
            if says_something(piece):
                found.append(piece)
                if len(found) == MOST_SENTENCES:
                    return found
    return found


def find_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each sentence, without the limits of split_sentences()."""
    start = 0
    for stop in (*(end.end() for end in _END.finditer(text)), len(text)):
        part = text[start:stop]
        sentence = _trimmed(part)
        at = start + part.find(sentence)
        start = stop
        if len(sentence) <= LONGEST_SENTENCE:
            if says_something(sentence):
                yield at, at + len(sentence)
        else:
            yield from _places_of_pieces(text, at, at + len(sentence))


def _places_of_pieces(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    while at < end:
        piece = beginning(text[at : min(end, at + LONGEST_SENTENCE + 1)], LONGEST_SENTENCE)
        if says_something(piece):
            yield at, at + len(piece)
        at += max(1, len(piece))
        while at < end and text[at].isspace():
            at += 1


class Sentence(NamedTuple):
    """An exact sentence of the text, and its words."""

    text: str
    words: tuple[str, ...]


def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Returns the sentences with their words."""
    return _read_sentences(text[:MOST_CHARACTERS])


@lru_cache(maxsize=4)  # a new idea is named, matched and questioned in sequence
def _read_sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(sentence, tuple(words_of(sentence))) for sentence in split_sentences(text))


def says_something(text: str) -> bool:
    """Whether the text has a letter or a digit."""
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
    """Returns the first words of a text, at most `longest` characters. Cuts only a word that fills the second half."""
    if len(text) <= longest:
        return text
    for at in range(longest, longest // 2, -1):
        if text[at].isspace():
            return text[:at].strip()
    return text[:longest].strip()
