"""`rawData`: the content of a signal as it is stored, and everything of its source as it is shown."""

from collections.abc import Iterable
from typing import Any

import msgspec

from sightline.platform.db import Row
from sightline.platform.errors import ValidationFailed
from sightline.signals.queries import as_signal, decoded
from sightline.signals.records import LONGEST_TEXT, NewTranscript, Participant, Signal

Raw = dict[str, Any]


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


def has_content(raw: Raw, data: Raw) -> bool:
    """Whether the content has anything besides participants."""
    return bool(raw.keys() - {"participants"} or data)


_Parts = dict[str, msgspec.Raw]
_PARTS = msgspec.json.Decoder(_Parts)


def with_raw_data(row: Row) -> Signal:
    """Returns a signal with everything stored of its source in one object, joined without parsing."""
    signal = as_signal(row)
    own: _Parts = {} if row["raw"] is None else _PARTS.decode(row["raw"])
    parts: dict[str, Any] = _PARTS.decode(row["data"]) | own
    if row["import_"] is not None:
        parts["import"] = row["import_"]
    transcript, summary = own.get("transcript"), decoded(row["transcript"])
    if transcript is not None and summary is not None and summary["durationSeconds"] is not None:
        with_duration = _with_duration(transcript, summary["durationSeconds"])
        parts["transcript"] = with_duration
    signal.raw_data = parts
    return signal


def _with_duration(transcript: msgspec.Raw, seconds: float) -> Any:
    try:
        return {"durationSeconds": seconds} | _PARTS.decode(transcript)
    except msgspec.ValidationError:  # under this name clients may have sent any value
        return transcript
