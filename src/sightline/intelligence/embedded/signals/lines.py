"""The lines of a text with their places and speakers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.evidence import SignalMaterial

_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]+")

_CLOCK: Final = r"[\[(]?(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?: ?[AaPp][Mm])?[\])]?"
_PERSON: Final = r"[^\W\d_][\w.'\u2019&-]{0,30}(?: [\w.'\u2019&-]{1,30}){0,3}(?: \([^\W\d_][^()\r\n]{0,30}\))?"
_NAME: Final = f"(?P<name>{_PERSON})"
_BOUNDED: Final = 200  # a label is at the start of a line

# "Bo Lee: ...", "[00:12] Bo Lee: ...", "Bo Lee (00:12:03): ...", "Bo Lee [10:02 AM]: ..."
_LABELLED = re.compile(rf"\s*(?:{_CLOCK}\s*[-\u2013]?\s*)?{_NAME}\s*(?:{_CLOCK}\s*)?[:\uff1a]\s+(?=\S)")
# "Bo Lee  00:12:03" or "00:12 Bo Lee" alone on a line: what follows is said by that speaker.
_ALONE = re.compile(rf"\s*(?:{_CLOCK}\s*[-\u2013|]?\s*{_NAME}|(?P<other>{_PERSON})\s*[-\u2013|]?\s*{_CLOCK})\s*")
_VOICE = re.compile(r"\s*<v(?:\.[\w.]+)? (?P<name>[^<>]{1,60})>")
_CUE = re.compile(rf"\s*(?:WEBVTT\b.*|\d{{1,6}}|{_CLOCK}\s*-->.*|{_CLOCK})\s*")

_NOT_NAMES: Final = words_in("no_speakers")


class Line(NamedTuple):
    """The words of one speaker in a line. Positions are in the turn, or in the whole text."""

    start: int
    end: int
    speaker: str | None
    turn: int | None


def source_of(material: SignalMaterial, turn: int | None) -> str:
    return material.text if turn is None else material.turns[turn].text


def read_lines(material: SignalMaterial) -> list[Line]:
    """Returns the lines with content, in order, without labels of speakers and times."""
    if material.turns:
        return [
            Line(found.start(), found.end(), turn.speaker, number)
            for number, turn in enumerate(material.turns)
            for found in _LINE.finditer(turn.text)
            if not found[0].isspace()
        ]
    lines = [(found.start(), found.end()) for found in _LINE.finditer(material.text) if not found[0].isspace()]
    speakers = _speakers(material, lines)
    if not speakers:
        return [Line(start, end, None, None) for start, end in lines]
    return list(_spoken(material.text, lines, speakers))


def _speakers(material: SignalMaterial, lines: Sequence[tuple[int, int]]) -> frozenset[str]:
    """Returns the speakers named at the start of lines; none if the text is not a conversation.

    Two names with three lines between them are one, or a name that speaks twice in what is known to be one.
    """
    counted: Counter[str] = Counter()
    for start, end in lines:
        if name := _label(material.text, start, end)[0]:
            counted[name] += 1
    said = counted.total()
    if len(counted) >= 2 and said >= 3 and 4 * said >= len(lines):
        return frozenset(counted)
    return frozenset(counted) if material.read_as == "conversation" and said >= 2 else frozenset()


def _label(text: str, start: int, end: int) -> tuple[str | None, int]:
    """Returns the speaker that a line names, and the start of the words after the name."""
    head = text[start : min(end, start + _BOUNDED)]
    for pattern in (_VOICE, _LABELLED):
        if (found := pattern.match(head)) and (name := _as_name(found["name"])):
            return name, start + found.end()
    if found := _ALONE.fullmatch(head) if end - start <= _BOUNDED else None:
        return _as_name(found["name"] or found["other"]), end
    return None, start


def _as_name(text: str) -> str | None:
    name = " ".join(text.split())
    words = name.lower().split()
    return None if _NOT_NAMES.intersection(words) or len(name) > 60 else name


def _spoken(text: str, lines: Sequence[tuple[int, int]], speakers: frozenset[str]) -> Iterator[Line]:
    speaker: str | None = None
    for start, end in lines:
        if end - start <= _BOUNDED and _CUE.fullmatch(text, start, end):
            continue
        name, begin = _label(text, start, end)
        if name in speakers:
            speaker = name
        else:
            begin = start
        end = begin + len(text[begin:end].removesuffix("</v>"))
        if text[begin:end].strip():
            yield Line(begin, end, speaker, None)
