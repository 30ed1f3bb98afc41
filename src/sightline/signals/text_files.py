"""Signals from files: transcripts, mails and notes."""

from pathlib import PurePath

from sightline.platform.wire import Name, Word
from sightline.signals.create import described
from sightline.signals.formats import TextFormat, read_text
from sightline.signals.records import LONGEST_NAME, NewSignal

LARGEST = 4 * 1024 * 1024
SUFFIXES: dict[str, TextFormat] = {".vtt": "vtt", ".srt": "srt", ".txt": "plain", ".eml": "eml", ".md": "plain"}


def signal_of_file(name: str, data: bytes) -> NewSignal:
    """Returns the signal of a file. Raises ValueError and ValidationFailed with what is wrong."""
    path = PurePath(name)
    if len(data) > LARGEST:
        raise ValueError(f"Is larger than {LARGEST // 1024 // 1024} MiB")
    format = SUFFIXES.get(path.suffix.lower())
    if format is None:
        raise ValueError(f"Is none of {', '.join(SUFFIXES)}")
    signal = NewSignal(
        data={"file": path.name},
        source_label=Word("File"),
        signal_type="meeting_notes" if format == "plain" else None,
    )
    signal = described(signal, read_text(format, data), data)
    signal.name = signal.name or Name(path.stem[:LONGEST_NAME])
    return signal
