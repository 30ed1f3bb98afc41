"""The library: every kind of file, changes, hostile files, several processes, filters."""

import asyncio
import gzip
import os
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sightline.sources.library import Library
from sightline.sources.pages import PageUnavailable
from sightline.sources.search import SearchFailed, SearchPage, SearchQuery

SAYS = (
    "Workshops send the estimate by text, and the customer gives approval with one tap before any of the work begins."
)
HTML = f"""<html lang="en"><head><title>Yes by text</title><link rel="canonical" href="https://trade.example/yes">
<meta property="article:published_time" content="2026-11-05"></head>
<body><article><p>{SAYS}</p></article></body></html>"""
FEED = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>Trade Wire</title><language>en-gb</language>
<item><title>Approval by text</title><link>https://wire.example/1?utm_medium=rss</link>
<pubDate>Thu, 05 Nov 2026 10:00:00 +0100</pubDate>
<description>&lt;p&gt;{SAYS}&lt;/p&gt;&lt;p&gt;More.&lt;/p&gt;</description></item>
<item><title>Empty</title><link>https://wire.example/2</link></item></channel></rss>"""
MHTML = f"""From: <Saved by a browser>
Snapshot-Content-Location: https://trade.example/saved
Subject: Yes
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----b"

------b
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable
Content-Location: https://trade.example/saved

<html><head><title>Yes by text</title></head><body><article><p>{SAYS}</p></article></body></html>
------b--
""".replace("\n", "\r\n")


def warc(pages: Iterable[tuple[str, str, str]], *, compressed: bool = True) -> bytes:
    """An archive of (address, status, body)."""
    records = [
        record(url, f"HTTP/1.0 {status}\r\nContent-Type: text/html\r\n\r\n{body}") for url, status, body in pages
    ]
    return b"".join(map(gzip.compress, records) if compressed else records)


def record(url: str, answer: str) -> bytes:
    content = answer.encode()
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid4()}>",
        "WARC-Target-URI": url,
        "WARC-Date": "2026-11-06T08:00:00Z",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(content)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.0\r\n{head}\r\n".encode() + content + b"\r\n\r\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "library"
    made.mkdir()
    return made


@pytest.fixture
def library(folder: Path, tmp_path: Path) -> Library:
    return Library(folder, tmp_path / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0)


async def search(library: Library, text: str = "approval of estimates", **filters: Any) -> SearchPage:
    return await library.search(SearchQuery(text=text, **filters))


async def urls(library: Library, text: str = "approval of estimates", **filters: Any) -> list[str]:
    return [hit.url for hit in (await search(library, text, **filters)).hits]


FILES = {
    "a.html": (HTML.encode(), "https://trade.example/yes", "Yes by text", "2026-11-05"),
    "b.md": (
        f"---\nurl: https://notes.example/b\ntitle: Notes\ndate: 2026-11-04\n---\n\n{SAYS}\n".encode(),
        "https://notes.example/b",
        "Notes",
        "2026-11-04",
    ),
    "c.txt": (f"A heading\n\n{SAYS}".encode(), "library:c.txt", "A heading", None),
    "deep/er/d e.md": (f"# A title\r\n\r\n{SAYS}".encode(), "library:deep/er/d%20e.md", "A title", None),
    "e.xml": (FEED.encode(), "https://wire.example/1", "Approval by text", "2026-11-05"),
    "f.mhtml": (MHTML.encode(), "https://trade.example/saved", "Yes by text", None),
    "g.warc.gz": (
        warc([("https://old.example/g", "200 OK", HTML)]),
        "https://old.example/g",
        "Yes by text",
        "2026-11-05",
    ),
    "h.warc": (
        warc([("https://old.example/h?utm_id=1", "200 OK", HTML)], compressed=False),
        "https://old.example/h",
        "Yes by text",
        "2026-11-05",
    ),
}


@pytest.mark.parametrize("name", FILES)
async def test_every_kind_of_file_is_found_and_read(library: Library, folder: Path, name: str) -> None:
    content, url, title, day = FILES[name]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    found = await search(library)
    assert [(hit.url, hit.title) for hit in found.hits] == [(url, title)]
    assert found.warnings == []
    assert "approval" in found.hits[0].snippet
    page = await library.read(url)
    assert SAYS in page.text
    assert (f"{page.published.moment:%Y-%m-%d}" if page.published else None) == day
    assert page.language == "en"


async def test_a_page_of_an_archive_was_retrieved_when_it_was_fetched(library: Library, folder: Path) -> None:
    (folder / "g.warc.gz").write_bytes(FILES["g.warc.gz"][0])
    await search(library)
    assert (await library.read("https://old.example/g")).retrieved_at == datetime(2026, 11, 6, 8, tzinfo=UTC)


