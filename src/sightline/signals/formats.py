"""Calls and mails as signals: WebVTT and SubRip become transcripts, a mail a text with its customers' addresses."""

import re
from contextlib import suppress
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from html import unescape
from typing import Any, Literal, NamedTuple, get_args

from sightline.platform.markup import without_html
from sightline.platform.wire import Moment

TextFormat = Literal["plain", "vtt", "srt", "eml"]
FORMATS = get_args(TextFormat)
_LONGEST_NAME = 255
_LONGEST_TEXT = 1_000_000
_MOST_TURNS = 20_000
_MOST_ADDRESSES = 50
_TIMES = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3}) +--> +(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})")
_VOICE = re.compile(r"<v(?:\.[\w.]+)? ([^>\n]+)>")
_TAG = re.compile(r"</?[a-z][^>\n]*>|<[\d:.]+>", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][^:\n]{0,59}): +(?=\S)")
_UNENCODED = ("7bit", "8bit", "binary")
_BLANK = re.compile(r"\n[ \t]*\n")


class Conversation(NamedTuple):
    """What a text of some format says. `turns`: speaker, text and seconds from the start, of a transcript.

    `addresses`: of the sender and the recipients of a mail.
    """

    text: str | None = None
    turns: tuple[dict[str, Any], ...] = ()
    duration_seconds: float | None = None
    name: str | None = None
    created_at: datetime | None = None
    addresses: tuple[str, ...] = ()


def read_text(format: TextFormat, text: str | bytes) -> Conversation:
    """Reads a text of this format. Raises ValueError with what is wrong."""
    if format == "eml":
        found = _read_mail(text)
    elif format == "plain":
        found = Conversation(_decoded(text))
    else:
        found = _read_transcript(_decoded(text))
    if not found.turns and not (found.text or "").strip():
        raise ValueError("Has no text")
    if len(found.text or "") > _LONGEST_TEXT or len(found.turns) > _MOST_TURNS:
        raise ValueError(f"Has more than {_LONGEST_TEXT:,} characters or {_MOST_TURNS:,} turns")
    return found


def _decoded(text: str | bytes) -> str:
    for encoding in ("utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        with suppress(UnicodeError):
            plain = text if isinstance(text, str) else text.decode(encoding)
            return plain.replace("\r\n", "\n").replace("\r", "\n")
    raise ValueError("Is neither UTF-8 nor Windows-1252")


def _read_transcript(text: str) -> Conversation:
    """Reads WebVTT or SubRip: a turn for each stretch of one speaker, with its start."""
    turns: list[dict[str, Any]] = []
    end = 0.0
    for block in _BLANK.split(text):
        if (found := _TIMES.search(block)) is None:
            continue
        end = max(end, _seconds(found.group(5, 6, 7, 8)))
        said = block[found.end() :].partition("\n")[2]
        parts = _VOICE.split(said)  # words before the first voice, then each voice and its words
        for voice, words in zip([None, *parts[1::2]], parts[::2], strict=True):
            plain = unescape(" ".join(_TAG.sub("", words).split()))
            named = None if voice else _SPEAKER.match(plain)
            name = voice or (named[1] if named else None)
            speaker = unescape(name).strip()[:_LONGEST_NAME] if name else None
            plain = plain[named.end() :] if named else plain
            if plain and turns and turns[-1]["speaker"] == speaker:
                turns[-1]["text"] += " " + plain
            elif plain:
                start = _seconds(found.group(1, 2, 3, 4))
                turns.append({"speaker": speaker, "text": plain, "start_seconds": start})
    if not turns:
        raise ValueError("Has no times with words: is it WebVTT or SubRip?")
    return Conversation(turns=tuple(turns), duration_seconds=end)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _read_mail(mail: str | bytes) -> Conversation:
    data = mail.encode() if isinstance(mail, str) else mail
    message = BytesParser(EmailMessage, policy=policy.default).parsebytes(data)
    part = message.get_body(("plain", "html"))
    try:
        if part is not None and isinstance(mail, str) and part.get("content-transfer-encoding", "8bit") in _UNENCODED:
            part.set_param("charset", "utf-8")  # whatever it was before it became a text
        text = part.get_content() if part is not None else ""
    except (LookupError, KeyError) as error:
        raise ValueError(f"Has a text that cannot be read: {error}") from None
    text = without_html(text) if part is not None and part.get_content_subtype() == "html" else text.strip()
    headers = [str(value) for name in ("from", "to", "cc") for value in message.get_all(name, [])]
    addresses = dict.fromkeys(address.lower() for _, address in getaddresses(headers) if "@" in address)
    subject = " ".join(str(message.get("subject") or "").split())[:_LONGEST_NAME]
    date = None
    with suppress(TypeError, ValueError):
        date = Moment.read(parsedate_to_datetime(str(message["date"])).isoformat())
    return Conversation(text, name=subject or None, created_at=date, addresses=tuple(addresses)[:_MOST_ADDRESSES])
