"""The pages of a WARC file, plain or compressed."""

import gzip
import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from io import BufferedReader
from time import thread_time
from typing import Any, Final

from sightline.sources.dates import read_hint
from sightline.sources.extraction import MOST_BYTES, extract
from sightline.sources.pages import NoText, Page, PageUnavailable, charset_of

MOST_PAGES: Final = 1_000
MOST_RECORDS: Final = 50_000
_ENCODINGS: Final = ("", "identity", "gzip", "deflate")  # these are undone
_BINARY: Final = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")  # control characters that no text has
LONGEST_READING: Final = 20.0  # seconds of processor time for one archive


class ArchiveBroken(PageUnavailable):
    """The rest of the archive cannot be read."""


class _OddPage(Exception):
    """A page that cannot be read although its record is whole."""


class _TimedFile:
    """A file that can be read for a while: a small one may unpack to more than anybody can read."""

    def __init__(self, opened: BufferedReader | gzip.GzipFile) -> None:
        self._opened = opened
        self._until = thread_time() + LONGEST_READING

    def read(self, size: int = -1) -> bytes:
        if thread_time() > self._until:
            raise ArchiveBroken("It takes too long to read.")
        return self._opened.read1(size)  # unlike `read` it returns what comes before damage


def read_archive(opened: BufferedReader, own_url: str, retrieved_at: datetime) -> Iterator[Page]:
    """The HTML pages that were fetched with success, at most 1,000; others of its records are left out.

    Raises ArchiveBroken or OSError, after the pages before it, when the file is damaged, holds more, takes too long or
    cannot be read, and PageUnavailable, after the other pages, when some cannot be read.
    """
    from warcio.archiveiterator import ArchiveIterator

    unpacked = gzip.GzipFile(fileobj=opened) if opened.peek(2).startswith(b"\x1f\x8b") else opened
    if not _is_archive(unpacked):
        raise ArchiveBroken("It is not a WARC file.")
    unpacked.seek(0)
    pages = odd = 0
    try:
        for number, record in enumerate(ArchiveIterator(_TimedFile(unpacked)), 1):
            if pages == MOST_PAGES or number > MOST_RECORDS:
                raise ArchiveBroken("It holds more than 1,000 pages: split it.")
            page = None
            try:
                page = _page(record, f"{own_url}#{number}", retrieved_at) if _is_page(record) else None
            except _OddPage:
                odd += 1
            _skip_rest(record)
            if page is not None:
                pages += 1
                yield page
    except ArchiveBroken:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # unlike a BadGzipFile
            raise
        raise ArchiveBroken("It is damaged.") from None
    if odd:
        raise PageUnavailable(f"{odd} of its pages cannot be read.")


def _is_archive(unpacked: BufferedReader | gzip.GzipFile) -> bool:
    try:
        return unpacked.read(5) == b"WARC/"
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return False


def _skip_rest(record: Any) -> None:
    """Raises ArchiveBroken when the file ends before the record does."""
    while record.raw_stream.read(65_536):
        pass
    if record.raw_stream.limit > 0:
        raise ArchiveBroken("It ends in the middle of a page.")


def _is_page(record: Any) -> bool:
    headers = record.http_headers
    kind = (headers.get_header("Content-Type") or "").lower() if headers else ""
    is_html = kind.startswith(("text/html", "application/xhtml"))
    return record.rec_type == "response" and is_html and headers.get_statuscode() == "200"


def _page(record: Any, own_url: str, retrieved_at: datetime) -> Page | None:
    """Returns None for a page without a text. Raises _OddPage."""
    content = record.content_stream().read(MOST_BYTES + 1)
    encoding = record.http_headers.get_header("Content-Encoding") or ""
    # Another encoding is not undone. Some archives name it although they keep the page unpacked.
    if encoding.lower() not in _ENCODINGS and _BINARY.search(content[:1_024]):
        raise _OddPage
    fetched = read_hint("warc", record.rec_headers.get_header("WARC-Date"))
    place = record.rec_headers.get_header("WARC-Target-URI")
    charset = charset_of(record.http_headers.get_header("Content-Type") or "")
    try:
        return extract(content, place, fetched.moment if fetched else retrieved_at, charset, own_url=own_url)
    except NoText:
        return None
    except Exception:
        raise _OddPage from None
