"""The index of the library: pages by word, in a SQLite file that all workers of a machine share.

One process at a time writes, and continues where the one before stopped; readers see whole files. An index of another
version is made again from the files.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import starmap
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any, Final

import msgspec

from sightline.sources.addresses import domain_of, host_of, identity
from sightline.sources.library.files import LibraryFile, list_files
from sightline.sources.library.reading import ReadFile, file_reader
from sightline.sources.pages import Page
from sightline.sources.search import SearchHit, SearchQuery

VERSION: Final = 10  # goes up when files are read otherwise
MOST_WORDS: Final = 32  # of a query
MOST_SKIPPED: Final = 5  # files named in warnings
TURN: Final = 2.0  # seconds that one process writes before another one may
RETRY_PAUSE: Final = 60.0  # seconds before a file is tried a third time, and each time after it
_WAIT: Final = 30.0  # seconds for the turn of others
_BEGIN: Final = "BEGIN IMMEDIATE"  # waits until no other process writes; `with` commits or rolls back

_SCHEMA: Final = """
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, state INTEGER, warning TEXT, retry_at REAL
);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, file TEXT, identity TEXT, host TEXT, language TEXT, first_day TEXT, title TEXT, text TEXT,
    page BLOB
);
CREATE INDEX pages_file ON pages (file);
CREATE INDEX pages_identity ON pages (identity);
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'pages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
"""


class Index:
    """Opened for each use, so that any thread may use it. Raises sqlite3.Error and OSError."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = folder
        self._file = file

    def update(self, seconds: float) -> list[str]:
        """Reads new and changed files for so long, and returns what there is to say about what is not read."""
        started, deadline = time(), monotonic() + seconds
        with self._open() as db, file_reader(self._folder) as read_file:
            while True:
                files, missing = self._take_turn(db, read_file, started, deadline)
                if not missing or monotonic() >= deadline:
                    return _warnings(db, files, missing)

    def search(self, query: SearchQuery) -> list[SearchHit]:
        """The pages that have words of the query and pass its filters, best first."""
        words = _expression(query.text)
        if not words:
            return []
        conditions, values = _conditions(query)
        statement = f"""
            SELECT page FROM pages JOIN (
                SELECT words.rowid AS id, bm25(words, 5.0, 1.0) AS score, identity
                  FROM words JOIN pages ON pages.id = words.rowid
                 WHERE words MATCH ? {conditions} ORDER BY score, identity LIMIT ?
            ) AS best USING (id) ORDER BY best.score, best.identity"""  # noqa: S608 - the conditions are constant, values travel as parameters
        with self._open() as db:
            rows = db.execute(statement, [words, *values, query.limit]).fetchall()
        return [SearchHit(url=_page(stored).url) for (stored,) in rows]

    def find(self, url: str) -> Page | None:
        """The page of an address; of several, the one retrieved last."""
        with self._open() as db:
            rows = db.execute("SELECT page FROM pages WHERE identity = ?", [identity(url)])
            return max((_page(stored) for (stored,) in rows), key=lambda one: one.retrieved_at, default=None)

    def discard(self) -> None:
        """Removes a damaged index; the next use makes a new one."""
        for suffix in ("", "-wal", "-shm"):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)

    def _take_turn(
        self, db: sqlite3.Connection, read_file: ReadFile, started: float, deadline: float
    ) -> tuple[list[LibraryFile], int]:
        """Writes for a turn or until `deadline`, at least one file. Returns all files, and how many are left."""
        files = list_files(self._folder)
        if not any(_differences(db, files, started)):
            return files, 0
        with db:
            db.execute(_BEGIN)
            gone, new = _differences(db, files, started)
            for path in gone:
                _remove(db, path)
            until = min(deadline, monotonic() + TURN)  # from the first file on: a large folder takes long to list
            for number, file in enumerate(new):
                if number and monotonic() >= until:
                    return files, len(new) - number
                _replace(db, read_file, file)
        return files, 0

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file, timeout=_WAIT, isolation_level=None)) as db:
            _use_wal(db)
            if _version(db) != VERSION:
                with db:
                    db.execute(_BEGIN)
                    _create(db)
            yield db


def _page(stored: bytes) -> Page:
    """Raises DatabaseError if it is damaged, which SQLite does not see."""
    try:
        return msgspec.msgpack.decode(stored, type=Page)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError) as error:
        raise sqlite3.DatabaseError("A page is damaged") from error


