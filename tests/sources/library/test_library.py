"""The library: every kind of file, changes, several processes, filters."""

import asyncio
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sightline.sources.library.library import Library
from sightline.sources.pages import PageUnavailable
from sightline.sources.search import SearchFailed
from tests.sources.library.saved import FILES, HTML, SAYS, search, urls, warc


async def test_every_kind_of_file_is_found_and_read(library: Library, folder: Path) -> None:
    for name, (content, *_) in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    found = await search(library)
    assert {hit.url for hit in found.hits} == {url for _, url, _, _ in FILES.values()}
    assert found.warnings == []
    for _, url, title, day in FILES.values():
        page = await library.read(url)
        assert page.title == title
        assert SAYS in page.text, url
        assert (f"{page.published.moment:%Y-%m-%d}" if page.published else None) == day, url
        assert page.language == "en", url


CYRILLIC = "<article><p>Экспорт таблиц занимает слишком много времени каждый день.</p></article>"
HEAD = "Content-Location: https://a.example/\r\nContent-Type: text/html; charset=windows-1251\r\n\r\n"
IN_CYRILLIC = {
    "a.mht": (HEAD + CYRILLIC).encode("windows-1251"),
    "a.warc.gz": warc([("https://a.example/", "200 OK", CYRILLIC)], charset="windows-1251"),
}


@pytest.mark.parametrize("name", IN_CYRILLIC)
async def test_the_character_set_of_a_header_counts(library: Library, folder: Path, name: str) -> None:
    (folder / name).write_bytes(IN_CYRILLIC[name])
    assert await urls(library, "таблиц") == ["https://a.example/"]


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


PAGES = {
    "https://trade.example/a": ("2026-11-05", "en"),
    "https://news.trade.example/b": ("2026-10-01", "de"),
    "https://other.example/c": (None, None),
}


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
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
]


async def test_filters(library: Library, folder: Path) -> None:
    for number, (url, (day, language)) in enumerate(PAGES.items()):
        fields = [f"url: {url}", *([f"date: {day}"] if day else []), *([f"language: {language}"] if language else [])]
        text = SAYS if language else "Estimates: approval."
        (folder / f"{number}.md").write_text("\n".join(["---", *fields, "---", text]))
    for filters, kept in FILTERS:
        found = await urls(library, "approval estimate text message", **filters)
        assert {url.rsplit("/", 1)[1] for url in found} == kept, filters
    assert len(await urls(library, "approval estimate text message", limit=1)) == 1


async def test_a_title_counts_more_than_the_text(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("---\ntitle: Harbour news\n---\nDeposits are mentioned here among many other things.")
    (folder / "b.md").write_text("---\ntitle: Deposits\n---\nThe harbour is mentioned here among many other things.")
    assert await urls(library, "deposits") == ["library:b.md", "library:a.md"]
    assert await urls(library, "deposits", limit=1) == ["library:b.md"]


async def test_no_query_is_taken_for_an_expression(library: Library, folder: Path) -> None:
    (folder / "a.html").write_text(HTML)
    odd = ["", "   ", '"', '""', "'", "AND", "NOT OR", "title:approval*", "\0", "(", "a\0 -", "^*", "日"]
    for text in (*odd, "a" * 5_000, "x " * 5_000):
        assert isinstance((await search(library, text)).hits, list), text


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


async def test_searches_at_once_all_find_something(library: Library, folder: Path) -> None:
    (folder / "a.html").write_text(HTML)
    [url] = await urls(library)

    async def search_often() -> list[list[str]]:
        return [await urls(library) for _ in range(30)]

    assert await asyncio.gather(*(search_often() for _ in range(10))) == [[[url]] * 30] * 10


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
    (folder / "a.html").write_text(HTML)
    index = tmp_path / "index.sqlite3"
    assert len(await urls(Library(folder, index))) == 1
    with sqlite3.connect(index) as db:
        db.execute("UPDATE files SET warning = 'as it was read'")
    db.close()
    found = await search(Library(folder, index))
    assert found.warnings == ["Not read from the library: as it was read"]


async def test_a_link_that_becomes_a_copy_of_the_same_time_is_read(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    outside, page = tmp_path / "a.html", folder / "a.html"
    outside.write_text(HTML)
    page.symlink_to(outside)
    assert await urls(library) == []
    page.unlink()
    shutil.copy2(outside, page)
    assert len(await urls(library)) == 1


async def test_a_link_in_place_of_a_file_that_left_the_library_is_named(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    (folder / "a.html").write_text(HTML)
    assert len(await urls(library)) == 1
    (folder / "a.html").rename(tmp_path / "a.html")
    (folder / "a.html").symlink_to(tmp_path / "a.html")
    found = await search(library)
    assert found.hits == []
    assert found.warnings == ["Not read from the library: a.html: It is a link that leaves the library."]


async def test_a_file_that_cannot_be_looked_at_is_named(library: Library, folder: Path) -> None:
    (folder / "a.html").symlink_to(folder / "b.html")
    (folder / "b.html").symlink_to(folder / "a.html")
    assert (await search(library)).warnings == [
        f"Not read from the library: {name}: It is a link that leads to itself." for name in ("a.html", "b.html")
    ]


async def test_a_file_is_read_again_when_its_rights_change(library: Library, folder: Path, tmp_path: Path) -> None:
    page = folder / "a.html"
    page.write_text(HTML)
    await urls(library)
    with sqlite3.connect(tmp_path / "index.sqlite3") as db:
        db.execute("UPDATE files SET warning = 'Permission denied'")
    db.close()
    page.chmod(0o600)
    assert (await search(library)).warnings == []


@pytest.mark.parametrize("damage", [b"no database" * 1_000, b""])
async def test_a_damaged_index_is_made_again(library: Library, folder: Path, tmp_path: Path, damage: bytes) -> None:
    (folder / "a.html").write_text(HTML)
    (tmp_path / "index.sqlite3").write_bytes(damage)
    assert len(await urls(library)) == 1


DAMAGES = [
    "UPDATE pages SET page = X'ff' || substr(page, 2)",
    "UPDATE pages SET page = CAST(replace(page, 'approval', X'fffefffefffefffe') AS BLOB)",
    "UPDATE pages SET page = 7",
    "UPDATE files SET path = CAST(X'ff' AS TEXT)",
]


async def test_an_index_with_a_damaged_record_is_made_again(library: Library, folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").write_text(HTML)
    [url] = await urls(library)
    for damage in DAMAGES:
        with sqlite3.connect(tmp_path / "index.sqlite3") as db:
            db.execute(damage)
        db.close()
        assert await urls(library) == [url], damage
        assert SAYS in (await library.read(url)).text, damage


async def test_an_index_with_damaged_tables_is_made_again(library: Library, folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").write_text(HTML)
    [url] = await urls(library)
    index = tmp_path / "index.sqlite3"
    for damaged in (b"\x80ontent = 'pages'", b"content = 'xages'"):
        sound = index.read_bytes()
        index.write_bytes(sound.replace(b"content = 'pages'", damaged, 1))
        assert index.read_bytes() != sound
        assert await urls(library) == [url], damaged


async def test_a_page_with_a_damaged_record_cannot_be_read(library: Library, folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").write_text(HTML)
    [url] = await urls(library)
    with sqlite3.connect(tmp_path / "index.sqlite3") as db:
        db.execute("UPDATE pages SET page = X'ff' || substr(page, 2)")
    db.close()
    with pytest.raises(PageUnavailable):
        await library.read(url)


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
