"""Signals from files: transcripts, mails and notes."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.wire import Moment, Name, Word
from sightline.signals.create import FILE_SOURCE, create_signals, described
from sightline.signals.formats import TextFormat, read_text
from sightline.signals.queries import is_known
from sightline.signals.records import LONGEST_NAME, NewSignal

LARGEST = 4 * 1024 * 1024
SUFFIXES: dict[str, TextFormat] = {".vtt": "vtt", ".srt": "srt", ".txt": "plain", ".eml": "eml", ".md": "plain"}


def signal_of_file(name: str, data: bytes, stated: Mapping[str, Any]) -> NewSignal:
    """Returns the signal of a file, with `stated` fields in place of its own.

    Raises ValueError and ValidationFailed with what is wrong.
    """
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
        **stated,
    )
    signal = described(signal, read_text(format, data), data)
    signal.name = signal.name or Name(path.stem[:LONGEST_NAME])
    return signal


class AddedFiles(Struct):
    """How many files became signals, and how many were signals before. A faulty file ends the command."""

    lines: int
    added: int
    unchanged: int
    changed: int = 0
    faulty: int = 0


async def add_files(
    db: Database, engine: EmbeddedEngine, actor: Actor, signals: Sequence[NewSignal], stated: Mapping[str, Any]
) -> AddedFiles:
    """Adds signals of files. One that is stored already gets the `stated` fields, and keeps the others."""
    read = {str(signal.external_id): signal for signal in signals}
    async with db.autocommit() as tx:
        known = {id for id in read if await is_known(tx, actor.workspace_id, FILE_SOURCE, id)}
    sent = [replace(signal, **stated) for id, signal in read.items() if id not in known]
    again = known if stated else ()
    sent += [NewSignal(source_key=Word(FILE_SOURCE), external_id=Word(id), **stated) for id in again]
    stored = (await create_signals(db, engine, actor, sent)).signals if sent else []
    changed = sum(one.external_id in known and Moment.read(one.updated_at) >= tx.now for one in stored)
    added = len(read) - len(known)
    return AddedFiles(len(signals), added, len(signals) - added - changed, changed)
