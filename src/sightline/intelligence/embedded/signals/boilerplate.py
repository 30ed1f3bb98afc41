"""Parts of messages without a statement: headers, quoted replies, signatures, notices, greetings."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final

from sightline.intelligence.embedded.phrases import Cues
from sightline.intelligence.embedded.signals.lines import Line
from sightline.intelligence.embedded.vocabulary import read_data

_BOUNDED: Final = 300

_QUOTED = re.compile(r"\s*(?:>(?!=?\d)|\|)")
_SIGNATURE = re.compile(r"--\s?|_{5,}|-{5,}")
_ADDRESS = re.compile(r"\s*(?:(?:https?://|www\.)\S+|\S+@\S+\.\w+|[+(]?\d[\d ()/.-]{6,}\d|#\S+)\s*", re.IGNORECASE)
_NOTHING: Final = frozenset({"header", "wrote", "notice"})

_SIGNATURE_LINES: Final = 8
_TO_THE_END: Final = 1 << 40


def without_boilerplate(lines: Iterable[Line], text_of: Callable[[Line], str]) -> Iterator[Line]:
    """Returns the relevant lines. A quoted older message is left out to its end, a signature for eight lines."""
    turn: int | None = None
    left_out = 0
    for line in lines:
        text = text_of(line)[:_BOUNDED].rstrip()
        if line.turn != turn:
            turn, left_out = line.turn, 0
        parts = _cues().names_in(text)
        if "older" in parts:
            left_out = _TO_THE_END
        if left_out:
            left_out -= 1
        elif _SIGNATURE.fullmatch(text) or "sign_off" in parts:
            left_out = _SIGNATURE_LINES if line.speaker is None or line.turn is not None else 0
        elif not (_QUOTED.match(text) or _ADDRESS.fullmatch(text) or parts & _NOTHING):
            yield line


def is_small_talk(sentence: str) -> bool:
    return "small_talk" in _cues().names_in(sentence[:_BOUNDED])


@cache
def boilerplate() -> dict[str, dict[str, str]]:
    """Returns the cues of each part of a message, each with an example."""
    return read_data("signals/boilerplate.yaml", dict[str, dict[str, str]])


@cache
def _cues() -> Cues:
    return Cues(boilerplate())
