"""Forms that are refused, limited or sent while signed out: nothing is lost, and nothing is sent unasked."""

import re
from html import unescape
from typing import Any

import httpx2
import pytest

from sightline.portal.waiting import queries
from tests.portal.product import SERVER_SECRET, Browser, PortalWorld
from tests.portal.test_pages import fill, signed_in
from tests.world import serving

COUNT = "SELECT count(*) FROM portal_waiting_forms WHERE workspace_id = $1"
COMMENTS = "SELECT array_agg(body) FROM idea_comments WHERE workspace_id = $1"


def forms(page: str) -> list[tuple[str, dict[str, str]]]:
    """The path and the fields of each form on the page that can be sent again."""
    found = []
    for path, inside in re.findall(r'<form class="write" method="post" action="([^"]*)">(.*?)</form>', page, re.DOTALL):
        fields = dict(re.findall(r'<input [^>]*name="([^"]*)"[^>]* value="([^"]*)"', inside))
        fields |= dict(re.findall(r'<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</textarea>', inside))
        found.append((unescape(path), {name: unescape(value) for name, value in fields.items()}))
    return found


async def resend(browser: Browser, form: tuple[str, dict[str, str]]) -> httpx2.Response:
    """Presses the button of a form as it is."""
    path, fields = form
    return await browser.send("POST", path.removeprefix(browser.root), {}, fields)


async def left(world: PortalWorld, path: str = "/ideas/IDEA-1/comments", **fields: str) -> tuple[Browser, Any]:
    """A browser that sent a form without being signed in, and the answer."""
    browser = world.browser()
    answer = await browser.send("POST", path, {}, fields or {"body": "Precious words"})
    assert answer.status_code == 401
    return browser, answer


async def test_a_comment_sent_while_signed_out_waits_and_one_button_sends_it(world: PortalWorld) -> None:
    await fill(world)
    browser, answer = await left(world)
    assert "Precious words</textarea>" in answer.text
    cookie = next(line for line in answer.headers.get_list("set-cookie") if "_waiting=" in line)
    assert "HttpOnly" in cookie
    assert "Max-Age=900" in cookie
    await world.sign_in(browser)
    for path in ("/ideas/IDEA-1", "/", "/mine"):
        page = (await browser.get(path)).text
        assert "Not sent yet" in page
    assert await world.value(COMMENTS) is None, "no GET sends it"
    [form] = forms((await browser.get("/")).text)
    assert form[1]["body"] == "Precious words"
    assert (await resend(browser, form)).status_code == 303
    assert await world.value(COMMENTS) == ["Precious words"]
    assert "Not sent yet" not in (await browser.get("/")).text


async def test_a_vote_and_a_request_wait_too(world: PortalWorld, database_url: str) -> None:
    await fill(world)
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        await browser.send("POST", "/ideas/IDEA-2/vote", {"HX-Request": "true"}, {"vote": "1"})
        await browser.send("POST", "/request", {}, {"title": "Teleport", "text": "To *any* room"})
        await world.sign_in(browser)
        vote, request = forms((await browser.get("/")).text)
        assert (await resend(browser, vote)).status_code == 303
        assert await world.value("SELECT vote_count FROM idea_votes WHERE workspace_id = $1 AND number = 2") == 1
        assert (await resend(browser, request)).headers["location"].endswith("/ideas/IDEA-5?sent=1"), "not too fast"
        assert forms((await browser.get("/")).text) == []


async def test_what_waits_stays_until_it_is_saved(world: PortalWorld) -> None:
    await fill(world)
    browser, _ = await left(world, body=" ")
    await world.sign_in(browser)
    [(path, fields)] = forms((await browser.get("/")).text)
    faulty = await resend(browser, (path, fields))
    assert faulty.status_code == 422
    assert "Not sent yet" in (await browser.get("/")).text
    [mended] = [form for form in forms(faulty.text) if form[0].endswith("/comments")]
    assert (await resend(browser, (path, mended[1] | {"body": "Better"}))).status_code == 303
    assert "Not sent yet" not in (await browser.get("/")).text


