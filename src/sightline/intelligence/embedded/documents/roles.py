"""What each sentence of a description is for: a problem, how it is today, a need, a measure, a risk."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from sightline.intelligence.embedded.documents.markdown import blocks
from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.phrases import Cues, plain, read_cues
from sightline.intelligence.embedded.questions import rules
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.embedded.words import words_of

_NUMBERS: Final = (words_in("number") | {"twice"}) - {"a", "an", "one", "few", "many", "several", "couple"}
_FEWEST_WORDS: Final = 4
_ONE: Final = re.compile(r"\b(?:an?|one) (?:second|minute|hour|day|week|month)\b")
_PURPOSE: Final = re.compile(r"\b(?:so that(?! (?:it|they|he|she)\b)|in order to|damit)\s+", re.IGNORECASE)


class Role(StrEnum):
    """What a sentence is for. Cues are looked for in this order.

    Asides and announcements ("We propose two lists.") are not shown. An extent after a need is a rule of the solution,
    unless somebody observed it. What leans is understood only with the sentence before it.
    """

    ASIDE = "aside"
    ANNOUNCEMENT = "announcement"
    OPEN = "open"
    NON_GOAL = "non_goal"
    MEASURE = "measure"
    RISK = "risk"
    GOAL = "goal"
    TODAY = "today"
    NEED = "need"
    EXTENT = "extent"
    OBSERVED = "observed"
    LEANING = "leaning"
    PROBLEM = "problem"


_BUILT: Final = (Role.NEED, Role.ANNOUNCEMENT)
# After these a sentence goes on with what shall be built.
_ON_ITS_OWN: Final = (Role.ANNOUNCEMENT, Role.OPEN, Role.NON_GOAL, Role.MEASURE, Role.RISK, Role.PROBLEM)


class RoleSentence(NamedTuple):
    """An exact part of a text, and what it is for."""

    text: str
    role: Role


@keep_by_text(1_000)  # a document is written again when little has changed
def read_sentences(text: str) -> Sequence[RoleSentence]:
    """Returns the sentences with their roles, without headings, tables, asides and questions that the engine asks.

    A sentence without a cue goes on with what the one before it was, or else with what shall be built: without any
    need that is everything, otherwise what follows the first one. It is what each item after an announcement begins
    with. A purpose is a goal of its own. A measure begins with the figure of today that stands before it.
    What leans on the sentence before it, or answers its question, stands with it, unless cues say that it is for
    something else.
    """
    parted = [split_sentences(block) for block in blocks(text) if not block.startswith("#")]
    sentences = [(one, at == 0) for block in parted for at, one in enumerate(block)]
    telling = [(one, roles, begins) for one, begins in sentences if (roles := _cued(one))[:1] != [Role.ASIDE]]
    found: list[RoleSentence] = []
    role = base = Role.PROBLEM if any(roles and roles[0] in _BUILT for _, roles, _ in telling) else Role.NEED
    is_announced = False
    for sentence, roles, begins in telling:
        goes_on = base if role in _ON_ITS_OWN or (is_announced and begins) else role
        is_rule = roles == [Role.EXTENT] and goes_on is Role.NEED
        role = roles[0] if roles and not is_rule else Role.PROBLEM if goes_on is Role.EXTENT else goes_on
        base = Role.NEED if role in _BUILT else base
        is_announced |= role is Role.ANNOUNCEMENT
        if _says_little(sentence) or role is Role.ANNOUNCEMENT:
            continue
        answers = found and role is found[-1].role is Role.OPEN and role not in _roles(found[-1].text)
        leans = (answers or not stands_alone(sentence)) and not begins and found
        if leans and (not roles or found[-1].role is role):
            found[-1] = RoleSentence(f"{found[-1].text} {sentence}", found[-1].role)
            continue
        said, purpose = _without_purpose(sentence) if role is Role.NEED else (sentence, "")
        if role is Role.MEASURE and not begins and found and found[-1].role is Role.EXTENT:
            said = f"{found.pop().text} {said}"
        found.append(RoleSentence(said, role))
        if purpose:
            found.append(RoleSentence(purpose, Role.GOAL))
    return found


@keep_by_text(5_000)
def role_of_statement(text: str, category: str) -> Role:
    """Returns what the statement of a customer is for. A figure is a measure only if somebody wants it reached."""
    roles = _roles(text)
    if has_figure(text) and {Role.MEASURE, Role.NEED} <= roles:
        return Role.MEASURE
    if Role.RISK in roles:
        return Role.RISK
    if category == "request":
        return Role.GOAL if Role.GOAL in roles else Role.NEED
    return Role.TODAY if Role.TODAY in roles else Role.PROBLEM


def stands_alone(text: str) -> bool:
    """Whether one understands the sentence without the one before it."""
    return not text.endswith(":") and not {Role.LEANING, Role.ASIDE} & _roles(text)


@keep_by_text(5_000)
def has_figure(text: str) -> bool:
    """Whether the text has a number, in digits or in words; "a minute" is one."""
    words = words_of(text)
    return any(word[0].isdigit() or word in _NUMBERS for word in words) or bool(_ONE.search(" ".join(words)))


def is_open(answer: str) -> bool:
    """Whether the answer begins with the words that nothing is decided yet."""
    return any(_cued(sentence)[:1] == [Role.OPEN] for sentence in split_sentences(answer)[:1])


def has_purpose(text: str) -> bool:
    """Whether the text has an outcome that somebody wants."""
    return _PURPOSE.search(text) is not None or Role.GOAL in _roles(text)


def _says_little(sentence: str) -> bool:
    words = words_of(sentence)
    is_asked = sentence.endswith("?") and words[:1] and words[0] in rules().english.own_questions.begin
    return len(words) < _FEWEST_WORDS or sentence.endswith(":") or bool(is_asked)


def _without_purpose(sentence: str) -> tuple[str, str]:
    said, *purpose = _PURPOSE.split(sentence, maxsplit=1)
    enough = purpose and all(len(part.split()) >= _FEWEST_WORDS for part in (said, *purpose))
    return (said.rstrip().removesuffix(","), purpose[0]) if enough else (sentence, "")


def _cued(sentence: str) -> list[Role]:
    """Returns the roles that the sentence has cues of, but only observed what has an extent."""
    found = _roles(sentence) - {Role.LEANING}
    if sentence.endswith("?") and not found:
        return [Role.OPEN]
    return [role for role in Role if role in found and (role is not Role.OBSERVED or Role.EXTENT in found)]


@keep_by_text(5_000)
def _roles(sentence: str) -> frozenset[str]:
    return read_cues("documents/roles.yaml").names_in(sentence)


@keep_by_text(1_000)
def people_in(text: str) -> Sequence[str]:
    """Returns what people are called by what they do, in the plural, each once."""
    said = " ".join(map(plain, split_sentences(text)))
    words = (said[one.start :].split()[0].removesuffix("'s") for one in _people().find(said))
    return list(dict.fromkeys(word if word.endswith(("s", "men")) else _plural(word) for word in words))


def _plural(word: str) -> str:
    return f"{word[:-2]}en" if word.endswith("man") else f"{word}s"


@cache
def _people() -> Cues:
    return Cues({"person": ["{person}", "{role}|*er|*or|*ist|*ian~{thing} {adverb}? {acting}"]})
