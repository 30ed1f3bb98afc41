"""Reads files of the library in the process that reads pages of the web, with the same bounds."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final

import structlog

from sightline.sources.library.archives import LONGEST_READING
from sightline.sources.library.files import LibraryFile, is_archive
from sightline.sources.pages import Page, PageUnavailable
from sightline.sources.search import SearchFailed
from sightline.sources.web.extractor import Extractor, ProcessMissing
from sightline.sources.web.tasks import Outcome, ReadFile

LONGEST_ARCHIVE: Final = LONGEST_READING + 5.0  # seconds: it ends by itself before, with the pages that it has read

_log = structlog.get_logger()


class FileReader(AbstractContextManager["FileReader"]):
    """For one thread at a time. The process starts with the first file and ends with the block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runner = asyncio.Runner()
        self._extractor = Extractor(processes=1)

    def read(self, file: LibraryFile, take: Callable[[Page], None]) -> str | None:
        """Gives each page to `take`. Returns what could not be read and why. Raises SearchFailed without a process."""
        name = file.path.relative_to(self._folder).as_posix()
        saved_at = datetime.fromtimestamp(file.changed // 10**9, UTC)
        task = ReadFile(folder=str(self._folder.absolute()), name=name, saved_at=saved_at)

        def take_page(outcome: Outcome) -> None:
            assert outcome.page is not None  # noqa: S101 - a file has pages
            take(outcome.page)

        try:
            seconds = LONGEST_ARCHIVE if is_archive(name) else None
            self._runner.run(self._extractor.perform_all(task, take_page, seconds))
        except ProcessMissing as missing:
            raise SearchFailed(missing.reason) from None
        except PageUnavailable as refusal:
            _log.warning("A file of the library was not read wholly", file=name, reason=refusal.reason)
            return f"{name}: {refusal.reason}"
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._extractor.aclose())
        self._runner.close()
