"""Parts of messages without a statement: headers, quoted replies, signatures, notices, greetings."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import structs

from sightline.intelligence.embedded.phrases import read_cues
from sightline.intelligence.embedded.sentences import find_sentences
from sightline.intelligence.evidence import Quote

_CUES: Final = "signals/boilerplate.yaml"
_BOUNDED: Final = 300

_QUOTED = re.compile(r"\s*(?:>(?!=?\d)|\|)")
_SIGNATURE = re.compile(r"--\s?|_{5,}|-{5,}")
_NOTHING: Final = frozenset({"header", "wrote", "notice"})

_SIGNATURE_LINES: Final = 8
_TO_THE_END: Final = 1 << 40


def without_boilerplate(lines: Iterable[Quote]) -> Iterator[Quote]:
    """Returns the relevant lines. A quoted older message is left out to its end, a signature for eight lines."""
    turn: int | None = None
    left_out = 0
    for line in lines:
        text = line.text[:_BOUNDED].rstrip()
        if line.turn != turn:
            turn, left_out = line.turn, 0
        parts = read_cues(_CUES).names_in(text)
        if "older" in parts:
            left_out = _TO_THE_END
        if left_out:
            left_out -= 1
        elif _SIGNATURE.fullmatch(text) or "sign_off" in parts:
            left_out = _SIGNATURE_LINES if line.speaker is None or line.turn is not None else 0
        elif "subject" in parts:
            yield from _after_subject(line)
        elif not (_QUOTED.match(text) or parts & _NOTHING):
            yield line


def _after_subject(line: Quote) -> Iterator[Quote]:
    """Yields the rest of a line after the sentence that is its subject: "Re: your survey. The lid sticks."."""
    for start, _ in islice(find_sentences(line.text), 1, 2):
        yield structs.replace(line, text=line.text[start:], start=line.start + start)


def is_small_talk(sentence: str) -> bool:
    return "small_talk" in read_cues(_CUES).names_in(sentence[:_BOUNDED])
