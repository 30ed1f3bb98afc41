"""Texts of people on the pages: rendered within bounds, whole, and comments in pages."""

import asyncio
import gc
import os
import re
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from html import unescape
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from sightline.platform.db import Database
from sightline.platform.turns import acting_for
from sightline.web.markdown import as_html
from sightline.web.page_texts import PageTexts
from tests.portal.product import SERVER_SECRET, Browser, PortalWorld
from tests.waiting import next_turn, until
from tests.world import serving

WIDE = "|a" * 180 + "|\n" + "|-" * 180 + "|\n" + "|x\n" * 1200
QUOTES = "> " * 2000 + "deep"
SQUARE = "|a" * 40 + "|\n" + "|-" * 40 + "|\n" + "|x\n" * 48  # with the head 1,960 cells


async def describe(world: PortalWorld, description: str) -> str:
    """Creates a visible idea; the address of its page."""
    idea = {"description": description, "portalVisible": True}
    made = await world.client.post("/ideas", json=idea)
    assert made.status_code == 201, made.text
    return f"/ideas/{made.json()['publicId']}"


async def signed_in(world: PortalWorld) -> Browser:
    browser = world.browser()
    await world.sign_in(browser)
    return browser


def prose(page: str) -> str:
    """The description."""
    return page.partition('<div class="prose" dir="auto">')[2].partition("</div>\n</article>")[0]


def as_written(html: str) -> str | None:
    found = re.fullmatch(r'<p class="as-written">(.*)</p>', html, re.DOTALL)
    return unescape(found[1]) if found else None


@pytest.mark.parametrize(
    "text",
    [
        WIDE,
        WIDE.replace("\n", "\r"),
        "> " + WIDE.replace("\n", "\n> "),
        "\n\n".join([SQUARE, SQUARE]),
        QUOTES,
        "1. " * 2000 + "deep",
        "<&" * 50_000,
        "<b>&amp; **whole** " * 20_000,
        "http://a " * 29_000,
        "word " * 200_000 + "end",
        "§" * 20_001,
        "&nbsp;" * 20_001,
    ],
    ids=[
        "wide",
        "returns",
        "quoted",
        "two tables",
        "quotes",
        "lists",
        "large page",
        "large text",
        "links",
        "largest text",
        "marks",
        "spaces",
    ],
)
async def test_a_text_beyond_the_bounds_is_shown_whole_as_it_was_written(world: PortalWorld, text: str) -> None:
    path = await describe(world, text)
    browser = await signed_in(world)
    assert as_written(prose((await browser.get(path)).text)) == text.replace("\r", "\n")


@asynccontextmanager
async def unread(world: PortalWorld, path: str) -> AsyncIterator[None]:
    """A client that reads only the first line of a page."""
    browser = await signed_in(world)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    target, host = urlsplit(browser.root).path + path, browser.client.base_url.netloc.decode()
    head = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", int(world.address.rpartition(":")[2])))
        client.setblocking(False)
        await loop.sock_sendall(client, head.encode())
        assert b"200 OK" in await asyncio.wait_for(loop.sock_recv(client, 15), 5)
        yield


async def test_large_texts_wait_in_a_file_until_the_client_is_gone(world: PortalWorld) -> None:
    path = await describe(world, "&" * 1_000_000)
    gc.collect()
    gc.disable()
    before = unread_files()
    try:
        async with unread(world, path):
            assert unread_files() == before + 1
            # The thread that rendered the page may end a moment after the page begins.
            await until(lambda: not any(isinstance(each, PageTexts) and each.large for each in gc.get_objects()), 10)
        await until(lambda: unread_files() == before)
    finally:
        gc.enable()


async def test_a_large_page_waits_in_a_file_until_the_client_is_gone(world: PortalWorld) -> None:
    options = [{"key": f"{n:03}{'&' * 250}", "label": "&" * 252} for n in range(100)]
    groups = [{"key": f"g{n}", "options": options} for n in range(8)]
    await world.add(
        taxonomy={"groups": groups}, portal={"alias": world.slug, "facets": [group["key"] for group in groups]}
    )
    await describe(world, "Short")
    before = unread_files()
    async with unread(world, "/"):
        assert unread_files() == before + 1
    await until(lambda: unread_files() == before)
    assert (await (await signed_in(world)).get("/")).text.endswith("</html>")


def unread_files() -> int:
    """How many files without a name are open."""
    return sum(os.fstat(int(name)).st_nlink == 0 for name in os.listdir("/proc/self/fd") if is_open_file(int(name)))


def is_open_file(number: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(number).st_mode)
    except OSError:  # that of the listing
        return False


