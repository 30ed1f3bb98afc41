"""Reads files of the library in the process that reads pages of the web, with the same bounds."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import time_ns
from typing import Final

import structlog

from sightline.sources.library.archives import LONGEST_READING
from sightline.sources.library.files import LibraryFile, is_archive
from sightline.sources.pages import Page, PageUnavailable
from sightline.sources.search import SearchFailed
from sightline.sources.web import tasks
from sightline.sources.web.extractor import Extractor, ProcessMissing

LONGEST_ARCHIVE: Final = LONGEST_READING + 5.0  # seconds: it ends by itself before, with the pages that it has read

ReadFile = Callable[[LibraryFile, Callable[[Page], None]], PageUnavailable | None]

_log = structlog.get_logger()


@contextmanager
def file_reader(folder: Path) -> Iterator[ReadFile]:
    """Yields `read_file(file, take)`, for one thread at a time. Its process starts with the first file."""
    with asyncio.Runner() as runner:
        extractor = Extractor(processes=1)

        def read_file(file: LibraryFile, take: Callable[[Page], None]) -> PageUnavailable | None:
            saved_at = datetime.fromtimestamp(min(file.changed, time_ns()) // 10**9, UTC)
            task = tasks.ReadFile(folder=bytes(folder.absolute()), name=file.name, saved_at=saved_at)
            return runner.run(_read_file(extractor, task, take))

        try:
            yield read_file
        finally:
            runner.run(extractor.aclose())


async def _read_file(
    extractor: Extractor, task: tasks.ReadFile, take: Callable[[Page], None]
) -> PageUnavailable | None:
    """Gives each page to `take`. Returns what could not be read and why. Raises SearchFailed without a process."""

    def take_page(outcome: tasks.Outcome) -> None:
        assert outcome.page is not None  # noqa: S101 - a file has pages
        take(outcome.page)

    try:
        await extractor.perform_all(task, take_page, LONGEST_ARCHIVE if is_archive(task.name) else None)
    except ProcessMissing as missing:
        raise SearchFailed(missing.reason) from None
    except PageUnavailable as refusal:
        _log.warning("A file of the library was not read wholly", file=task.name, reason=refusal.reason)
        return refusal
    return None
