"""The category of a sentence by its cues: English ones well, German ones fairly, other languages not at all."""

import re
import tomllib
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from sightline.intelligence.evidence import Category

_FEWEST_WORDS: Final = 3
_FEWEST_WORDS_OF_CONTEXT: Final = 6
_LEAST: Final[dict[Category, int]] = {"request": 3, "problem": 2, "praise": 2, "context": 2}
_KINDS: Final = ("problem", "request", "praise")
_RHETORICAL: Final = 4  # points of a problem that is put as a question
_QUESTION_MARKS: Final = ("?", "\uff1f")
_APOSTROPHE: Final = "['\u2019]"
_TURN: Final = re.compile(
    r"(?:^|[,;.] |\s)(?:but|however|although|though|except(?: that)?|aber|jedoch|allerdings)\s", re.IGNORECASE
)


class _Cue(NamedTuple):
    words: re.Pattern[str]
    points: dict[str, int]


def _read_cues() -> dict[str, _Cue]:
    """Returns the cues by name. An apostrophe of a pattern is straight or typeset."""
    cues = {}
    for name, cue in tomllib.loads(files(__package__).joinpath("cues.toml").read_text("utf-8")).items():
        points = cue.pop("points", {})
        alternatives = "|".join(cue).replace("\u2019", _APOSTROPHE)
        cues[name] = _Cue(re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE), points)
    return cues


_CUES: Final = _read_cues()
# "No delays", "nothing went missing": what is bad and did not happen.
_NO_HARM: Final = re.compile(
    rf"(?<!\w)(?:no|not|not a single|never|nothing|nobody|without|keine?|nicht|nie|ohne)"
    rf" (?:(?!and |but |or |und )\w+ ){{0,2}}(?:{_CUES['failure'].words.pattern}|{_CUES['bad'].words.pattern})",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'\u201d\u2019) ").endswith(_QUESTION_MARKS)


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
    words = len(text.split())
    if is_question(sentence) and found != "request" and points["problem"] < _RHETORICAL:
        found = "question"
    return found if words >= (_FEWEST_WORDS_OF_CONTEXT if found == "context" else _FEWEST_WORDS) else None


@lru_cache(maxsize=256)  # a sentence is read whole and in parts; copies are frequent
def _points(text: str) -> Counter[str]:
    """Returns the points of each category. What is denied and what is said by the way is not read."""
    points: Counter[str] = Counter()
    read = " ".join(text.split())
    if _CUES["denied"].words.search(read):
        points.update(_CUES["denied"].points)
    for left_out in (_NO_HARM, _CUES["denied"].words, _CUES["aside"].words):
        read = left_out.sub(" ", read)
    for cue in _CUES.values():
        if cue.points and cue.words.search(read):
            points.update(cue.points)
    return points
