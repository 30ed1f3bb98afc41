"""Calls and mails as signals: WebVTT and SubRip become transcripts, a mail a text with its customers' addresses."""

import codecs
import re
from contextlib import suppress
from datetime import datetime
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy, Policy
from email.utils import getaddresses, parsedate_to_datetime
from functools import cache
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

from sightline.platform.beside import Beside
from sightline.platform.markup import unescape, without_html
from sightline.platform.wire import Moment

TextFormat = Literal["plain", "vtt", "srt", "eml"]
FORMATS = get_args(TextFormat)
_LONGEST_NAME = 255
_LONGEST_TEXT = 1_000_000
_MOST_TURNS = 20_000
_MOST_ADDRESSES = 50
_MOST_PARTS = 100  # of a mail
_MOST_NESTED = 20  # parts that hold parts
_MOST_COMPARED = 2_000_000  # lines with the ends of all parts around them, which takes 0.3 s
_LONGEST_HEADER = 1000  # that is read: the parser's time grows with the square
_LONGEST_PART_HEADER = 500  # a mail has up to 100 of each
_LONGEST_RECIPIENTS = 10_000
# Each ends where the next one begins, so that no text takes quadratic time.
_TIMES = re.compile(r"(?:(\d{1,4}):)?(\d\d):(\d\d)[.,](\d{3}) {1,9}--> {1,9}(?:(\d{1,4}):)?(\d\d):(\d\d)[.,](\d{3})")
_ARROW = "-->"
_BEFORE_ARROW, _AFTER_ARROW = 23, 26  # characters of the longest times
_LINES_BEFORE_WORDS = 4  # of a cue: its name and its times, and of a damaged file what stands before them
_VOICE = re.compile(r"<v(?:\.[\w.]+)? ([^<>\n]+)>")
_TAG = re.compile(r"</?[a-z][^<>\n]*>|<[\d:.]+>", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][^:\n]{0,59}): +(?=\S)")
_SLOW_CODECS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape")  # whose time grows with the square
_UNENCODED = ("7bit", "8bit", "binary")
_BLANK = re.compile(r"\n[ \t]*\n")

_TEXTS = Beside("signal-text")


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


async def read_beside(format: TextFormat, text: str) -> Conversation:
    """Reads as `read_text`, in a thread of its own: a mail of 1,000 characters can take 0.1 s."""
    return await _TEXTS.run(read_text, format, text)


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
    if not _is_sound(found):
        raise ValueError("Has a NUL or half of a surrogate pair, which is no character")
    return found


def _is_sound(found: Conversation) -> bool:
    """Whether the database can store what was decoded."""
    said = (text for turn in found.turns for text in (turn["speaker"] or "", turn["text"]))
    try:
        return b"\0" not in "".join((found.name or "", found.text or "", *found.addresses, *said)).encode()
    except UnicodeEncodeError:
        return False


