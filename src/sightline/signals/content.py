"""The content of a signal: the stored form, the summary, and the text that an engine reads."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sightline.intelligence.evidence import ReadAs, SignalMaterial, Turn
from sightline.platform.errors import ValidationFailed
from sightline.signals.records import LONGEST_TEXT, NewTranscript, Participant

Raw = dict[str, Any]

# The fields in which other systems store a text, best first.
_TEXTS = ("text", "body", "content", "comment", "description", "message", "transcript")


def raw_of(
    before: Raw | None,
    *,
    text: str | None = None,
    transcript: NewTranscript | None = None,
    raw_data: Raw | None = None,
    participants: Iterable[Participant] | None = None,
) -> Raw:
    """Returns the content to store; a new text replaces a transcript, and a new transcript a text.

    Raises ValidationFailed for both at once, and for a transcript that is too long in all.
    """
    if text is not None and transcript is not None:
        raise ValidationFailed.of("transcript", "Send text or a transcript, not both")
    raw = dict(before or {}) if raw_data is None else dict(raw_data)
    if raw_data is not None and before:
        kept = ("text", "transcript", "participants")
        raw = {name: before[name] for name in kept if name in before and name not in raw} | raw
    if text is not None:
        raw.pop("transcript", None)
        raw["text"] = text
    if transcript is not None:
        if sum(len(turn.text) for turn in transcript.turns) > LONGEST_TEXT:
            raise ValidationFailed.of("transcript.turns", f"At most {LONGEST_TEXT} characters in all")
        raw.pop("text", None)
        raw["transcript"] = {"turns": [_stored(turn) for turn in transcript.turns]}
    if participants is not None:
        raw["participants"] = [_stored(participant) for participant in participants]
    return raw


def _stored(part: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(part).items() if value is not None}


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
    return not _turns_of(raw) and not any(isinstance(raw.get(name), str) for name in _TEXTS)


def has_content(raw: Raw, data: Raw) -> bool:
    """Whether the content has anything besides participants."""
    return bool(raw.keys() - {"participants"} or data)


def material_of(processor_type: ReadAs, raw: Raw, data: Raw) -> SignalMaterial:
    """Returns the content for an engine: the turns, or the text, under any of its names."""
    own = frozenset(
        each["name"]
        for each in raw.get("participants") or ()
        if isinstance(each, dict) and each.get("side") == "ours" and isinstance(each.get("name"), str)
    )
    if turns := _turns_of(raw):
        return SignalMaterial(processor_type, turns=tuple(map(_as_turn, turns)), own_names=own)
    texts = (held[name] for held in (raw, data) for name in _TEXTS if isinstance(held.get(name), str))
    return SignalMaterial(processor_type, next((text for text in texts if text.strip()), ""), own_names=own)


def _as_turn(turn: Mapping[str, Any]) -> Turn:
    speaker, text = turn.get("speaker"), turn.get("text")
    return Turn(speaker if isinstance(speaker, str) else None, text if isinstance(text, str) else "")
