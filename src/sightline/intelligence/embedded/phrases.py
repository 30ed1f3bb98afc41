"""Cues: rows of words, each in a data file with an example, that are found in plain text.

A cue has slots with spaces between them: `a|b` is either word, `a*` any word that begins so, `{list}` any word of a
list of `words.yaml`, `~` none of those after it, `?` at the end may be missing, `!` not after one of these, `..` up to
eight words, `..3` up to three words of a clause, `,` the end of a clause, `^` the start and `$` the end of the text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.vocabulary import read_data, word_lists
from sightline.intelligence.embedded.words import words_of

_CLAUSE: Final = re.compile("[^,;:()–—]+[,;:()–—]?")  # noqa: RUF001 - dashes part clauses
_SIGNS: Final = {"%": " percent ", "<": " under ", "\u2264": " under "}
_LIST: Final = re.compile(r"\{(\w+)\}")


class FoundCue(NamedTuple):
    """The name of a cue, and its place in the plain text."""

    name: str
    start: int
    end: int


class Cues:
    """Cues by name. Few of them are tried at each word, so many are found in little time."""

    def __init__(self, cues: Mapping[str, Iterable[str]]) -> None:
        pairs = [(name, cue) for name, given in cues.items() for cue in given]
        self._cues = [(name, re.compile(_first(cue)), re.compile(_pattern(cue))) for name, cue in pairs]
        self._beginning_with = lru_cache(maxsize=20_000)(self._find_beginning_with)

    def find(self, text: str) -> Iterator[FoundCue]:
        """Yields the cues in plain text, in the order of their first words."""
        at = -1
        for word in text.split(" "):
            for name, cue in self._beginning_with(word):
                if found := cue.match(text, at):
                    yield FoundCue(name, found.start(), found.end())
            at += len(word) + 1

    def names_in(self, sentence: str) -> frozenset[str]:
        """Returns the names of the cues that a sentence has."""
        return frozenset(found.name for found in self.find(plain(sentence)))

    def _find_beginning_with(self, word: str) -> list[tuple[str, re.Pattern[str]]]:
        return [(name, cue) for name, first, cue in self._cues if word and first.match(f" {word} ")]


@cache
def read_cues(name: str) -> Cues:
    """Returns the cues of a data file, where each has a text with it."""
    return Cues(read_data(name, dict[str, dict[str, str]]))


@keep_by_text(5_000)  # several kinds of cues are looked for in a sentence
def plain(text: str) -> str:
    """Returns the words of a sentence, each after a space, with a comma after each clause, or a colon."""
    said = [""]
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    for clause in _CLAUSE.finditer(text):
        if words := words_of(clause[0]):
            said += [*words, ":" if clause[0].endswith(":") else ","]
    return " ".join([*said, ""])


def _first(cue: str) -> str:
    """Returns a pattern for the first word of a cue, which may be missing."""
    slots = [slot for slot in cue.split() if not slot.startswith(("!", "^"))]
    needed = next(at for at, slot in enumerate(slots) if not slot.endswith("?"))
    return "|".join(_pattern(slot.removesuffix("?")) for slot in slots[: needed + 1])


def _pattern(cue: str) -> str:
    return "".join(map(_slot, _LIST.sub(lambda found: "|".join(word_lists()[found[1]].words.split()), cue).split()))


def _slot(slot: str) -> str:
    if slot.startswith(".."):
        return f"(?: [^ .,:]+){{0,{slot[2:]}}}?" if slot[2:] else "(?: [^ .]+){0,8}?"
    if slot.startswith("!"):
        return "".join(f"(?<! {word})" for word in slot[1:].split("|"))
    if slot in "^$":
        return r"\A" if slot == "^" else r"(?= [,:] \Z)"
    words = re.escape(slot.removesuffix("?").replace(",", ",|:")).replace(r"\|", "|").replace(r"\*", "[^ .,:]*")
    wanted, _, unwanted = words.partition(r"\~" if r"\~" in words else "~")
    found = f"(?! (?:{unwanted}) ) (?:{wanted})(?= )" if unwanted else f" (?:{wanted})(?= )"
    return f"(?:{found})?" if slot.endswith("?") else found