async def test_large_texts_are_read_when_no_other_large_record_is(world: PortalWorld) -> None:
    paths = [await describe(world, "&" * 100_000), await describe(world, "Short")]
    for path, body in zip(paths, ["Short", "🦊" * 20_000], strict=True):
        comment = {"body": body, "visibility": "portal"}
        assert (await world.client.post(f"{path}/comments", json=comment)).status_code == 201
    browser, short = await signed_in(world), await describe(world, "Short")
    async with AsyncExitStack() as held:
        for each in gc.get_objects():
            if type(each) is Database:  # that of the server is one
                await held.enter_async_context(each.large_read())
        larges = [asyncio.create_task(browser.get(path)) for path in paths]
        larges.append(asyncio.create_task(browser.post(f"{paths[0]}/comments", {"body": " "})))
        assert (await browser.get(short)).status_code == 200
        assert (await browser.post(f"{paths[0]}/vote", {"vote": "1"})).status_code == 303
        assert not any(large.done() for large in larges)
    assert [large.status_code for large in await asyncio.gather(*larges)] == [200, 200, 422]


async def test_a_long_request_of_ones_own_waits_in_a_file(world: PortalWorld) -> None:
    words = "<&" * 200_000
    await world.add(
        ideas=[
            {
                "key": "hidden",
                "name": "Hidden",
                "description": "Hidden",
                "evidence": [{"key": "words", "title": "Mine", "description": words, "origin": "portal"}],
            }
        ],
        portal={
            "users": [{"key": "ada", "email": "ada@acme.example"}],
            "requests": [{"idea": "hidden", "user": "ada"}],
        },
    )
    browser = world.browser()
    await world.sign_in(browser, email="ada@acme.example")
    page = await browser.get("/ideas/IDEA-1")
    assert as_written(page.text.partition('own-words" dir="auto">')[2].partition("</div>")[0]) == words
    assert "content-length" not in page.headers


async def test_texts_within_the_bounds_are_rendered(world: PortalWorld) -> None:
    browser = await signed_in(world)
    assert prose((await browser.get(await describe(world, SQUARE))).text).count("<td>") == 48 * 40
    long = "A **paragraph** of an ordinary text.\n\n" * 3000
    assert prose((await browser.get(await describe(world, long))).text).count("<strong>") == 3000
    nested = await browser.get(await describe(world, "> " * 50 + "- " * 50 + "deep"))
    assert prose(nested.text).count("<blockquote>") == 50


async def test_a_hostile_comment_is_shown_as_it_was_written(world: PortalWorld) -> None:
    path = await describe(world, "Text")
    browser = await signed_in(world)
    sent = await browser.post(f"{path}/comments", {"body": WIDE[:4347]})
    assert sent.status_code == 303
    page = (await browser.get(path)).text
    assert "<table" not in page
    assert WIDE[:4347].rstrip() in page


async def test_the_texts_of_a_page_are_rendered_up_to_a_bound(world: PortalWorld) -> None:
    path = await describe(world, "Some **text**")
    bodies = [f"**{number}** & {'wörd ' * 3_800}end" for number in range(15)]
    for body in [*bodies, "An *ordinary* one"]:
        comment = {"body": body, "visibility": "portal"}
        assert (await world.client.post(f"{path}/comments", json=comment)).status_code == 201
    page = await (await signed_in(world)).get(path)
    assert "Some <strong>text</strong>" in page.text
    assert "An <em>ordinary</em> one" in page.text
    assert "<strong>12</strong>" in page.text
    assert [as_written(html) for html in re.findall(r'<p class="as-written">[^<]*</p>', page.text)] == bodies[13:]
    assert "content-length" not in page.headers, "large texts are sent in pieces"


async def test_the_html_of_a_page_has_a_bound(world: PortalWorld) -> None:
    path = await describe(world, "Some **text**")
    quotes = [f"{number}\n\n" + (">" * 20 + "a\n\n") * 450 for number in range(4)]
    for body in quotes:
        comment = {"body": body, "visibility": "portal"}
        assert (await world.client.post(f"{path}/comments", json=comment)).status_code == 201
    page = await (await signed_in(world)).get(path)
    assert len(page.text) < 600_000
    assert [as_written(html) for html in re.findall(r'<p class="as-written">[^<]*</p>', page.text)] == quotes[2:]


async def test_short_texts_do_not_wait_for_long_ones() -> None:
    long = [asyncio.create_task(as_html(f"{number}\n\n" + "1. a\n" * 50_000)) for number in range(30)]
    await next_turn()
    await as_html("Some *short* text")
    assert sum(task.done() for task in long) < 10
    await asyncio.gather(*long)


async def test_of_a_large_table_the_list_shows_the_beginning_as_it_was_written(world: PortalWorld) -> None:
    await describe(world, "|First|" + "|" * 70 + "\n" + "|-" * 70 + "|\n" + "|x\n" * 100)
    await describe(world, "|Second|\n|-|\n|x|")
    page = unescape((await (await signed_in(world)).get("/")).text)
    assert "|First|||" in page
    assert "|Second|" not in page
    assert "Second x" in page


