"""What an engine reads of a signal, and the summary of its transcript."""

import re
from collections.abc import Callable, Mapping
from itertools import dropwhile
from typing import Any

from sightline.intelligence.embedded.signals.boilerplate import is_small_talk
from sightline.intelligence.evidence import ReadAs, SignalMaterial, Turn
from sightline.signals.raw_data import Raw
from sightline.signals.records import LONGEST_NAME, NewTranscript

# The fields in which other systems store a text, best first.
TEXT_NAMES = ("text", "body", "content", "comment", "description", "message", "transcript")


def summary_of(raw: Raw, transcript: NewTranscript | None, before: Any = None) -> dict[str, Any] | None:
    """Returns the summary of a transcript, or None for a text."""
    turns = _turns_of(raw)
    if turns is None:
        return None
    duration = (before or {}).get("durationSeconds") if transcript is None else transcript.duration_seconds
    return summarise({"turns": turns, "durationSeconds": duration})


def summarise(transcript: dict[str, Any]) -> dict[str, Any]:
    """Returns the summary of a transcript: `{turnCount, speakers, durationSeconds}`."""
    turns = transcript.get("turns") or []
    speakers = [turn["speaker"] for turn in turns if isinstance(turn.get("speaker"), str)]
    return {
        "turnCount": len(turns) if "turns" in transcript else transcript.get("turnCount", 0),
        "speakers": list(dict.fromkeys(speakers)) or transcript.get("speakers") or [],
        "durationSeconds": transcript.get("durationSeconds"),
    }


def _turns_of(raw: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    transcript = raw.get("transcript")
    turns = transcript.get("turns") if isinstance(transcript, dict) else None
    return turns if isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns) else None


_HEADERS = re.compile(r"\s*(?:[A-Za-z][A-Za-z-]{1,20}:[^\r\n]{0,500}(?:\r?\n|$))+\s*(?=\S)")
_SUBJECT = re.compile(r"^(?:subject|betreff):[ \t]*(\S[^\r\n]{0,254})", re.IGNORECASE | re.MULTILINE)
_HEAD = 4_000


def name_of(content: SignalMaterial, name_text: Callable[[str], str]) -> str | None:
    """Returns the name of a signal that has none: of a text its subject or its request, of a call who speaks."""
    if text := content.text.strip():
        return subject_of(text) or name_text(_without_small_talk(without_headers(text)))
    speakers = [turn.speaker for turn in content.turns if turn.speaker]
    name = f"Conversation with {', '.join(dict.fromkeys(speakers))}" if speakers else ""
    return f"{name[: LONGEST_NAME - 1]}\u2026" if len(name) > LONGEST_NAME else name or None


def _without_small_talk(text: str) -> str:
    """Returns a text from its first line that is more than a greeting, or the whole text if there is none.

    Looks at the first 4,000 characters.
    """
    lines = text[:_HEAD].splitlines(keepends=True)
    return "".join(dropwhile(lambda line: not line.strip() or is_small_talk(line), lines)) + text[_HEAD:] or text


def without_headers(text: str) -> str:
    """Returns a message without its header lines; other texts stay the same."""
    headers = _headers_of(text)
    return text[headers.end() :] if headers else text


def subject_of(text: str) -> str | None:
    """Returns the subject in the header of a message."""
    headers = _headers_of(text)
    subject = _SUBJECT.search(headers[0].lstrip()) if headers else None
    return subject[1].strip() if subject else None


def _headers_of(text: str) -> re.Match[str] | None:
    found = _HEADERS.match(text[:_HEAD])
    return (
        found if found and re.match(r"\s*(?:from|to|subject|date|von|an|betreff)\b", found[0], re.IGNORECASE) else None
    )


def reads_data(raw: Raw) -> bool:
    """Whether an engine reads the signal's `data`, because it has neither a transcript nor a text."""
    return not _turns_of(raw) and not any(isinstance(raw.get(name), str) for name in TEXT_NAMES)


def material_of(processor_type: ReadAs, raw: Raw, data: Raw) -> SignalMaterial:
    """Returns the content for an engine: the turns, or the text, under any of its names."""
    participants = raw.get("participants")
    own = frozenset(
        each["name"]
        for each in (participants if isinstance(participants, list) else ())
        if isinstance(each, dict) and each.get("side") == "ours" and isinstance(each.get("name"), str)
    )
    if turns := _turns_of(raw):
        return SignalMaterial(processor_type, turns=tuple(map(_as_turn, turns)), own_names=own)
    texts = (held[name] for held in (raw, data) for name in TEXT_NAMES if isinstance(held.get(name), str))
    return SignalMaterial(processor_type, next((text for text in texts if text.strip()), ""), own_names=own)


def _as_turn(turn: Mapping[str, Any]) -> Turn:
    speaker, text = turn.get("speaker"), turn.get("text")
    return Turn(speaker if isinstance(speaker, str) else None, text if isinstance(text, str) else "")
