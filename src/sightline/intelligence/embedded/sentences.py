"""Sentences of a text, as exact parts of it."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.signs import without_marks
from sightline.intelligence.embedded.vocabulary import GERMAN_WORDS, STOP_WORDS, words_in
from sightline.intelligence.embedded.words import words_of

MOST_CHARACTERS: Final = 40_000
MOST_SENTENCES: Final = 200
LONGEST_SENTENCE: Final = 300
_PER_END: Final = 10  # characters: of more ends than that, which have no words between them, the last do not count
_ALWAYS: Final = 100  # ends that count however short the text is

# The pattern starts with a set of marks, so that searching is fast; all parts are bounded, so it stays linear.
_BREAKS: Final = "。！？｡\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029"  # noqa: RUF001 - other scripts end their sentences so
_CLOSING: Final = "['\"”“’‘»«)\\]*_]|[ \u00a0\u202f]»"  # noqa: RUF001 - likewise; French puts a space before its mark
_END = re.compile(f"[.!?…؟۔।{_BREAKS}](?:(?<=[{_BREAKS}])|(?:{_CLOSING})?(?=\\s|\\Z))")  # noqa: RUF001 - likewise
ABBREVIATIONS: Final = words_in("abbreviations")
_ABBREVIATED: Final = re.compile(rf"(?<![\w.])(?i:{'|'.join(map(re.escape, sorted(ABBREVIATIONS)))})\.\Z")
_BEFORE_NUMBER: Final = re.compile(rf"(?<![\w.])(?i:{'|'.join(sorted(words_in('before_numbers')))})\.[ \u00a0](?=\d)")
_SMALL_FOLLOWS: Final = "|".join(sorted(words_in("before_small_letters")))
_BEFORE_SMALL: Final = re.compile(rf"(?:(?<![\w.])(?i:{_SMALL_FOLLOWS})|\b[^\W\d]\.[^\W\d])\.[ \u00a0](?=[a-zß-ÿ])")
_LONGEST_ABBREVIATION: Final = 8
_BEFORE_NAME: Final = re.compile(r"(?<![\w.])(?:M|Ms|Pr|Ste?|[A-Z]\.-[A-Z])\.\Z")  # "M. Leroy", "J.-P. Leroy"
_LONGEST_BEFORE_NAME: Final = 5
_SPACED: Final = re.compile(r"(?<![\w.])[a-z]\.[ \u00a0](?:[A-Za-z]|ex)\.(?!\w)")  # "z. B.", "i. e.", "p. ex."
_LONGEST_SPACED: Final = 6
_BEFORE_ORDINAL: Final = "|".join(sorted(words_in("before_ordinals")))
_ORDINAL: Final = re.compile(rf"((?<!\w)(?i:{_BEFORE_ORDINAL})[ \u00a0])?(?<![\w.,])[0-9]{{1,2}}\.\Z")
_LONGEST_ORDINAL: Final = 9
_NEXT_WORD: Final = re.compile(r"[ \u00a0](\w{1,20})(?!\w)")
_EDGE: Final = " \t\u00a0\u200b\ufeff-*•·‣◦–—#>|`_~=+"  # noqa: RUF001 - what writes lists and headings
_EDGE_AFTER: Final = " \t\u00a0\u200b\ufeff-*•–—#|`_~=+"  # noqa: RUF001 - the same, after a sentence


@keep_by_text(1_000)  # a document is written again when little has changed
def split_sentences(text: str) -> tuple[str, ...]:
    """Returns the first 200 sentences within the first 40,000 characters, each an exact part of `text`."""
    text = text[:MOST_CHARACTERS]
    return tuple(text[start:end] for start, end in islice(find_sentences(text), MOST_SENTENCES))


def find_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each sentence with words, in order: trimmed, 1 to 300 characters.

    Line breaks end sentences; a longer sentence is cut between words where it can be.
    """
    start = 0
    most = _ALWAYS + len(text) // _PER_END
    ends = (end.end() for end in islice(_END.finditer(text), most) if not _is_abbreviated(text, end.end()))
    for stop in chain(ends, (len(text),)):
        part = text[start:stop]
        sentence = without_marks(part.strip(), _EDGE, _EDGE_AFTER).strip()
        at = start + part.find(sentence)
        end, start = at + len(sentence), stop
        while at < end:
            piece = beginning(text[at : min(end, at + LONGEST_SENTENCE + 1)], LONGEST_SENTENCE)
            if says_something(piece):
                yield at, at + len(piece)
            at += max(1, len(piece))
            while at < end and text[at].isspace():
                at += 1


def _is_abbreviated(text: str, end: int) -> bool:
    """Whether the text up to this place ends with an abbreviation, with the first letter of one, or with an ordinal."""
    spaced = _SPACED.search(text, max(0, end - _LONGEST_SPACED), end + _LONGEST_SPACED)
    if spaced and spaced.start() < end <= spaced.end():
        return True
    if _ABBREVIATED.search(text, max(0, end - _LONGEST_ABBREVIATION), end):
        return True
    for pattern in (_BEFORE_NUMBER, _BEFORE_SMALL):
        followed = pattern.search(text, max(0, end - _LONGEST_ABBREVIATION), end + 2)
        if followed and followed.end() == end + 1:
            return True
    return _is_title(text, end) or _is_german_ordinal(text, end)


def _is_title(text: str, end: int) -> bool:
    """Whether the text up to this place ends with the title or the initials before a name: "M." or "J.-P."."""
    if not _BEFORE_NAME.search(text, max(0, end - _LONGEST_BEFORE_NAME), end):
        return False
    following = _NEXT_WORD.match(text, end)
    return following is not None and following[1][0].isupper() and not _is_common(following[1])


def _is_common(word: str) -> bool:
    return word.lower() in STOP_WORDS or word.lower() in GERMAN_WORDS


def _is_german_ordinal(text: str, end: int) -> bool:
    """Whether the number before this place is an ordinal, such as "3." in "am 3. Mai" or "jeder 4. Kran"."""
    number = _ORDINAL.search(text, max(0, end - _LONGEST_ORDINAL), end)
    following = _NEXT_WORD.match(text, end)
    if number is None or following is None:
        return False
    word = following[1]
    begins_sentence = word[0].isupper() and _is_common(word)  # "I am 45. The ..."
    return word.lower() in words_in("time_de") or (number[1] is not None and not begins_sentence)


class Sentence(NamedTuple):
    """An exact sentence of the text, and its words."""

    text: str
    words: tuple[str, ...]


@keep_by_text(4)  # a new idea is named, matched and questioned in sequence
def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Returns the sentences with their words."""
    return tuple(Sentence(sentence, tuple(words_of(sentence))) for sentence in split_sentences(text))


def says_something(text: str) -> bool:
    """Whether the text has a letter or a digit."""
    return any(map(str.isalnum, text))


def beginning(text: str, longest: int) -> str:
    """Returns the first words of a text, at most `longest` characters. Cuts only a word that fills the second half."""
    if len(text) <= longest:
        return text
    for at in range(longest, longest // 2, -1):
        if text[at].isspace():
            return text[:at].strip()
    return text[:longest].strip()