async def test_html_in_a_text_is_shown_as_text(world: PortalWorld) -> None:
    browser = await signed_in(world)
    text = "Use <Button> & `<i>`.\n\n<div onclick=x>\n\n# <h1>\n\n<https://ok.test/?a=<b> <https://ok.test>"
    shown = prose((await browser.get(await describe(world, text))).text)
    assert "Use &lt;Button&gt; &amp; <code>&lt;i&gt;</code>." in shown
    assert "&lt;div onclick=x&gt;" in shown
    assert "<h3>&lt;h1&gt;</h3>" in shown
    assert re.search('<a href="https://ok.test" [^>]*>https://ok.test</a>', shown)


async def test_lines_of_a_comment_stay_lines(world: PortalWorld) -> None:
    path = await describe(world, "One\ntwo")
    browser = await signed_in(world)
    body = "# Head\none\ntwo\\\nthree\n\n- a\n- b\n  c\n\n| a |\n|---|\n| b |"
    await browser.post(f"{path}/comments", {"body": body})
    page = (await browser.get(path)).text
    assert "<p>One\ntwo</p>" in page
    assert "<p>one<br>\ntwo<br>\nthree</p>" in page
    assert "<li>b<br>\nc</li>" in page
    assert "<td>b</td>" in page


async def test_comments_come_in_pages_the_newest_first(world: PortalWorld) -> None:
    path = await describe(world, "Text")
    for number in range(45):
        await world.client.post(f"{path}/comments", json={"body": f"Number {number}.", "visibility": "portal"})
    browser = await signed_in(world)
    seen: list[list[int]] = []
    for page in ("", "?page=2", "?page=3", "?page=99"):
        text = (await browser.get(path + page)).text
        seen.append([int(number) for number in re.findall(r"Number (\d+)\.", text)])
        assert ("Older comments" in text) == (page in ("", "?page=2"))
        assert ("Newer comments" in text) == (page != "")
    assert seen == [list(range(25, 45)), list(range(5, 25)), list(range(5)), list(range(5))]
    faulty = await browser.post(f"{path}/comments", {"body": " "})
    assert f'href="{browser.root}{path}?page=2#comments-title"' in faulty.text


async def test_what_is_rendered_is_kept_within_bounds() -> None:
    first = await as_html("Some **text**")
    assert await as_html("Some **text**") is first
    assert await as_html("Some\n**text**", keeps_lines=True) != await as_html("Some\n**text**")
    for number in range(100):
        await as_html(f"{number}\n\n" + "word " * 40_000)
    assert await as_html("Some **text**") is not first


async def test_a_text_that_two_want_is_rendered_once() -> None:
    acting_for.set(uuid4())
    text = "Another **text** " * 1_000
    one, other = await asyncio.gather(as_html(text), as_html(text))
    assert one is other


async def test_a_visitor_with_many_long_texts_keeps_no_other_waiting(world: PortalWorld) -> None:
    paths = [await describe(world, f"{number} https://a" + "&" * 50_000) for number in range(8)]
    plain = await describe(world, "Plain words here. " * 300)
    one, other, ended = await signed_in(world), await signed_in(world), list[str]()

    async def look(browser: Browser, path: str) -> None:
        assert (await browser.get(path)).status_code == 200
        ended.append(path)

    looks = [asyncio.create_task(look(one, path)) for path in paths]
    await asyncio.wait(looks, return_when=asyncio.FIRST_COMPLETED)
    await look(other, plain)
    assert len(ended) < 6
    await asyncio.gather(*looks)


async def test_searches_are_limited_for_each_person(world: PortalWorld, database_url: str) -> None:
    async with serving(database_url, secret=SERVER_SECRET) as address:
        browser, other = world.browser(address), world.browser(address)
        await world.sign_in(browser)
        await world.sign_in(other)
        paths = ["/?q=exprot", "/request?title=exprot", "/request/similar?title=exprot"]
        answers = [await browser.get(paths[number % 3]) for number in range(121)]
        assert [answer.status_code for answer in answers] == [200] * 120 + [429]
        assert "That was too often" in answers[-1].text
        assert 0 < int(answers[-1].headers["retry-after"]) <= 61
        assert (await browser.get("/")).status_code == 200
        assert (await other.get("/?q=exprot")).status_code == 200


async def test_near_misses_are_corrected_among_very_many(world: PortalWorld) -> None:
    near = [f"exportin{letter}{other}" for letter in "abcdefghij" for other in "abcdefghij"]
    visible = {"description": "Near.", "portalVisible": True}
    await world.add(ideas=[{"key": f"i{n}", "name": word, **visible} for n, word in enumerate(near)])
    browser = await signed_in(world)
    assert "These are ideas about “exportinaa”" in (await browser.get("/?q=exprotinaa")).text


async def test_at_most_four_words_of_a_search_are_corrected(world: PortalWorld) -> None:
    name = "compass lantern harbour pelican mandarin"
    await world.add(ideas=[{"key": "i", "name": name, "description": "x", "portalVisible": True}])
    browser = await signed_in(world)
    assert (
        "These are ideas about “compass lantern harbour pelican”"
        in (await browser.get("/?q=compsas+lantren+harbuor+pelicna")).text
    )
    assert "These are ideas" not in (await browser.get("/?q=compsas+lantren+harbuor+pelicna+mandarni")).text