def _decoded(text: str | bytes) -> str:
    for encoding in ("utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        with suppress(UnicodeError):
            plain = text if isinstance(text, str) else text.decode(encoding)
            return plain.replace("\r\n", "\n").replace("\r", "\n")
    raise ValueError("Is neither UTF-8 nor Windows-1252")


def _read_transcript(text: str) -> Conversation:
    """Reads WebVTT or SubRip: a turn for each stretch of one speaker, with its start."""
    turns: list[dict[str, Any]] = []
    texts: list[list[str]] = []  # of each turn
    end = 0.0
    for block in _BLANK.split(text):
        if (found := _find_times(block)) is None:
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
                texts[-1].append(plain)
            elif plain:
                turns.append({"speaker": speaker, "start_seconds": _seconds(found.group(1, 2, 3, 4))})
                texts.append([plain])
    if not turns:
        raise ValueError("Has no times with words: is it WebVTT or SubRip?")
    spoken = tuple(turn | {"text": " ".join(text)} for turn, text in zip(turns, texts, strict=True))
    return Conversation(turns=spoken, duration_seconds=end)


def _find_times(block: str) -> re.Match[str] | None:
    """Looks near the first arrow of each of the first lines, where a cue has its times: no other text is searched."""
    start = 0
    for _ in range(_LINES_BEFORE_WORDS):
        end = block.find("\n", start) % (len(block) + 1)
        at = block.find(_ARROW, start, end)
        if at >= 0 and (found := _TIMES.search(block, max(start, at - _BEFORE_ARROW), min(end, at + _AFTER_ARROW))):
            return found
        start = end + 1
    return None


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


class _ParsedOnce(HeaderRegistry):
    """Parses each header of a mail once. The library asks six times for the type of a part."""

    def __init__(self) -> None:
        super().__init__()
        self._parsed = cache(super().__call__)

    def __call__(self, name: str, value: Any) -> Any:
        return self._parsed(name, value)


class _FirstOfHeaders(EmailPolicy):
    """Reads the first 2,000 characters of each header, 500 of those that parts have too."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        longest = _LONGEST_PART_HEADER if name.lower().startswith("content-") else _LONGEST_HEADER
        return super().header_fetch_parse(name, value[:longest])


def _read_mail(mail: str | bytes) -> Conversation:
    """Raises ValueError, also for a mail of more than 100 parts, or 20 that hold others."""
    try:
        return _conversation(_parse(mail.encode() if isinstance(mail, str) else mail), is_text=isinstance(mail, str))
    except (LookupError, KeyError) as error:
        raise ValueError(f"Has a text that cannot be read: {error}") from None
    except UnicodeError:
        raise ValueError("Has a text that cannot be read") from None
    except RecursionError:
        raise ValueError("Has a header that cannot be read: too much is nested") from None


def _parse(mail: bytes) -> EmailMessage:
    lowered = mail.lower()
    nested = lowered.count(b"multipart/") + lowered.count(b"message/")
    if nested > _MOST_NESTED:
        raise ValueError(f"Has more than {_MOST_NESTED} parts that hold parts")
    if nested * len(mail.splitlines()) > _MOST_COMPARED:
        raise ValueError("Has too many lines in parts that hold parts")
    parts = count()

    def make_part(policy: Policy) -> EmailMessage:
        if next(parts) > _MOST_PARTS:
            raise ValueError(f"Has more than {_MOST_PARTS} parts")
        return EmailMessage(policy)

    policy = _FirstOfHeaders(header_factory=_ParsedOnce())
    parser: Any = BytesParser(make_part, policy=policy)  # type: ignore[arg-type]  # it gives the policy
    parsed: EmailMessage = parser.parsebytes(mail)
    return parsed


def _conversation(message: EmailMessage, *, is_text: bool) -> Conversation:
    part = message.get_body(("plain", "html"))
    if part is not None and is_text and part.get("content-transfer-encoding", "8bit") in _UNENCODED:
        part.set_param("charset", "utf-8")  # whatever it was before it became a text
    if part is not None and not _is_charset(part.get_content_charset("ascii")):
        raise ValueError("Has a charset that no mail has")
    text = part.get_content() if part is not None else ""
    text = without_html(text) if part is not None and part.get_content_subtype() == "html" else text.strip()
    subject = " ".join(str(message.get("subject") or "").split())[:_LONGEST_NAME]
    date = None
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        date = Moment.read(parsedate_to_datetime(str(message["date"])).isoformat())
    return Conversation(text, name=subject or None, created_at=date, addresses=_addresses(message))


def _is_charset(name: str) -> bool:
    """Whether the codec encodes texts, and fast. Raises LookupError for an unknown one."""
    found = codecs.lookup(name.replace("\0", "?"))
    try:
        "a".encode(name)
    except (LookupError, UnicodeError):  # no encoding of texts
        return False
    return found.name not in _SLOW_CODECS


def _addresses(message: EmailMessage) -> tuple[str, ...]:
    """Returns the first 50 addresses of the sender and the recipients, in lower case."""
    sent = dict[str, list[str]]()
    for name, value in message.raw_items():
        sent.setdefault(name.lower(), []).append(value)
    headers = ", ".join(value for name in ("from", "to", "cc") for value in sent.get(name, ()))
    plain = headers[:_LONGEST_RECIPIENTS].encode(errors="surrogateescape").decode(errors="replace")
    found = dict.fromkeys(address.lower() for _, address in getaddresses([plain]) if "@" in address)
    return tuple(found)[:_MOST_ADDRESSES]
