"""Words of a text, folded so that forms of one word are equal."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST_WORD: Final = 40
SHORTEST_ROOT: Final = 4

_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
# White space, ASCII punctuation but the apostrophe, general and CJK punctuation separate words. Combining marks do not,
# as they would split scripts with vowel marks into single letters.
_BETWEEN: Final = "\\s!-&(-/:-@\\[-`{-~\u00a1-\u00bf\u2000-\u2018\u201a-\u206f\u3000-\u303f\uff00-\uff0f"
_WORD = re.compile(f"[{_CJK}]+|[^{_BETWEEN}{_CJK}]+")
# Makes ASCII letters small, and spaces of what is between ASCII words.
_PLAIN: Final = {at: re.sub(f"[{_BETWEEN}]", " ", chr(at).lower()) for at in range(128)}

_ELIDED: Final = re.compile("^(?:[cdjlmnst]|(?:jus|lors|puis)?qu)'(?=..)")  # French: l'export, d'export, qu'exporter

# Endings that make a related word of a folded word.
_DERIVED: Final = re.compile("(?<=....)(?:i[sz]at|icat|abl|ibl|ity|ify|ment|ion|at|it|i[sz]|iv|er|or|al|ic|y)$")

# Their endings are not verb endings.
_OWN_MEANING: Final = frozenset({"setting", "meeting", "building", "speed"})


def words_of(text: str) -> list[str]:
    """Returns the words in order, in lower case, cut to 40 characters.

    Runs of CJK characters, which have no spaces, give their pairs.
    """
    text = text.replace("\u2019", "'")
    if text.isascii():  # the same in a fifth of the time
        runs = text.translate(_PLAIN).split()
        if "'" in text:
            runs = [word for run in runs if (word := run.strip("'"))]
        return [word[:LONGEST_WORD] for word in runs]
    return [word for run in _WORD.findall(text) for word in _words_in(run)]


def places_of(text: str) -> list[re.Match[str]]:
    """Yields the match of each word in the text. The pairs of a CJK run share one match."""
    text = text.replace("\u2019", "'")
    runs = _WORD.finditer(text)
    if text.isascii() and "'" not in text:
        return list(runs)
    return [run for run in runs for _ in _words_in(run[0])]


def _words_in(run: str) -> list[str]:
    run = run.strip("'")
    if not run.isascii() and not any(map(str.isalnum, run)):
        return []
    word = run.lower()
    if "\u3040" <= word[:1] <= "\u9fff" or "\uac00" <= word[:1] <= "\ud7af":
        return [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    return [word[:LONGEST_WORD]] if word else []


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """Returns the common part of the forms of a word: exports, exporting and exported are `export`."""
    if not word.isascii():
        plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
        word = plain if len(plain) == len(unicodedata.normalize("NFC", word)) else word
    word = _ELIDED.sub("", word.removesuffix("'s")).replace("'", "")
    if len(word) < 4 or not word.isascii() or any(map(str.isdigit, word)):
        return word
    word = _without_ending(_singular(word))
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


@lru_cache(maxsize=20_000)
def root_of(word: str) -> str:
    """Returns what related words share: notify and notifications are `notif`. Empty if too little is left."""
    stem = fold(word)
    if len(stem) < SHORTEST_ROOT or not stem.isascii() or not stem.isalpha():
        return ""
    while (shorter := _DERIVED.sub("", stem)) != stem:
        stem = shorter
    is_doubled = len(stem) > SHORTEST_ROOT and stem[-1] == stem[-2]
    return (stem[:-1] if is_doubled else stem).replace("our", "or")


def singular(word: str) -> str:
    """Returns the word without a plural ending, else unchanged."""
    word = word.removesuffix("'s")
    return _singular(word) if len(word) > 3 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    if word in _OWN_MEANING:
        return word
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and not set("aeiouy").isdisjoint(stem):
            return _restored(stem)
    if word.endswith(("tion", "sion")) and len(word) > 6:
        return word[:-3]
    return word


def _restored(stem: str) -> str:
    """tagg(ed) is `tag`, but vot(ed) is `vote`."""
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeilosz":
        return stem[:-1]
    if len(stem) == 3 and stem[1] in "aeiou" and stem[2] not in "aeiouwxy":
        return stem + "e"
    return stem