async def test_what_waits_for_a_deleted_idea_is_shown_once_more_and_forgotten(world: PortalWorld) -> None:
    await fill(world)
    browser, _ = await left(world)
    await world.sign_in(browser)
    await world.client.delete("/ideas/IDEA-1")
    [form] = forms((await browser.get("/")).text)
    answer = await resend(browser, form)
    assert answer.status_code == 404
    assert "Precious words</textarea>" in answer.text
    assert forms((await browser.get("/")).text) == []


async def test_forms_of_signed_out_people_are_limited_by_address(world: PortalWorld, database_url: str) -> None:
    await fill(world)
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        send = {"body": "Precious words"}
        answers = [await browser.send("POST", "/ideas/IDEA-1/comments", {}, send) for _ in range(31)]
    assert [answer.status_code for answer in answers] == [*[401] * 30, 429]
    assert "Precious words</textarea>" in answers[-1].text


async def test_a_form_of_another_site_does_not_wait(world: PortalWorld) -> None:
    await fill(world)
    for header in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test"}, {"Origin": "null"}):
        answer = await world.browser().send("POST", "/ideas/IDEA-1/comments", header, {"body": "Buy"})
        assert answer.status_code == 401
        assert "_waiting=" not in str(answer.headers)
    assert await world.value(COUNT) == 0


@pytest.mark.parametrize("idea", ["%00", "a%00b", "%ff", "%2F", "x" * 3_000])
async def test_a_form_for_no_idea_does_not_wait(world: PortalWorld, idea: str) -> None:
    for form, fields in (("vote", {"vote": "1"}), ("comments", {"body": "Buy"})):
        answer = await world.browser().send("POST", f"/ideas/{idea}/{form}", {}, fields)
        assert answer.status_code == 401
    assert await world.value(COUNT) == 0


async def test_what_waits_belongs_to_the_browser_and_ends_with_it(world: PortalWorld) -> None:
    await fill(world)
    browser, _ = await left(world)
    other = await signed_in(world)
    assert "Not sent yet" not in (await other.get("/")).text
    await world.sign_in(browser)
    await browser.post("/signout", {})
    await world.sign_in(browser)
    assert "Not sent yet" not in (await browser.get("/")).text, "the next person reads nothing"


async def test_what_waits_is_bounded_and_the_oldest_go_first(world: PortalWorld) -> None:
    await fill(world)
    browser = world.browser()
    for number in range(7):
        await browser.send("POST", "/ideas/IDEA-1/comments", {}, {"body": f"Words {number}"})
        await browser.send("POST", "/ideas/IDEA-1/comments", {}, {"body": f"Words {number}"})
    await world.sign_in(browser)
    found = [fields["body"] for _, fields in forms((await browser.get("/")).text)]
    assert found == [f"Words {number}" for number in range(2, 7)]
    _, answer = await left(world, body="x" * 32 * 1024)
    assert "copy it before you sign in" in answer.text
    assert await world.value(COUNT) == 5


