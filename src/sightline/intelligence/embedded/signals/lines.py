"""The lines of a text with their places and speakers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.evidence import Quote, SignalMaterial

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


def read_lines(material: SignalMaterial) -> list[Quote]:
    """Returns the lines with content, in order, without labels of speakers and times."""
    lines = [
        Quote(found[0], found.start(), found.end(), number, turn.speaker)
        for number, turn in material.parts
        for found in _LINE.finditer(turn.text)
        if not found[0].isspace()
    ]
    speakers = frozenset() if material.turns else _speakers(material, lines)
    return list(_spoken(lines, speakers)) if speakers else lines


def _speakers(material: SignalMaterial, lines: Sequence[Quote]) -> frozenset[str]:
    """Returns the speakers named at the start of lines; none if the text is not a conversation.

    Two names with three lines between them are one, or a name that speaks twice in what is known to be one.
    """
    counted = Counter(name for line in lines if (name := _label(line.text)[0]))
    said = counted.total()
    if len(counted) >= 2 and said >= 3 and 4 * said >= len(lines):
        return frozenset(counted)
    return frozenset(counted) if material.read_as == "conversation" and said >= 2 else frozenset()


def _label(line: str) -> tuple[str | None, int]:
    """Returns the speaker that a line names, and where the words after the name begin."""
    head = line[:_BOUNDED]
    for pattern in (_VOICE, _LABELLED):
        if (found := pattern.match(head)) and (name := _as_name(found["name"])):
            return name, found.end()
    if found := _ALONE.fullmatch(line) if len(line) <= _BOUNDED else None:
        return _as_name(found["name"] or found["other"]), len(line)
    return None, 0


def _as_name(text: str) -> str | None:
    name = " ".join(text.split())
    return None if _NOT_NAMES.intersection(name.lower().split()) or len(name) > 60 else name


def _spoken(lines: Sequence[Quote], speakers: frozenset[str]) -> Iterator[Quote]:
    speaker: str | None = None
    for line in lines:
        if len(line.text) <= _BOUNDED and _CUE.fullmatch(line.text):
            continue
        name, begin = _label(line.text)
        if name in speakers:
            speaker = name
        else:
            begin = 0
        text = line.text[begin:].removesuffix("</v>")
        if text.strip():
            yield Quote(text, line.start + begin, line.start + begin + len(text), None, speaker)
