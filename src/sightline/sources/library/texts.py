"""Saved pages of one file each: MHTML, Markdown and plain text."""

from datetime import datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from typing import Final

from sightline.sources.addresses import canonical
from sightline.sources.dates import read_hint, settle
from sightline.sources.extraction import LONGEST_TITLE, MOST_CHARACTERS, decode, extract
from sightline.sources.languages import code_of, language_of
from sightline.sources.pages import NoText, Page, PageUnavailable

_MOST_FRONT_MATTER: Final = 40  # lines


def read_mhtml(content: bytes, own_url: str, retrieved_at: datetime) -> Page:
    """A page that a browser saved with everything around it. Raises PageUnavailable."""
    try:
        message = message_from_bytes(content, _class=EmailMessage, policy=policy.default)
        part = next((one for one in message.walk() if one.get_content_type() == "text/html"), None)
        body = part.get_payload(decode=True) if part is not None else None
        charset = part.get_content_charset() if part is not None else None
        place = (part or message).get("Content-Location") or message.get("Snapshot-Content-Location")
    except (MessageError, ValueError, LookupError, RecursionError):
        raise PageUnavailable("It is not a saved page.") from None
    if not isinstance(body, bytes):
        raise PageUnavailable("It holds no page.")
    return extract(body, str(place) if place else None, retrieved_at, charset, own_url=own_url)


def read_text(content: bytes, own_url: str, retrieved_at: datetime) -> Page:
    """Plain text or Markdown, with or without lines of `url`, `title`, `publisher`, `date` and `language` before it.

    Raises PageUnavailable.
    """
    matter, text = _front_matter(decode(content).replace("\r\n", "\n"))
    text = text[:MOST_CHARACTERS].strip()
    if not text:
        raise NoText
    url = canonical(matter.get("url", "")) or own_url
    return Page(
        url=url,
        title=(matter.get("title") or text.split("\n", 1)[0].lstrip("# "))[:LONGEST_TITLE].strip() or url,
        text=text,
        retrieved_at=retrieved_at,
        publisher=matter.get("publisher", "")[:LONGEST_TITLE].strip() or None,
        published=settle([read_hint("front matter", matter.get("date") or matter.get("published"))], [], retrieved_at),
        language=code_of(matter.get("language")) or language_of(text),
    )


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields between two lines of three dashes at the beginning, and the rest."""
    if not text.startswith("---\n"):
        return {}, text
    lines = text.split("\n", _MOST_FRONT_MATTER + 1)
    if "---" not in lines[1:-1]:
        return {}, text
    end = lines.index("---", 1)
    fields = (line.partition(":") for line in lines[1:end])
    return {name.strip().lower(): value.strip().strip("\"'") for name, _, value in fields}, "\n".join(lines[end + 1 :])