def _use_wal(db: sqlite3.Connection) -> None:
    """Lets readers see the index while one process writes.

    Of several connections that switch a new file at once SQLite refuses all but one, without waiting. So they try
    again.
    """
    deadline = monotonic() + _WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() >= deadline:
                raise
        sleep(0.01)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _create(db: sqlite3.Connection) -> None:
    """Makes the tables, unless another process has just made them."""
    if _version(db) != VERSION:
        for name in ("words", "pages", "files"):
            db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")


def _differences(
    db: sqlite3.Connection, files: Sequence[LibraryFile], started: float
) -> tuple[list[str], list[LibraryFile]]:
    """The paths that are gone, and the files that are new or changed; last those to be tried again.

    `started`: when the update started, which tries no file twice.
    """
    known = {
        file.name: file for file in starmap(LibraryFile, db.execute("SELECT path, size, changed, state FROM files"))
    }
    gone = sorted(known.keys() - {file.name for file in files})
    due = {path for (path,) in db.execute("SELECT path FROM files WHERE retry_at <= ?", [started])}
    new = [file for file in files if known.get(file.name) != file or file.name in due]
    return gone, sorted(new, key=lambda file: file.name in due)


def _replace(db: sqlite3.Connection, read_file: ReadFile, file: LibraryFile) -> None:
    """Reads a file again, and keeps why it is refused.

    After a temporary refusal the next update tries it again, and later ones once a minute. A file that could not be
    read when it was listed waits until that changes.
    """
    retried = db.execute("SELECT 1 FROM files WHERE path = ? AND retry_at NOT NULL", [file.name]).fetchone()
    _remove(db, file.name)
    refusal = read_file(file, lambda page: _add(db, file.name, page))
    warning = f"{file.name}: {refusal.reason}" if refusal else None
    is_temporary = refusal is not None and refusal.temporary and file.state
    retry_at = time() + (RETRY_PAUSE if retried else 0.0) if is_temporary else None
    db.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)", [*file, warning, retry_at])


def _remove(db: sqlite3.Connection, path: str) -> None:
    db.execute(
        "INSERT INTO words (words, rowid, title, text) SELECT 'delete', id, title, text FROM pages WHERE file = ?",
        [path],
    )
    db.execute("DELETE FROM pages WHERE file = ?", [path])
    db.execute("DELETE FROM files WHERE path = ?", [path])


def _add(db: sqlite3.Connection, path: str, page: Page) -> None:
    first_day = page.published.moment.isoformat() if page.published else None
    row = [path, identity(page.url), host_of(page.url), page.language, first_day, page.title, page.text]
    added = db.execute(
        """INSERT INTO pages (file, identity, host, language, first_day, title, text, page)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        [*row, msgspec.msgpack.encode(page)],
    )
    db.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", [added.lastrowid, page.title, page.text])


def _warnings(db: sqlite3.Connection, files: Sequence[LibraryFile], missing: int) -> list[str]:
    if not files:
        return ["The library holds no pages."]
    found = [str(text) for (text,) in db.execute("SELECT warning FROM files WHERE warning NOT NULL ORDER BY path")]
    warnings = [f"Not read from the library: {text}" for text in found[:MOST_SKIPPED]]
    if len(found) > MOST_SKIPPED:
        warnings.append(f"{len(found)} files of the library could not be read wholly.")
    if missing:
        warnings.append(f"The library is still being read: {len(files) - missing} of {len(files)} files so far.")
    return warnings


def _expression(text: str) -> str:
    """Any of the phrases and words of a query, each quoted, so that none is taken for an operator."""
    parts = [phrase or word for phrase, word in re.findall(r'"([^"]+)"|(\w+)', text.replace("\0", ""))]
    return " OR ".join(f'"{part}"' for part in dict.fromkeys(parts[:MOST_WORDS]))


def _conditions(query: SearchQuery) -> tuple[str, list[Any]]:
    """The filters as SQL, and their values."""
    parts, values = [], []
    for domains, form in ((query.domains, "AND ({})"), (query.excluded_domains, "AND NOT coalesce({}, FALSE)")):
        names = [name for domain in domains if (name := domain_of(domain))]
        if domains:
            parts.append(form.format(" OR ".join(["host = ? OR host LIKE ?"] * len(names)) or "FALSE"))
            values += [value for name in names for value in (name, f"%.{name}")]
    if query.languages:
        parts.append(f"AND (language IS NULL OR language IN ({', '.join('?' * len(query.languages))}))")
        values += query.languages
    for moment, sign in ((query.since, ">="), (query.until, "<=")):
        if moment:
            day = moment.date().isoformat() + ("" if sign == ">=" else "~")
            parts.append(f"AND (first_day IS NULL OR first_day {sign} ?)")
            values.append(day)
    return " ".join(parts), values