async def test_only_pages_that_were_fetched_with_success_count(library: Library, folder: Path) -> None:
    (folder / "a.warc").write_bytes(warc([("https://old.example/gone", "404 Not Found", HTML)], compressed=False))
    assert await urls(library) == []


async def test_files_come_change_and_go_without_a_restart(library: Library, folder: Path) -> None:
    assert (await search(library)).warnings == ["The library holds no pages."]
    page = folder / "a.md"
    page.write_text(f"---\nurl: https://trade.example/a\n---\n{SAYS}")
    assert await urls(library) == ["https://trade.example/a"]
    page.write_text("---\nurl: https://trade.example/a\n---\nThe museum opens its winter exhibition on Sunday.")
    assert await urls(library) == []
    assert await urls(library, "winter exhibition") == ["https://trade.example/a"]
    page.unlink()
    assert await urls(library, "winter exhibition") == []
    with pytest.raises(PageUnavailable):
        await library.read("https://trade.example/a")


async def test_a_change_of_the_same_size_is_seen_by_its_time(library: Library, folder: Path) -> None:
    page = folder / "a.txt"
    page.write_text("One museum of the harbour opens.")
    assert len(await urls(library, "museum")) == 1
    before = page.stat()
    page.write_text("Two gardens at the harbour open.")
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
    assert await urls(library, "museum") == []


async def test_a_missing_folder_is_an_empty_library(tmp_path: Path) -> None:
    library = Library(tmp_path / "nowhere", tmp_path / "index.sqlite3")
    found = await search(library)
    assert (found.hits, found.warnings) == ([], ["The library holds no pages."])


LONG = HTML.replace("</body>", f"<!-- {os.urandom(4_000).hex()} --></body>")  # does not become short when packed
BOMB = gzip.compress(b"\0" * 50_000_000)
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
    "bomb.warc.gz": BOMB,
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
    for name, content in HOSTILE.items():
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


@pytest.mark.parametrize("name", ["huge.html", "binary.html", "broken.warc.gz", "no-feed.xml", "nested.html"])
async def test_a_file_that_is_left_out_is_named(library: Library, folder: Path, name: str) -> None:
    (folder / name).write_bytes(HOSTILE[name])
    assert [warning.split(": ")[:2] for warning in (await search(library)).warnings] == [
        ["Not read from the library", name]
    ]


async def test_the_pages_before_the_damage_are_kept(library: Library, folder: Path) -> None:
    whole = warc([(f"https://old.example/{n}", "200 OK", LONG) for n in range(3)])
    (folder / "half.warc.gz").write_bytes(whole[: len(whole) * 5 // 6])
    found = await search(library)
    assert {hit.url for hit in found.hits} == {"https://old.example/0", "https://old.example/1"}
    assert len(found.warnings) == 1


PAGES = {
    "https://trade.example/a": ("2026-11-05", "en"),
    "https://news.trade.example/b": ("2026-10-01", "de"),
    "https://other.example/c": (None, None),
}


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({}, {"a", "b", "c"}),
        ({"domains": ("trade.example",)}, {"a", "b"}),
        ({"domains": ("trade.example",), "excluded_domains": ("news.trade.example",)}, {"a"}),
        ({"domains": ("nowhere.example",)}, set()),
        ({"domains": ("no domain",)}, set()),
        ({"excluded_domains": ("trade.example",)}, {"c"}),
        ({"languages": ("en",)}, {"a", "c"}),
        ({"languages": ("de", "en")}, {"a", "b", "c"}),
        ({"since": datetime(2026, 11, 5, 18, tzinfo=UTC)}, {"a", "c"}),
        ({"until": datetime(2026, 10, 1, 3, tzinfo=UTC)}, {"b", "c"}),
        ({"limit": 1}, {"a"}),
    ],
)
async def test_filters(library: Library, folder: Path, filters: dict[str, Any], kept: set[str]) -> None:
    for number, (url, (day, language)) in enumerate(PAGES.items()):
        fields = [f"url: {url}", *([f"date: {day}"] if day else []), *([f"language: {language}"] if language else [])]
        text = SAYS if language else "Estimates: approval."
        (folder / f"{number}.md").write_text("\n".join(["---", *fields, "---", text]))
    found = await urls(library, "approval estimate text message", **filters)
    assert {url.rsplit("/", 1)[1] for url in found} >= kept if "limit" not in filters else len(found) == 1
    if "limit" not in filters:
        assert {url.rsplit("/", 1)[1] for url in found} == kept


