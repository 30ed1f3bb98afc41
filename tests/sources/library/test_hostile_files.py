"""Files that are damaged, too large, lead elsewhere or hide something never break a search."""

import asyncio
import gzip
import os
import resource
import threading
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from sightline.sources.library.files import list_files, open_within
from sightline.sources.library.library import Library
from sightline.sources.library.reading import file_reader
from sightline.sources.pages import Page, PageUnavailable
from sightline.sources.web.child import FIRST, MOST_MEMORY
from sightline.sources.web.extractor import Extractor
from tests.sources.library.saved import FILES, HTML, SAYS, search, urls, warc

LONG = HTML.replace("</body>", f"<!-- {os.urandom(4_000).hex()} --></body>")  # does not become short when packed
ENTITIES = (
    """<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lollollollollollollol">
"""
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + """]>
<rss version="2.0"><channel><title>&j;</title><item><title>x</title>
<description>&j;</description></item></channel></rss>"""
)
HOSTILE = {
    "huge.html": b"<p>" + b"a" * 2_100_000,
    "binary.html": bytes(range(256)) * 40,
    "empty.html": b"",
    "broken.warc.gz": warc([("https://old.example/1", "200 OK", LONG)])[:2_000],
    "no-archive.warc.gz": b"\x1f\x8b" + os.urandom(400),
    "text.warc": b"WARC/1.0\r\nContent-Length: 99999999999\r\n\r\nabc",
    "no-feed.xml": b"<note>No feed</note>",
    "entities.xml": ENTITIES.encode(),
    "nested.html": b"<div>" * 300_000,
    "bad.txt": b"\xff\xfe\x00",
    "bad.mhtml": b"Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n--x\r\n--x--",
    "latin.txt": "Kostenvoranschläge und Größen".encode("latin-1"),
    "front.md": b"---\n" + b"a: b\n" * 5_000 + b"---\n",
    "loop.md": b"---\nurl: javascript:alert(1)\ntitle: \x00\ndate: never\n---\nSomething is written here.",
    "picture.jpg": os.urandom(100),
}


async def test_hostile_files_never_break_a_search(library: Library, folder: Path) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000, 1)
    for name, content in {**HOSTILE, "bomb.warc.gz": bomb}.items():
        (folder / name).write_bytes(content)
    (folder / "here").symlink_to(folder)
    (folder / "nowhere.html").symlink_to(folder / "missing.html")
    os.mkfifo(folder / "pipe.html")
    (folder / ".hidden.html").write_text(HTML)
    (folder / "good.html").write_text(HTML)
    found = await search(library)
    assert [hit.url for hit in found.hits] == ["https://trade.example/yes"]
    assert len(found.warnings) == 6  # five files by name, and how many there are
    assert found.warnings[-1].endswith("files of the library could not be read wholly.")
    assert not any(str(folder) in warning for warning in found.warnings)


async def test_a_file_that_is_left_out_is_named(library: Library, folder: Path) -> None:
    names = ["binary.html", "broken.warc.gz", "huge.html", "nested.html", "no-feed.xml"]
    for name in names:
        (folder / name).write_bytes(HOSTILE[name])
    warnings = [warning.split(": ")[:2] for warning in (await search(library)).warnings]
    assert sorted(warnings) == [["Not read from the library", name] for name in names]


