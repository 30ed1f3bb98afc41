"""Headlines of at most so many characters: whole words, cut where a clause ends, beginning with a capital."""

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from sightline.intelligence.embedded.sentences import ABBREVIATIONS
from sightline.intelligence.embedded.vocabulary import words_in

_END: Final = "。！？、，.,;:!?…-–—*_`~|>#(["  # noqa: RUF001 - dashes that may end a cut
CLAUSE_END: Final = (",", ";", ":", "–", "—", ".", "?", "!")  # noqa: RUF001 - the dash that separates clauses
_CONJUNCTIONS: Final = words_in("conjunctions")
_LEFT_OPEN: Final = _CONJUNCTIONS | ABBREVIATIONS | words_in("left_open")
_LONGEST_GREETING: Final = 5  # words
_PAIRING: Final = ("and", "or")
_LONGEST_PAIR: Final = 3  # words of "and PIN", which belong to what is before them
_LEAST_SHARE: Final = 0.4  # of the allowed length: an earlier end of a clause leaves too little


def fitted(words: Sequence[str], longest: int) -> str:
    """Returns the first words of a statement, at most `longest` characters; cuts a single longer word.

    A cut statement ends with a clause, or else with a word that can end it. Empty without words.
    """
    fitting = bisect(list(accumulate(len(word) + 1 for word in words)), longest + 1)
    if fitting == 0:
        return words[0][:longest].strip() if words else ""
    kept = words if fitting == len(words) else _closed(words[: _last_clause(words, fitting, longest)])
    return " ".join(kept).rstrip(_END).rstrip() or " ".join(kept)


def capitalised(text: str) -> str:
    """Returns the text with a capital first, unless the first word has capitals, digits or signs, like iOS."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    plain = word.strip("\"'“”‘’()[],.;:!?")  # noqa: RUF001 - quotation marks
    if not plain.replace("'", "").replace("-", "").replace("\u2019", "").isalpha() or plain != plain.lower():
        return text
    at = text.index(plain)
    capital = text[at].upper()
    return text[:at] + capital + text[at + 1 :] if capital.lower() == text[at] else text


def without_greeting(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after a greeting or a label: "Hi team, ...", "Feature request: ..."."""
    if plain_word(words[0]) in words_in("salutations"):
        end = next((at for at, word in enumerate(words[:_LONGEST_GREETING]) if word.endswith(CLAUSE_END)), None)
        return words[end + 1 :] if end is not None and end + 1 < len(words) else words
    for at, word in enumerate(words[:3]):
        if word.strip("*_[]():") and plain_word(word.strip("*_[]")) not in words_in("labels"):
            break
        if word.rstrip("*_").endswith((":", "]")) and at + 1 < len(words):
            return words[at + 1 :]
    return words


def without_conjunctions(words: Sequence[str]) -> Sequence[str]:
    """Returns the words without conjunctions at either end; at least two words stay."""
    joining = words_in("joining")
    while len(words) > 2 and plain_word(words[0]) in joining:
        words = words[1:]
    while len(words) > 2 and plain_word(words[-1]) in joining and words[-1][-1].isalpha():
        words = words[:-1]
    return words


def _last_clause(words: Sequence[str], fitting: int, longest: int) -> int:
    """Returns how many words are before the last end of a clause that leaves enough, else of a phrase.

    A list after a colon is left out as a whole.
    """
    enough = [count for count in range(1, fitting + 1) if len(" ".join(words[:count])) >= _LEAST_SHARE * longest]
    colon = [count for count in enough if words[count - 1].endswith(":")]
    ends = [count for count in enough if _is_end(words[count - 1]) or plain_word(words[count]) in _CONJUNCTIONS]
    phrases = [count for count in enough if plain_word(words[count]) in words_in("phrase_starts")]
    last = (colon or ends or phrases or [fitting])[-1]
    pair = [count for count in phrases if last + 1 < count <= last + _LONGEST_PAIR]
    return pair[-1] if pair and words[last].lower() in _PAIRING and not _is_end(words[last - 1]) else last


def _is_end(word: str) -> bool:
    return word.endswith(CLAUSE_END) and plain_word(word) not in ABBREVIATIONS and not _is_letter(word)


def _is_letter(word: str) -> bool:
    """Whether the word is a letter with a full stop, as in "z. B."."""
    return len(word) == 2 and word[0].isalpha() and word[1] == "."


def _closed(words: Sequence[str]) -> Sequence[str]:
    """Leaves out words at the end that need another one after them, such as "and the"."""
    while len(words) > 1 and (plain_word(words[-1]) in _LEFT_OPEN or _is_letter(words[-1])) and not _is_end(words[-1]):
        words = words[:-1]
    return words


def plain_word(word: str) -> str:
    """Returns the word in lower case without marks; `-` for marks alone."""
    if word.isalnum():
        return word.lower()
    return word.strip(".,;:!?…\"'()“”‘’").replace("\u2019", "'").lower() or "-"  # noqa: RUF001 - quotation marks
