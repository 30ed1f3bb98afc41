"""The files of the library: which there are, and the pages of one."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from sightline.sources.library.archives import ArchiveBroken, read_archive
from sightline.sources.library.feeds import read_feed
from sightline.sources.library.texts import read_html, read_mhtml, read_text
from sightline.sources.pages import Page, PageUnavailable

MOST_FILES: Final = 20_000
DEEPEST_FOLDER: Final = 20
_MOST_BYTES: Final = {".html": 2_000_000, ".htm": 2_000_000, ".md": 2_000_000, ".txt": 2_000_000,
    ".xml": 10_000_000, ".rss": 10_000_000, ".atom": 10_000_000, ".mhtml": 30_000_000, ".mht": 30_000_000,
    ".warc": 1_000_000_000, ".warc.gz": 1_000_000_000}  # fmt: skip
_FEEDS: Final = (".xml", ".rss", ".atom")


class LibraryFile(NamedTuple):
    """A file, and what changes when its content does."""

    path: Path
    size: int
    changed: int  # nanoseconds


class ReadFile(NamedTuple):
    """The pages of a file, and what could not be read of it."""

    pages: list[Page]
    warning: str | None


def list_files(folder: Path) -> list[LibraryFile]:
    """The files that may hold pages, by path, at most 20,000. Leaves out hidden ones and folders behind links.

    Raises OSError when the folder is there but cannot be read.
    """
    found = sorted(_walk(folder, DEEPEST_FOLDER)) if folder.exists() else []
    return found[:MOST_FILES]


def _walk(folder: Path, depth: int) -> Iterator[LibraryFile]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth:
                    yield from _walk(Path(entry.path), depth - 1)
            elif _suffix(entry.name) in _MOST_BYTES and (file := _look_at(Path(entry.path))):
                yield file


def _look_at(path: Path) -> LibraryFile | None:
    """None if it is no file, or is just being removed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return LibraryFile(path, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _suffix(name: str) -> str:
    lower = name.lower()
    return ".warc.gz" if lower.endswith(".warc.gz") else os.path.splitext(lower)[1]


def read_library_file(file: LibraryFile, folder: Path) -> ReadFile:
    """Whatever the file holds, it gives pages, a warning, or both; it never raises."""
    name = file.path.relative_to(folder).as_posix()
    pages: list[Page] = []
    try:
        if file.size > _MOST_BYTES[_suffix(name)]:
            raise PageUnavailable("It is too large.")
        for page in _pages(file, f"library:{quote(name)}"):
            pages.append(page)
    except (PageUnavailable, ArchiveBroken) as error:
        return ReadFile(pages, f"{name}: {error}")
    except OSError as error:
        return ReadFile(pages, f"{name}: It cannot be read ({error.strerror}).")
    except Exception as error:
        return ReadFile(pages, f"{name}: It cannot be read ({type(error).__name__}).")
    return ReadFile(pages, None)


def _pages(file: LibraryFile, own_url: str) -> Iterator[Page]:
    """The address of a page without one of its own is the name of its file."""
    saved_at = datetime.fromtimestamp(file.changed // 10**9, UTC)
    suffix = _suffix(file.path.name)
    if suffix in (".warc", ".warc.gz"):
        yield from read_archive(file.path, own_url, saved_at)
        return
    content = file.path.read_bytes()
    if suffix in _FEEDS:
        yield from read_feed(content, own_url, saved_at)
    elif suffix in (".mhtml", ".mht"):
        yield read_mhtml(content, own_url, saved_at)
    elif suffix in (".html", ".htm"):
        yield read_html(content, own_url, saved_at)
    else:
        yield read_text(content, own_url, saved_at)
