"""Files that are damaged, too large, lead elsewhere or hide something never break a search."""

import gzip
import os
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from sightline.sources.library import Library
from tests.sources.library.saved import FILES, HTML, search, urls, warc

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


HIDDEN = "Nobody will ever read that deposits are refunded."
NOT_SHOWN = f"<p hidden>{HIDDEN}</p><p style='display: none'>{HIDDEN}</p><script>let deposits</script>"


@pytest.mark.parametrize("name", ["a.html", "e.xml", "f.mhtml", "g.warc.gz"])
async def test_text_that_a_saved_page_hides_is_not_read(library: Library, folder: Path, name: str) -> None:
    content, url, _, _ = FILES[name]
    if name == "g.warc.gz":
        content = warc([(url, "200 OK", HTML.replace("</article>", f"{NOT_SHOWN}</article>"))])
    elif name == "e.xml":
        content = content.replace(b"&lt;p&gt;More.", escape(NOT_SHOWN).encode() + b"&lt;p&gt;More.")
    else:
        equals = "=3D" if name == "f.mhtml" else "="
        content = content.replace(b"</article>", NOT_SHOWN.replace("=", equals).encode() + b"</article>")
    (folder / name).write_bytes(content)
    assert await urls(library) == [url]
    assert "deposits" not in (await library.read(url)).text
