"""The category of a sentence by its cues: English ones well, German ones fairly, other languages not at all."""

import re
from collections import Counter
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.phrases import Cues, plain
from sightline.intelligence.embedded.vocabulary import read_data, words_in
from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.evidence import Category

_FEWEST_WORDS: Final = 3
_FEWEST_WORDS_OF_CONTEXT: Final = 6
_LEAST: Final[dict[Category, int]] = {"request": 3, "problem": 2, "praise": 2, "context": 2}
_KINDS: Final = ("problem", "request", "praise")
_RHETORICAL: Final = 4  # points of a problem that is put as a question
_QUESTION_MARKS: Final = ("?", "\uff1f")
_LEFT_OUT: Final = frozenset({"denied", "elsewhere", "no_harm", "aside", "compound"})
_QUOTE: Final = re.compile(r"\W*(?:[\"“„][^\"“”]*[\"”]?|['‘][^'‘’]*['’])\W*")  # noqa: RUF001 - quotation marks
_SUBJECTS: Final = words_in("subjects")
_COPULAS: Final = words_in("copulas")
_TURN: Final = re.compile(rf"(?:^|[,;.] |\s)(?:{'|'.join(sorted(words_in('turns')))})\s", re.IGNORECASE)


class CueGroup(Struct, frozen=True):
    """Cues that speak for or against categories; `said_by` maps each to a sentence with it.

    Circumstances, such as "each time", are no evidence: alone they make no problem.
    """

    said_by: dict[str, str]
    points: dict[str, int] = {}
    is_evidence: bool = True


@cache
def cue_groups() -> dict[str, CueGroup]:
    return read_data("signals/cues.yaml", dict[str, CueGroup])


@cache
def _cues(*names: str) -> Cues:
    """Returns the cues of these groups, or of all."""
    return Cues({name: cue_groups()[name].said_by for name in names or cue_groups()})


def is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'\u201d\u2019) ").endswith(_QUESTION_MARKS)


@keep_by_text(5_000)  # a document is written again when little has changed
def is_ironic(sentence: str) -> bool:
    return bool(_cues("irony").names_in(sentence))


def category_of(sentence: str) -> Category | None:
    """Returns None without a cue. The part after a "but" has precedence."""
    return _category_of(_parts(sentence)[-1], sentence) or _category_of(sentence, sentence)


def read_statements(sentence: str) -> list[tuple[str, Category]]:
    """Returns the sentence with its category; the parts around a "but" apart if they differ in category."""
    apart = [(part, found) for part in _parts(sentence) if (found := _category_of(part, sentence))]
    if len({found for _, found in apart}.intersection(_KINDS)) > 1:
        return apart
    found = category_of(sentence)
    return [(sentence, found)] if found else []


def _parts(sentence: str) -> list[str]:
    return [part for each in _TURN.split(sentence) if (part := each.strip())] or [sentence]


def _category_of(text: str, sentence: str) -> Category | None:
    """Weighs the cues. Requests go before problems, and problems before praise, which is then ironic."""
    points = _points(text)
    found = next((each for each, least in _LEAST.items() if points[each] >= least), None)
    if is_question(sentence) and found != "request" and points["problem"] < _RHETORICAL:
        found = "question"
    return found if found and len(text.split()) >= _fewest_words(found, points["problem"], text) else None


def _fewest_words(category: Category, points: int, text: str) -> int:
    """Returns more for a fragment, such as "Another bad one.": a problem with neither a subject nor a second cue."""
    if category == "context":
        return _FEWEST_WORDS_OF_CONTEXT
    is_weak = category == "problem" and points <= _LEAST["problem"]
    words = words_of(text)
    is_fragment = is_weak and _SUBJECTS.isdisjoint(words[:1]) and _COPULAS.isdisjoint(words[1:2])
    return _FEWEST_WORDS + is_fragment


@lru_cache(maxsize=256)  # a sentence is read whole and in parts; copies are frequent
def _points(text: str) -> Counter[str]:
    """Returns the points of each category. What is denied and what is said by the way is not read."""
    points: Counter[str] = Counter()
    read = "" if _QUOTE.fullmatch(text) else plain(text)
    left_out = [found for found in _cues().find(read) if found.name in _LEFT_OUT]
    for found in left_out:
        read = f"{read[: found.start]} {'_' * (found.end - found.start - 1)}{read[found.end :]}"
    groups = [cue_groups()[name] for name in {found.name for found in (*left_out, *_cues().find(read))}]
    for group in groups:
        points.update(group.points)
    if not any(group.is_evidence and group.points.get("problem", 0) > 0 for group in groups):
        points["problem"] = min(points["problem"], _LEAST["problem"] - 1)
    return points