async def test_a_title_counts_more_than_the_text(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("---\ntitle: Harbour news\n---\nDeposits are mentioned here among many other things.")
    (folder / "b.md").write_text("---\ntitle: Deposits\n---\nThe harbour is mentioned here among many other things.")
    assert await urls(library, "deposits") == ["library:b.md", "library:a.md"]
    assert await urls(library, "deposits", limit=1) == ["library:b.md"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        '"',
        '""',
        "'",
        "AND",
        "NOT OR",
        "title:approval*",
        "a" * 5_000,
        "x " * 5_000,
        "\0",
        "(",
        "a\0 -",
        "^*",
        "日",
    ],
)
async def test_no_query_is_taken_for_an_expression(library: Library, folder: Path, text: str) -> None:
    (folder / "a.html").write_text(HTML)
    assert isinstance((await search(library, text)).hits, list)


async def test_phrases_are_found_whole(library: Library, folder: Path) -> None:
    (folder / "a.txt").write_text("Spindle Bay sells software to shops.")
    (folder / "b.txt").write_text("A spindle was found in the bay.")
    assert await urls(library, '"spindle bay"') == ["library:a.txt"]


async def test_the_newest_copy_of_an_address_is_read(library: Library, folder: Path) -> None:
    for name, text, saved in (("a.md", "Old deposits.", 1_700_000_000), ("b.md", "New deposits.", 1_750_000_000)):
        (folder / name).write_text(f"---\nurl: https://trade.example/same\n---\n{text}")
        os.utime(folder / name, (saved, saved))
    await search(library)
    assert (await library.read("http://trade.example/same/")).text == "New deposits."


async def test_processes_share_one_index(folder: Path, tmp_path: Path) -> None:
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"{SAYS} Number {number}.")
    libraries = [
        Library(folder, tmp_path / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0) for _ in range(4)
    ]
    found = await asyncio.gather(*(search(one, limit=50) for one in libraries))
    assert [len(one.hits) for one in found] == [40, 40, 40, 40]
    assert len(await urls(libraries[0], limit=100)) == 40


async def test_a_search_waits_while_another_process_makes_the_index(library: Library, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "index.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found = asyncio.create_task(urls(library))
    await asyncio.sleep(0.2)
    other.close()
    assert await found == []


async def test_a_large_library_is_read_bit_by_bit(folder: Path, tmp_path: Path) -> None:
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{SAYS} Number {number}.")
    library = Library(folder, tmp_path / "index.sqlite3", update_seconds=0.0, wait_seconds=120.0)
    counts = []
    for _ in range(3):
        found = await search(library)
        counts.append((len(found.hits), found.warnings))
    assert counts == [
        (1, ["The library is still being read: 1 of 3 files so far."]),
        (2, ["The library is still being read: 2 of 3 files so far."]),
        (3, []),
    ]


async def test_a_search_does_not_wait_for_an_update_that_takes_long(folder: Path, tmp_path: Path) -> None:
    (folder / "a.txt").write_text(SAYS)
    library = Library(folder, tmp_path / "index.sqlite3", wait_seconds=120.0)
    assert await urls(library) == ["library:a.txt"]
    (folder / "b.txt").write_text(SAYS)
    impatient = Library(folder, tmp_path / "index.sqlite3", wait_seconds=0.1)
    writer = sqlite3.connect(tmp_path / "index.sqlite3", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    found = await search(impatient)
    writer.execute("ROLLBACK")
    writer.close()
    assert [hit.url for hit in found.hits] == ["library:a.txt"]
    assert found.warnings == ["The library is still being read."]
    assert await urls(library) == ["library:a.txt", "library:b.txt"]


async def test_a_restart_reads_no_file_again(folder: Path, tmp_path: Path) -> None:
    page = folder / "a.html"
    page.write_text(HTML)
    index = tmp_path / "index.sqlite3"
    assert len(await urls(Library(folder, index))) == 1
    before = page.stat()
    page.write_text("x" * len(HTML))
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(await urls(Library(folder, index))) == 1


@pytest.mark.parametrize("damage", [b"no database" * 1_000, b""])
async def test_a_damaged_index_is_made_again(library: Library, folder: Path, tmp_path: Path, damage: bytes) -> None:
    (folder / "a.html").write_text(HTML)
    (tmp_path / "index.sqlite3").write_bytes(damage)
    assert len(await urls(library)) == 1


async def test_an_index_of_another_version_is_made_again(library: Library, folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").write_text(HTML)
    db = sqlite3.connect(tmp_path / "index.sqlite3")
    db.executescript("CREATE TABLE pages (id INTEGER); PRAGMA user_version = 99")
    db.close()
    assert len(await urls(library)) == 1


async def test_an_index_that_cannot_be_written_fails_the_search(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchFailed):
        await search(Library(folder, tmp_path / "file" / "index.sqlite3"))


async def test_an_address_that_is_not_there_cannot_be_read(library: Library) -> None:
    with pytest.raises(PageUnavailable):
        await library.read("https://trade.example/nothing")
