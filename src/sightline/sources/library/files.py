"""The files of the library: which there are, and the pages of one."""

import os
import stat
from collections.abc import Iterator
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from sightline.sources.extraction import extract
from sightline.sources.library.archives import read_archive
from sightline.sources.library.feeds import read_feed
from sightline.sources.library.texts import read_mhtml, read_text
from sightline.sources.pages import Page, PageUnavailable

MOST_FILES: Final = 20_000
DEEPEST_FOLDER: Final = 20
_MOST_BYTES: Final = {".html": 2_000_000, ".htm": 2_000_000, ".md": 2_000_000, ".txt": 2_000_000,
    ".xml": 10_000_000, ".rss": 10_000_000, ".atom": 10_000_000, ".mhtml": 30_000_000, ".mht": 30_000_000,
    ".warc": 1_000_000_000, ".warc.gz": 1_000_000_000}  # fmt: skip
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW  # to enter, not to list
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_LATEST: Final = 2**63 - 1
_FEEDS: Final = (".xml", ".rss", ".atom")
_ARCHIVES: Final = (".warc", ".warc.gz")


class LibraryFile(NamedTuple):
    """A file, and what changes when its content, its rights or a link to it do. `name`: its path below the folder.

    Times are nanoseconds since 1970, of at most 64 bits as the index keeps them: from 1677 to 2262.
    """

    name: str
    size: int
    changed: int  # as the file says, which a copy may keep
    state: int  # another one when the file or a link to it is touched or replaced; 0 if it cannot be read


def list_files(folder: Path) -> list[LibraryFile]:
    """Returns the files that may hold pages, by name, at most 20,000, and the inner folders that are not read.

    Leaves out hidden ones, folders behind links, and names that are not UTF-8. Raises OSError when the folder itself is
    there but cannot be read.
    """
    return sorted(_walk(folder))[:MOST_FILES] if folder.exists() else []


def _walk(root: Path) -> Iterator[LibraryFile]:
    """A folder that is too deep or cannot be read is listed itself, so that it is named.

    One that is just being removed is not.
    """
    failures: list[OSError] = []
    for place, folders, names in os.walk(root, onerror=failures.append):
        below = Path(place).relative_to(root)
        if len(below.parts) > DEEPEST_FOLDER:
            yield LibraryFile(str(below), 0, 0, 0)
            folders.clear()
            continue
        folders[:] = filter(_is_seen, folders)
        for name in filter(_is_seen, names):
            if _suffix(name) in _MOST_BYTES and (file := _look_at(root, str(below / name))):
                yield file
    for error in failures:
        if Path(error.filename) == root:
            raise error
        if not isinstance(error, FileNotFoundError):
            yield LibraryFile(str(Path(error.filename).relative_to(root)), 0, 0, 0)


def _look_at(root: Path, name: str) -> LibraryFile | None:
    """None if it is no file, or is just being removed. One that cannot be read is listed, so that it is named."""
    try:
        found, itself = (root / name).stat(), (root / name).lstat()
    except FileNotFoundError:
        return None
    except OSError:
        return LibraryFile(name, 0, 0, 0)
    if not stat.S_ISREG(found.st_mode):
        return None
    if not os.access(root / name, os.R_OK):  # by this process, whose own rights change, too
        return LibraryFile(name, 0, 0, 0)
    changed = max(-_LATEST, min(found.st_mtime_ns, _LATEST))
    return LibraryFile(name, found.st_size, changed, hash((found.st_ino, found.st_ctime_ns, itself.st_ctime_ns)))


def _is_seen(name: str) -> bool:
    """Whether a name is not hidden, and UTF-8, as addresses and the index are."""
    try:
        return not name.encode().startswith(b".")
    except UnicodeEncodeError:
        return False


def is_archive(name: str) -> bool:
    """Whether the file may hold many pages, by its name."""
    return _suffix(name) in _ARCHIVES


def _suffix(name: str) -> str:
    lower = name.lower()
    return ".warc.gz" if lower.endswith(".warc.gz") else os.path.splitext(lower)[1]


def read_file(folder: Path, name: str, saved_at: datetime) -> Iterator[Page]:
    """The pages of a file. The address of a page without one of its own is the name of its file.

    Raises PageUnavailable or OSError, after the pages before it, when something cannot be read.
    """
    suffix, own_url = _suffix(name), f"library:{quote(name)}"
    with open_within(folder, name) as opened:
        if os.fstat(opened.fileno()).st_size > _MOST_BYTES[suffix]:
            raise PageUnavailable("It is too large.")
        if suffix in _ARCHIVES:
            yield from read_archive(opened, own_url, saved_at)
            return
        content = opened.read(_MOST_BYTES[suffix])
    if suffix in _FEEDS:
        yield from read_feed(content, own_url, saved_at)
    elif suffix in (".mhtml", ".mht"):
        yield read_mhtml(content, own_url, saved_at)
    elif suffix in (".html", ".htm"):
        yield extract(content, None, saved_at, own_url=own_url)
    else:
        yield read_text(content, own_url, saved_at)


def open_within(folder: Path, name: str) -> BufferedReader:
    """Opens a file below the folder. Raises PageUnavailable for a link that leaves it, and OSError.

    After the links are resolved none is followed, so that one that is put there meanwhile leads nowhere. Refusals are
    temporary, but for a file that is itself a link out of the library: files in folders behind links are not listed, so
    such a folder was replaced just now.
    """
    root = folder.resolve()
    try:
        parts = (root / name).resolve().relative_to(root).parts
    except ValueError:
        is_link = (root / name).is_symlink()
        raise PageUnavailable("It is a link that leaves the library.", temporary=not is_link) from None
    except RuntimeError:
        raise PageUnavailable("It is a link that leads to itself.", temporary=True) from None
    place = os.open(root, _FOLDER)
    for number, part in enumerate(parts, 1):
        try:
            inner = os.open(part, _FILE if number == len(parts) else _FOLDER, dir_fd=place)
        finally:
            os.close(place)
        place = inner
    mode = os.fstat(place).st_mode
    if not stat.S_ISREG(mode):
        os.close(place)
        reason = "It is a folder that cannot be read." if stat.S_ISDIR(mode) else "It is no file."
        raise PageUnavailable(reason, temporary=True)
    return os.fdopen(place, "rb")
