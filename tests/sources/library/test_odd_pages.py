"""One odd entry or page of a file is left out and counted; the others are read."""

import gzip
from datetime import UTC, datetime
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

import pytest

from sightline.sources.extraction import extract
from sightline.sources.languages import language_of
from sightline.sources.library import archives, feeds
from sightline.sources.library.library import Library
from sightline.sources.pages import PageUnavailable
from tests.sources.library.saved import HTML, SAYS, record, search, warc

ODD = {
    "a date": "<pubDate>9999-12-31T23:59:59-14:00</pubDate><description>It is odd.</description>",
    "two bodies": "<description>&lt;html hidden&gt;&lt;body&gt;It is odd.&lt;/body&gt;&lt;body&gt;b</description>",
    "a declaration": "<description>&lt;?xml version='1.0' encoding='utf-8'?&gt;It is odd.</description>",
    "half of a pair": "<description>It is &#xD800; odd.</description>",
    "a control character": "<description>It is &lt;br&gt;\x01\x0c odd.</description>",
    "a reference to one": "<description>It is &lt;br&gt;&amp;#12; odd.</description>",
    "beyond all characters": "<description>It is &#99999999999; odd.</description>",
}


def feed(odd: str) -> bytes:
    item = "<item><title>Entry</title><link>https://wire.example/{}</link>{}</item>"
    says = f"<description>{SAYS}</description>"
    entries = "".join(item.format(number, odd if number == 1 else says) for number in range(3))
    return f"<?xml version='1.0'?><rss version='2.0'><channel><title>Wire</title>{entries}</channel></rss>".encode()


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_entry_of_a_feed_is_read(library: Library, folder: Path, name: str) -> None:
    (folder / "a.xml").write_bytes(feed(ODD[name]))
    found = await search(library, "odd approval")
    assert {hit.url for hit in found.hits} == {f"https://wire.example/{number}" for number in range(3)}
    assert found.warnings == []
    page = await library.read("https://wire.example/1")
    assert " ".join(page.text.split()).startswith("It is")
    assert page.published is None


def raise_at(odd: str, function: Any) -> Any:
    """The function, with an error where the odd text is."""

    def failing(*given: Any, **named: Any) -> Any:
        if odd in str(given[0]):
            raise AssertionError
        return function(*given, **named)

    return failing


def test_an_entry_that_cannot_be_read_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "language_of", raise_at("odd", language_of))
    pages = feeds.read_feed(feed("<description>It is odd.</description>"), "library:a.xml", datetime.now(UTC))
    assert [next(pages).url for _ in range(2)] == ["https://wire.example/0", "https://wire.example/2"]
    with pytest.raises(PageUnavailable, match=r"^1 of its entries cannot be read\.$"):
        next(pages)


ODD_PAGE = HTML.replace("one tap", "an odd tap")
PAGES = [(f"https://old.example/{n}", "200 OK", page) for n, page in enumerate([HTML, ODD_PAGE, HTML, HTML])]


def test_a_page_of_an_archive_that_cannot_be_read_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "extract", raise_at("odd", extract))
    pages = archives.read_archive(BufferedReader(BytesIO(warc(PAGES))), "library:a.warc.gz", datetime.now(UTC))
    assert [next(pages).url for _ in range(3)] == [f"https://old.example/{number}" for number in (0, 2, 3)]
    with pytest.raises(PageUnavailable, match=r"^1 of its pages cannot be read\.$"):
        next(pages)


READ = {
    "plain": ("", HTML.encode()),
    "packed": ("gzip", gzip.compress(HTML.encode())),
    "unpacked": ("br", HTML.encode()),
    "unpacked-behind-a-mark": ("br", HTML.encode("utf-8-sig")),
    "unpacked-behind-words": ("none", f"A notice\r\n\f{HTML}".encode()),
    "a-character-set": ("utf-8", HTML.encode("utf-8-sig")),
}
REFUSED = {
    "too large": ("", f"{HTML}{'a' * 2_000_000}".encode()),
    "many tags": ("", HTML.replace("one tap", "<b>a</b>" * 20_000).encode()),
    "too deep": ("", f"{'<div>' * 300}{HTML}".encode()),
    "no text": ("", b"\0" + HTML.encode()),
    "of an unknown encoding": ("br", b"\x8b\x02\x80compressed" * 20),
    "of an old encoding": ("x-gzip", gzip.compress(HTML.encode())),
}


async def test_refused_pages_of_an_archive_are_counted_and_those_without_a_text_are_not(
    library: Library, folder: Path
) -> None:
    pages = READ | REFUSED | {"empty": ("", b"<html><body></body></html>")}
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {}\r\n\r\n"
    at = "https://old.example/{}".format
    records = [record(at(name), head.format(how).encode() + body) for name, (how, body) in pages.items()]
    (folder / "a.warc").write_bytes(b"".join(records))
    found = await search(library, "approval compressed")
    assert {hit.url for hit in found.hits} == set(map(at, READ))
    assert found.warnings == ["Not read from the library: a.warc: 6 of its pages cannot be read."]


async def test_an_archive_may_be_packed_whole(library: Library, folder: Path) -> None:
    (folder / "a.warc.gz").write_bytes(gzip.compress(warc(PAGES, compressed=False)))
    found = await search(library)
    assert {hit.url for hit in found.hits} == {url for url, _, _ in PAGES}
    assert found.warnings == []


async def test_a_folder_that_is_too_deep_is_named(library: Library, folder: Path) -> None:
    deepest = folder.joinpath("d/" * 20)
    (deepest / "deeper" / "still").mkdir(parents=True)
    for place in (deepest, deepest / "deeper", deepest / "deeper" / "still"):
        (place / f"{place.name}.txt").write_text(SAYS)
    found = await search(library)
    assert [hit.url for hit in found.hits] == [f"library:{'d/' * 20}d.txt"]
    assert found.warnings == [f"Not read from the library: {'d/' * 20}deeper: It is a folder that cannot be read."]