async def test_a_thousand_wait_at_most(world: PortalWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (queries.MOST, queries.MOST_OF_ADDRESS, queries.LARGEST) == (1000, 5, 32 * 1024)
    await fill(world)
    monkeypatch.setattr(queries, "MOST", 2)
    for number in range(4):
        await left(world, body=f"Words {number}")
    async with world.database.autocommit() as tx:
        assert await tx.connection.fetchval("SELECT count(*) FROM portal_waiting_forms") == 2


async def test_what_waits_ends_after_15_minutes(world: PortalWorld) -> None:
    await fill(world)
    browser, _ = await left(world)
    await world.sign_in(browser)
    async with world.database.autocommit() as tx:
        await tx.connection.execute(
            "UPDATE portal_waiting_forms SET expires_at = expires_at - interval '15 minutes' WHERE workspace_id = $1",
            world.workspace_id,
        )
    assert "Not sent yet" not in (await browser.get("/")).text
    await left(world, body="More")
    assert await world.value(COUNT) == 1, "the next one takes its place"


async def test_a_limited_comment_stands_in_its_form_with_the_minutes_to_wait(
    world: PortalWorld, database_url: str
) -> None:
    await fill(world)
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        await world.sign_in(browser)
        for number in range(10):
            await browser.post("/ideas/IDEA-1/comments", {"body": f"Words {number}"})
        limited = await browser.post("/ideas/IDEA-1/comments", {"body": "Precious words"})
        assert limited.status_code == 429
        assert "You can send it again in 10 minutes." in limited.text
        [form] = forms(limited.text)
        assert form[1]["body"] == "Precious words"
        assert (await resend(browser, form)).status_code == 429


async def test_an_old_form_is_sent_again_with_one_button(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = {"csrf": await browser.form_token(), "body": "Precious words"}
    browser.cookies.clear()
    await world.sign_in(browser)
    refused = await browser.post("/ideas/IDEA-1/comments", fields)
    assert refused.status_code == 403
    assert await world.value(COMMENTS) is None
    [form] = forms(refused.text)
    assert (await resend(browser, form)).status_code == 303
    assert await world.value(COMMENTS) == ["Precious words"]
    hostile = await browser.post("/ideas/IDEA-1/comments", fields, Sec_Fetch_Site="cross-site")
    assert (hostile.status_code, forms(hostile.text)) == (403, [])


async def test_a_vote_of_an_old_page_keeps_its_button_and_the_next_press_counts(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    old = await browser.form_token()
    browser.cookies.clear()
    await world.sign_in(browser)
    answer = await browser.post("/ideas/IDEA-1/vote", {"vote": "1", "csrf": old}, HX_Request="true")
    assert (answer.status_code, answer.headers["hx-reswap"]) == (403, "outerHTML")
    assert "Not saved. Try again." in answer.text
    assert 'aria-pressed="false"' in answer.text
    token = re.search(r'name="csrf" value="([^"]+)"', answer.text)
    assert token is not None
    again = await browser.post("/ideas/IDEA-1/vote", {"vote": "1", "csrf": token[1]}, HX_Request="true")
    assert (again.status_code, again.headers["hx-reswap"]) == (200, "outerHTML")


async def test_deleting_a_comment_asks_once(world: PortalWorld) -> None:
    await fill(world)
    browser, other = await signed_in(world), await signed_in(world)
    sent = await browser.post("/ideas/IDEA-1/comments", {"body": "Precious words"})
    page = await browser.get(sent.headers["location"].removeprefix(browser.root))
    assert "Your comment is sent." in page.text
    assert "<title>Sent: " in page.text
    path = f"/ideas/IDEA-1/comments/{sent.headers['location'].partition('#comment-')[2]}/delete"
    assert f'href="{browser.root}{path}"' in page.text
    asked = await browser.get(path)
    assert "Delete this comment?" in asked.text
    assert "Precious words" in asked.text
    assert await world.value(COMMENTS) == ["Precious words"]
    assert (await other.get(path)).status_code == 404
    assert (await browser.post(path, {})).status_code == 303
    assert (await browser.get(path)).status_code == 404


async def test_addresses_in_comments_are_links_without_credit(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    body = "See https://a.test/x_(y)?p=1&q=2, (http://b.test). `https://code.test` [named](https://c.test) https:// <https://d.test>"
    await browser.post("/ideas/IDEA-1/comments", {"body": body})
    page = (await browser.get("/ideas/IDEA-1")).text
    links = re.findall(r'<a href="(https?://[^"]*)" rel="([^"]*)">([^<]*)</a>', page)
    assert [(unescape(href), unescape(text)) for href, _, text in links] == [
        ("https://a.test/x_(y)?p=1&q=2", "https://a.test/x_(y)?p=1&q=2"),
        ("http://b.test", "http://b.test"),
        ("https://c.test", "named"),
        ("https://d.test", "https://d.test"),
    ]
    assert all("nofollow" in rel for _, rel, _ in links)
    assert "<code>https://code.test</code>" in page


async def test_crawlers_and_browsers_find_their_files_at_the_root(world: PortalWorld) -> None:
    await world.open_portal(host=f"{world.slug}.test")
    for host in ("127.0.0.1", f"{world.slug}.test"):
        async with world.browser(host=host, root="") as browser:
            robots, icon = await browser.get("/robots.txt"), await browser.get("/favicon.ico")
            assert (robots.status_code, robots.text) == (200, "User-agent: *\nDisallow: /\n")
            assert (icon.status_code, icon.headers["content-type"]) == (200, "image/x-icon")
            nothing = await browser.get("/nothing", Accept="text/html")
            assert nothing.status_code == 404
            assert "Page not found" in nothing.text
