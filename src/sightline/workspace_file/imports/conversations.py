"""Transcripts, mails and notes as signals: one file is one signal."""

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import PurePath
from typing import Any

from sightline.platform.db import Database
from sightline.workspace_file import queries
from sightline.workspace_file.imports.texts import without_html
from sightline.workspace_file.sections import all_tables
from sightline.workspaces.tenants import find_workspace

SUFFIXES = (".vtt", ".srt", ".txt", ".eml", ".md")
SOURCE_KEY = "file"
_LONGEST_NAME = 255
_MOST_ADDRESSES = 50
_TIMES = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3}) +--> +(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})")
_VOICE = re.compile(r"<v(?:\.[\w.]+)? ([^>\n]+)>")
_TAG = re.compile(r"</?[a-z][^>\n]*>|<[\d:.]+>", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][^:\n]{0,59}): +(?=\S)")
_BLANK = re.compile(r"\n[ \t]*\n")


def read_signal(name: str, data: bytes) -> dict[str, Any]:
    """Returns the record of a signal that waits for processing. Its identity is its content.

    Raises ValueError with what is wrong.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"is none of {', '.join(SUFFIXES)}")
    signal = {
        "externalId": hashlib.sha256(data).hexdigest()[:32],
        "sourceKey": SOURCE_KEY,
        "name": PurePath(name).stem[:_LONGEST_NAME],
        "status": "pending",
        "data": {"file": PurePath(name).name},
    }
    if suffix == ".eml":
        return signal | _read_mail(data)
    text = _decoded(data)
    if suffix in (".vtt", ".srt"):
        return signal | _read_transcript(text)
    if not text.strip():
        raise ValueError("has no text")
    return signal | {"rawData": {"text": text}, "processorType": "document", "signalType": "meeting_notes"}


async def find_known(db: Database, slug: str, external_ids: Sequence[str]) -> set[str]:
    """Returns the identities of files that were added before. Raises NotFound for an unknown workspace."""
    sets: dict[tuple[str, ...], list[tuple[str, str]]] = {
        ("source_key", "external_id"): [(SOURCE_KEY, external_id) for external_id in external_ids]
    }
    async with db.autocommit() as tx:
        workspace = await find_workspace(tx, slug)
        rows = await queries.find_rows(tx, all_tables()["signals"], workspace.id, sets)
    return {row["external_id"] for row in rows}


def _decoded(data: bytes) -> str:
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeError:
            continue
    raise ValueError("is neither UTF-8 nor Windows-1252")


def _read_transcript(text: str) -> dict[str, Any]:
    """Reads WebVTT or SubRip: a turn for each stretch of one speaker, with its start."""
    turns: list[dict[str, Any]] = []
    end = 0.0
    for block in _BLANK.split(text):
        if (found := _TIMES.search(block)) is None:
            continue
        end = max(end, _seconds(found.group(5, 6, 7, 8)))
        said = block[found.end() :].partition("\n")[2]
        voice = _VOICE.search(said)
        plain = " ".join(_TAG.sub("", said).split())
        named = None if voice else _SPEAKER.match(plain)
        speaker = voice[1].strip() if voice else named[1].strip() if named else None
        plain = plain[named.end() :] if named else plain
        if not plain:
            continue
        if turns and turns[-1].get("speaker") == speaker:
            turns[-1]["text"] += " " + plain
        else:
            start = {"startSeconds": _seconds(found.group(1, 2, 3, 4))}
            turns.append(({"speaker": speaker[:_LONGEST_NAME]} if speaker else {}) | {"text": plain} | start)
    if not turns:
        raise ValueError("has no times with words: is it WebVTT or SubRip?")
    kind = {"signalType": "transcript", "processorType": "conversation", "evidenceKind": "conversation"}
    return kind | {"transcript": {"turns": turns, "durationSeconds": end}}


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _read_mail(data: bytes) -> dict[str, Any]:
    """Reads a mail; its customer is found by the addresses of sender and recipients."""
    message = BytesParser(EmailMessage, policy=policy.default).parsebytes(data)
    part = message.get_body(("plain", "html"))
    try:
        text = part.get_content() if part is not None else ""
    except (LookupError, KeyError) as error:
        raise ValueError(f"has a text that cannot be read: {error}") from None
    text = without_html(text) if part is not None and part.get_content_subtype() == "html" else text.strip()
    if not text:
        raise ValueError("has no text")
    headers = [str(value) for name in ("from", "to", "cc") for value in message.get_all(name, [])]
    addresses = dict.fromkeys(address.lower() for _, address in getaddresses(headers) if "@" in address)
    found: dict[str, Any] = {
        "rawData": {"text": text},
        "accounts": list(addresses)[:_MOST_ADDRESSES],
        "signalType": "support_ticket",
        "evidenceKind": "support",
        "context": "support",
    }
    if subject := " ".join(str(message.get("subject") or "").split()):
        found["name"] = subject[:_LONGEST_NAME]
    with suppress(TypeError, ValueError):
        found["createdAt"] = parsedate_to_datetime(str(message["date"])).isoformat()
    return found