async def test_a_long_publisher_is_cut(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text(f"---\npublisher: {'P' * 1_900_000}\n---\nApproval of estimates by text.")
    [hit] = (await search(library)).hits
    assert (await library.read(hit.url)).publisher == "P" * 500


async def test_the_pages_before_the_damage_are_kept(library: Library, folder: Path) -> None:
    whole = warc([(f"https://old.example/{n}", "200 OK", LONG) for n in range(3)])
    (folder / "half.warc.gz").write_bytes(whole[: len(whole) * 5 // 6])
    found = await search(library)
    assert {hit.url for hit in found.hits} == {"https://old.example/0", "https://old.example/1"}
    assert len(found.warnings) == 1


HIDDEN = "Nobody will ever read that deposits are refunded."
NOT_SHOWN = f"<p hidden>{HIDDEN}</p><p style='display: none'>{HIDDEN}</p><script>let deposits</script>"


def hiding(name: str) -> bytes:
    """The content of a file, with a text in it that is not shown."""
    content, url, _, _ = FILES[name]
    if name == "g.warc.gz":
        return warc([(url, "200 OK", HTML.replace("</article>", f"{NOT_SHOWN}</article>"))])
    if name == "e.xml":
        return content.replace(b"&lt;p&gt;More.", escape(NOT_SHOWN).encode() + b"&lt;p&gt;More.")
    equals = "=3D" if name == "f.mhtml" else "="
    return content.replace(b"</article>", NOT_SHOWN.replace("=", equals).encode() + b"</article>")


async def test_text_that_a_saved_page_hides_is_not_read(library: Library, folder: Path) -> None:
    names = ("a.html", "e.xml", "f.mhtml", "g.warc.gz")
    for name in names:
        (folder / name).write_bytes(hiding(name))
    assert sorted(await urls(library)) == sorted(FILES[name][1] for name in names)
    for name in names:
        assert "deposits" not in (await library.read(FILES[name][1])).text, name


LARGE = b"<rss version='2.0'><channel>" + b"<item><title>a</title></item>" * 230_000 + b"</channel></rss>"


@pytest.mark.slow
async def test_a_large_feed_is_named_and_stops_no_other(library: Library, folder: Path) -> None:
    """Without bounds it takes more than a gigabyte."""
    (folder / "b.rss").write_bytes(LARGE)
    (folder / "c.html").write_text(HTML)
    found = await asyncio.wait_for(search(library), 100)
    assert [hit.url for hit in found.hits] == ["https://trade.example/yes"]
    assert [warning.split(": ")[1] for warning in found.warnings] == ["b.rss"]


SLOW = b"Content-Type: text/html" + b"; a=" * 48_000 + b"\r\n\r\n<p>x</p>"  # takes minutes


@pytest.mark.slow
async def test_a_file_that_takes_too_long_is_named_and_stops_no_other(library: Library, folder: Path) -> None:
    (folder / "a.mht").write_bytes(SLOW)
    (folder / "c.html").write_text(HTML)
    found = await asyncio.wait_for(search(library), 100)
    assert [hit.url for hit in found.hits] == ["https://trade.example/yes"]
    assert [warning.split(": ")[1] for warning in found.warnings] == ["a.mht"]
    again = await asyncio.wait_for(search(library), 100)
    assert again == found, "it is not read a second time"


SECRET = "The approval of estimates is a secret of the operator."


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    made = tmp_path / "elsewhere/secret.txt"
    made.write_text(SECRET)
    return made


# Where each link leads, below {outside}.
LINKS = {
    "to a file": {"a.txt": "{outside}/secret.txt"},
    "relative": {"a.txt": "../elsewhere/secret.txt"},
    "chain": {"b.txt": "{outside}/secret.txt", "a.txt": "b.txt"},
    "hidden chain": {".hidden": "{outside}", "a.txt": ".hidden/secret.txt"},
    "to a folder": {"a": "{outside}"},
    "of the same beginning": {"a.txt": "../library-2/secret.txt"},
}


@pytest.mark.parametrize("name", LINKS)
async def test_no_link_leads_out_of_the_library(library: Library, folder: Path, secret: Path, name: str) -> None:
    (secret.parent.parent / "library-2").symlink_to(secret.parent)
    for link, target in LINKS[name].items():
        (folder / link).symlink_to(target.format(outside=secret.parent))
    (folder / "good.html").write_text(HTML)
    found = await search(library, "approval secret operator")
    assert [hit.url for hit in found.hits] == ["https://trade.example/yes"]
    assert all("It is a link that leaves the library." in warning for warning in found.warnings)
    assert bool(found.warnings) == (name != "to a folder")


async def test_a_folder_that_cannot_be_read_does_not_stop_the_others(library: Library, folder: Path) -> None:
    """Its path is too long for the system: unlike a missing permission, this stops the superuser too."""
    (folder / "good.txt").write_text(SAYS)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(18):
        os.mkdir("d" * 250, dir_fd=place)
        inner = os.open("d" * 250, os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    found = await search(library)
    assert [hit.url for hit in found.hits] == ["library:good.txt"]
    [warning] = found.warnings
    assert warning.startswith("Not read from the library: dddd")
    assert "cannot be read" in warning


async def test_a_link_within_the_library_is_followed(tmp_path: Path, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/a.txt").write_text(SAYS)
    (folder / "b.txt").symlink_to("sub/a.txt")
    (tmp_path / "link").symlink_to(folder)
    library = Library(tmp_path / "link", tmp_path / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0)
    assert await urls(library) == ["library:b.txt", "library:sub/a.txt"]


@pytest.mark.parametrize("swapped", ["sub/a.txt", "sub"])
def test_a_link_that_is_put_there_after_the_listing_is_not_followed(folder: Path, secret: Path, swapped: str) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/secret.txt" if swapped == "sub" else folder / swapped).write_text(SAYS)
    [file] = list_files(folder)
    (folder / swapped).rename(folder / ".old")
    (folder / swapped).symlink_to(secret.parent if swapped == "sub" else secret)
    pages: list[Page] = []
    with file_reader(folder) as read_file:
        refusal = read_file(file, pages.append)
    assert pages == []
    assert refusal is not None
    assert refusal.reason == "It is a link that leaves the library."


def test_a_link_that_comes_and_goes_is_never_followed(folder: Path, secret: Path) -> None:
    (folder / "a.txt").write_text(SAYS)
    is_done = threading.Event()

    def swap() -> None:
        while not is_done.is_set():
            (folder / ".link").symlink_to(secret)
            os.replace(folder / ".link", folder / "a.txt")
            (folder / ".file").write_text(SAYS)
            os.replace(folder / ".file", folder / "a.txt")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(2_000):
            with suppress(PageUnavailable, OSError), open_within(folder, "a.txt") as opened:
                assert SECRET.encode() not in opened.read()
    finally:
        is_done.set()
        swapping.join()


async def test_a_file_of_any_date_is_read(library: Library, folder: Path) -> None:
    (folder / "good.html").write_text(HTML)
    dated = []
    for number, seconds in enumerate((-(10**12), -1, 10**10, 2**33, 2**60)):
        file = folder / f"{number}.html"
        file.write_text(HTML.replace("/yes", f"/{number}"))
        with suppress(OverflowError):  # for a system that has no such date
            os.utime(file, (seconds, seconds))
        dated.append(f"https://trade.example/{number}")
    assert sorted(await urls(library)) == [*dated, "https://trade.example/yes"]
    for url in dated:
        assert (await library.read(url)).retrieved_at <= datetime.now(UTC), url


async def test_a_name_that_is_not_utf_8_is_left_out(library: Library, folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.txt")).write_text(SAYS)
    (folder / "good.html").write_text(HTML)
    assert await urls(library) == ["https://trade.example/yes"]


async def test_a_folder_whose_path_is_not_utf_8_is_read(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"\xff")
    (place / "library/sub").mkdir(parents=True)
    (place / "library/sub/good.txt").write_text(SAYS)
    (place / "library/bad.mht").write_bytes(b"\0")
    library = Library(place / "library", place / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0)
    found = await search(library)
    assert [hit.url for hit in found.hits] == ["library:sub/good.txt"]
    assert [warning.startswith("Not read from the library: bad.mht: ") for warning in found.warnings] == [True]


async def test_the_process_that_reads_has_its_memory_bounded() -> None:
    async with aclosing(Extractor(seconds=60.0)) as extractor:
        await extractor.perform(FIRST)
        [process] = extractor.idle_processes
        assert resource.prlimit(process.pid, resource.RLIMIT_AS) == (MOST_MEMORY, MOST_MEMORY)
