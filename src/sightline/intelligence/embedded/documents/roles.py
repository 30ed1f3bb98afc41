"""What each sentence of a description is for: a problem, how it is today, a need, a measure, a risk."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final, NamedTuple

from sightline.intelligence.embedded.documents.markdown import blocks
from sightline.intelligence.embedded.phrases import Cues
from sightline.intelligence.embedded.questions import rules
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.vocabulary import read_data, words_in
from sightline.intelligence.embedded.words import words_of

_NUMBERS: Final = words_in("number") - {"a", "an", "one", "few", "many", "several", "couple"}
_FEWEST_WORDS: Final = 4
_SIGNS: Final = {"%": " percent ", "<": " under ", "\u2264": " under "}
_LEFT_OUT: Final = re.compile(
    r"\b(?:out of scope|not (?:a )?part of|leaves? out|does not (?:include|cover|change)|will not|won't)\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(r"\b(?:an?|one) (?:second|minute|hour|day|week|month)\b")
_PURPOSE: Final = re.compile(r",?\s*\b(?:so that|in order to|damit)\s+", re.IGNORECASE)


class Role(StrEnum):
    """What a sentence is for. Cues are looked for in this order."""

    MEASURE = "measure"
    RISK = "risk"
    TODAY = "today"
    NEED = "need"
    EXTENT = "extent"
    PROBLEM = "problem"
    NON_GOAL = "non_goal"
    GOAL = "goal"


_ROLES: Final = {str(role): role for role in Role}
# The role of a sentence without a cue after one of this role; after the others it goes on.
_AFTER: Final = {Role.MEASURE: Role.NEED, Role.RISK: Role.NEED, Role.EXTENT: Role.PROBLEM, Role.NON_GOAL: Role.NEED}


class RoleSentence(NamedTuple):
    """An exact part of a text, and what it is for."""

    text: str
    role: Role


@lru_cache(maxsize=500)  # a document is written again when little has changed
def read_sentences(text: str) -> Sequence[RoleSentence]:
    """Returns the sentences with their roles, without headings, tables, asides and questions that the engine asks.

    Without any need, what is said first is a need: it describes what shall be built. A purpose is a goal of its own.
    """
    sentences = [one for block in blocks(text) if not block.startswith("#") for one in split_sentences(block)]
    telling = [(one, _cued(one)) for one in sentences if not _says_little(one)]
    found = []
    role = Role.PROBLEM if any(cued is Role.NEED for _, cued in telling) else Role.NEED
    for sentence, cued in telling:
        role = cued or _AFTER.get(role, role)
        said, purpose = _without_purpose(sentence) if role is Role.NEED else (sentence, "")
        found.append(RoleSentence(said, role))
        if purpose:
            found.append(RoleSentence(purpose, Role.GOAL))
    return found


@lru_cache(maxsize=5_000)
def names_target(text: str) -> bool:
    """Whether the text has a figure that somebody wants reached."""
    return has_figure(text) and {Role.MEASURE, Role.NEED} <= _roles(text)


@lru_cache(maxsize=5_000)
def has_figure(text: str) -> bool:
    """Whether the text has a number, in digits or in words; "a minute" is one."""
    words = words_of(text)
    return any(word[0].isdigit() or word in _NUMBERS for word in words) or bool(_ONE.search(" ".join(words)))


def has_purpose(text: str) -> bool:
    return _PURPOSE.search(text) is not None


def _says_little(sentence: str) -> bool:
    words = words_of(sentence)
    is_asked = sentence.endswith("?") and words[:1] and words[0] in rules().own_questions.begin
    return len(words) < _FEWEST_WORDS or bool(is_asked)


def _without_purpose(sentence: str) -> tuple[str, str]:
    parts = _PURPOSE.split(sentence, maxsplit=1)
    enough = len(parts) == 2 and all(len(part.split()) >= _FEWEST_WORDS for part in parts)
    return (parts[0], parts[1]) if enough else (sentence, "")


def _cued(sentence: str) -> Role | None:
    if _LEFT_OUT.search(sentence):
        return Role.NON_GOAL
    found = _roles(sentence)
    return next((role for role in Role if role in found), None)


def _roles(sentence: str) -> set[Role]:
    for sign, word in _SIGNS.items():
        sentence = sentence.replace(sign, word)
    return {_ROLES[found.name] for found in _cues().find(f" {' '.join(words_of(sentence))} . ")}


@cache
def _cues() -> Cues:
    return Cues((role, cue) for role, given in read_roles().items() for cue in given)


@cache
def read_roles() -> dict[str, dict[str, str]]:
    """Returns the cues of each role, each with a sentence that has it."""
    return read_data("documents/roles.yaml", dict[str, dict[str, str]])
