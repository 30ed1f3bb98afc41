"""The library as a search provider and as a reader of its pages."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Final

from sightline.sources.library.index import Index
from sightline.sources.pages import IsAllowed, Page, PageUnavailable, everywhere
from sightline.sources.search import SearchFailed, SearchHit, SearchPage, SearchQuery

# After these the index is as it was: it is in use, or the system refuses it. After others it is damaged.
_NOT_DAMAGED: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}
_STILL_READING: Final = "The library is still being read."


class Library:
    """Saved pages in a folder, searched by words. Files may come, change and go at any time.

    `index` is a file that is made when it is missing. A search reads new files for up to five seconds; the next one
    goes on. A single file may take longer: a search waits nine seconds for it and then goes without.
    """

    name = "library"

    def __init__(self, folder: Path, index: Path, *, update_seconds: float = 5.0, wait_seconds: float = 9.0) -> None:
        self._index = Index(folder, index)
        self._update_seconds = update_seconds
        self._wait_seconds = wait_seconds
        self._update: asyncio.Task[list[str]] | None = None

    async def search(self, query: SearchQuery) -> SearchPage:
        """Raises SearchFailed when the folder or the index cannot be used."""
        try:
            try:
                return await self._search(query)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _NOT_DAMAGED:
                    raise
                self._index.discard()
                return await self._search(query)
        except sqlite3.Error as error:
            raise SearchFailed(f"The index of the library cannot be used: {error}.") from error
        except OSError as error:
            raise SearchFailed(f"The library cannot be read: {error.strerror}.", temporary=False) from error

    async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
        """Raises PageUnavailable when no page of the library has the address, or it is not allowed."""
        if not is_allowed(url):
            raise PageUnavailable("This search may not look there.")
        try:
            page = await asyncio.to_thread(self._index.find, url)
        except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
            raise PageUnavailable("The index of the library cannot be used.") from error
        if page is None:
            raise PageUnavailable("It is not in the library.")
        return page

    async def _search(self, query: SearchQuery) -> SearchPage:
        warnings = await self._wait_for_update()
        hits: list[SearchHit] = await asyncio.to_thread(self._index.search, query)
        return SearchPage(hits, warnings)

    async def _wait_for_update(self) -> list[str]:
        """Joins the update that is under way, or starts one; returns its warnings."""
        if self._update is None or self._update.done():
            self._update = asyncio.create_task(asyncio.to_thread(self._index.update, self._update_seconds))
            self._update.add_done_callback(lambda task: task.cancelled() or task.exception())
        update = self._update  # the next search may start another one before this search has its turn
        done, _ = await asyncio.wait({update}, timeout=self._wait_seconds)
        return update.result() if done else [_STILL_READING]
