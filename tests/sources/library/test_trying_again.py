"""A file that the system keeps from being read, although nothing is wrong with it, is tried again."""

import asyncio
import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sightline.sources.library import index
from sightline.sources.library.files import list_files
from sightline.sources.library.library import Library
from sightline.sources.library.reading import file_reader
from sightline.sources.pages import Page, PageUnavailable
from sightline.sources.web.child import FIRST
from sightline.sources.web.extractor import Extractor
from tests.sources.library.saved import HTML, SAYS, search, urls

KEPT = "Not read from the library: a.html: It cannot be read (Resource temporarily unavailable)."
READ = ["https://trade.example/yes"]


@contextmanager
def nobody_reads(file: Path) -> Iterator[None]:
    """A lease on it, as a file server has: others who open it without waiting are refused."""
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    leased = os.open(file, os.O_RDONLY)
    try:
        fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        yield
    finally:
        os.close(leased)
        signal.signal(signal.SIGIO, before)


async def test_a_file_that_the_system_refuses_is_read_by_the_next_search(library: Library, folder: Path) -> None:
    (folder / "a.html").write_text(HTML)
    (folder / "b.html").write_text(HTML.replace("/yes", "/b"))
    with nobody_reads(folder / "a.html"):
        found = await search(library)
        assert ([hit.url for hit in found.hits], found.warnings) == (["https://trade.example/b"], [KEPT])
    found = await search(library)
    assert (len(found.hits), found.warnings) == (2, [])


async def test_a_file_is_not_tried_again_by_the_same_search(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "TURN", 0.0)  # each file has a turn of its own
    for name in "abc":
        (folder / f"{name}.html").write_text(HTML.replace("/yes", f"/{name}"))
    with nobody_reads(folder / "a.html"):
        assert len((await search(library)).hits) == 2
    found = await search(library)
    assert (len(found.hits), found.warnings) == (3, [])


async def test_a_file_that_the_system_refuses_again_waits_for_a_minute(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    (folder / "a.html").write_text(HTML)
    with nobody_reads(folder / "a.html"):
        for _ in range(2):
            assert (await search(library)).warnings == [KEPT]
    assert (await search(library)).warnings == [KEPT]
    with sqlite3.connect(tmp_path / "index.sqlite3") as db:
        db.execute("UPDATE files SET retry_at = retry_at - 60")
    db.close()
    assert await urls(library) == READ
    assert (await search(library)).warnings == []


@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_whose_folder_is_away_after_it_was_listed_is_tried_again(
    folder: Path, tmp_path: Path, is_link: bool
) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "a.html").write_text(HTML)
    [file] = list_files(folder)
    (folder / "inner").rename(tmp_path / "away")
    if is_link:
        (folder / "inner").symlink_to(tmp_path / "away")
    pages: list[Page] = []
    with file_reader(folder) as read_file:
        refusal = read_file(file, pages.append)
    assert refusal is not None
    assert (refusal.temporary, pages) == (True, [])


async def test_links_that_lead_nowhere_are_not_tried_again(library: Library, folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").symlink_to("a.html")
    (folder / "b.html").symlink_to(tmp_path / "b.html")
    (tmp_path / "b.html").write_text(HTML)
    assert len((await search(library)).warnings) == 2
    with sqlite3.connect(tmp_path / "index.sqlite3") as db:
        assert db.execute("SELECT retry_at FROM files").fetchall() == [(None,), (None,)]
    db.close()


ENDS = {signal.SIGKILL: True, signal.SIGTERM: True, signal.SIGSEGV: False, signal.SIGALRM: False}


@pytest.mark.parametrize("end", ENDS)
async def test_a_process_that_is_ended_from_outside_says_nothing_of_the_page(end: signal.Signals) -> None:
    async with aclosing(Extractor(seconds=60.0)) as extractor:
        await extractor.perform(FIRST)
        extractor.idle_processes[0].send_signal(end)
        with pytest.raises(PageUnavailable, match=r"It cannot be read\.") as refused:
            await extractor.perform(FIRST)
    assert refused.value.temporary == ENDS[end]


async def test_a_process_that_did_not_get_the_processor_says_nothing_of_the_page() -> None:
    async with aclosing(Extractor(seconds=1.0)) as extractor:
        await extractor.perform(FIRST)
        extractor.idle_processes[0].send_signal(signal.SIGSTOP)
        with pytest.raises(PageUnavailable, match=r"Reading it took too long\.") as refused:
            await extractor.perform(FIRST)
    assert refused.value.temporary


async def test_a_process_that_closed_its_answers_is_ended_with_the_reading() -> None:
    async with aclosing(Extractor(seconds=60.0)) as extractor:
        await extractor.perform(FIRST)
        [process] = extractor.idle_processes
        process.send_signal(signal.SIGSTOP)
        assert process.stdout
        process.stdout.feed_eof()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(extractor.perform(FIRST), 0.2)
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)  # comes too late
            process.send_signal(signal.SIGCONT)
    assert await process.wait() == -signal.SIGKILL


IS_ROOT = os.geteuid() == 0
AS_NOBODY = """
import os, sys
from pathlib import Path
from sightline.sources.library.files import list_files, open_within
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
folder, name = Path(sys.argv[1]), sys.argv[2]
print([file.state for file in list_files(folder)])
with open_within(folder, name) as opened:
    print(opened.read().decode())
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may read."""
    with TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def read_as_nobody(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Prints the states of the files and what is in one."""
    command = [sys.executable, "-c", AS_NOBODY, str(folder), name]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_link_leads_through_a_folder_that_may_be_entered_but_not_listed(open_folder: Path) -> None:
    inner = open_folder / "inner"
    inner.mkdir()
    (inner / "b.md").write_text(SAYS)
    (open_folder / "a.md").symlink_to("inner/b.md")
    inner.chmod(0o111)
    done = read_as_nobody(open_folder, "a.md")
    inner.chmod(0o755)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, [SAYS]), done.stderr


@pytest.mark.skipif(not IS_ROOT, reason="only root can be another user")
def test_a_file_is_another_one_for_who_may_not_read_it(open_folder: Path) -> None:
    """So it is read again when the server runs as another user, or its user is in another group."""
    (open_folder / "a.md").write_text(SAYS)
    for mode, is_same in ((0o644, True), (0o600, False)):
        (open_folder / "a.md").chmod(mode)
        states = [file.state for file in list_files(open_folder)]
        assert (read_as_nobody(open_folder, "a.md").stdout.splitlines()[0] == str(states)) == is_same
