"""The pages: what they show, to whom, and what they keep to themselves."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.portal.product import Browser, PortalWorld

TAXONOMY = {
    "groups": [
        {
            "key": "theme",
            "label": "Theme",
            "kind": "list",
            "selectionMode": "multi",
            "options": [{"key": "speed", "label": "Speed"}, {"key": "export", "label": "Exports"}],
        },
        {
            "key": "effort",
            "label": "Effort",
            "kind": "list",
            "selectionMode": "single",
            "options": [{"key": "secret-size", "label": "Secret size"}],
        },
    ]
}


LINKED = {"role": "supports", "origin": "manual"}


def idea(key: str, name: str, *, visible: bool = True, **others: Any) -> dict[str, Any]:
    return {"key": key, "name": name, "description": f"About {name}.", "portalVisible": visible, **others}


def themed(option: str) -> dict[str, Any]:
    return {"classifications": [{"groupKey": "theme", "optionValues": [option]}]}


def titles(page: str) -> list[str]:
    found = re.findall(r'class="title"><a [^>]*>(.*?)</a>', page)
    return [re.sub("</?mark>", "", title) for title in found]


async def fill(world: PortalWorld) -> None:
    await world.add(
        taxonomy=TAXONOMY,
        products=[{"key": "app", "name": "App"}, {"key": "api", "name": "API"}, {"key": "quiet", "name": "Quiet one"}],
        portal={"alias": world.slug, "name": "Acme ideas", "intro": "Give us <b>more</b>.", "facets": ["theme"]},
        ideas=[
            idea("csv", "CSV export", product="app", **themed("export")),
            idea("fast", "Faster start", product="api", **themed("speed")),
            idea("dark", "Dark mode", product="app"),
            idea("hidden", "Buy the competitor", product="quiet", visible=False),
        ],
    )  # fmt: skip


async def signed_in(world: PortalWorld, **claims: Any) -> Browser:
    browser = world.browser()
    await world.sign_in(browser, **claims)
    return browser


async def test_the_list_shows_visible_ideas_with_their_facts(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world, first_name="Bo")
    page = (await browser.get("/")).text
    assert sorted(titles(page)) == ["CSV export", "Dark mode", "Faster start"]
    assert "3 ideas" in page
    assert "Give us &lt;b&gt;more&lt;/b&gt;." in page
    assert "Vote for CSV export" in page
    assert 'aria-pressed="false"' in page
    assert "competitor" not in page
    assert "Quiet one" not in page, "a product without visible ideas"
    assert "Secret size" not in page, "a group that is not exposed"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=export", ["CSV export"]),
        ("?q=EXPO+csv", ["CSV export"]),
        ("?q=competitor", []),
        ("?q=exprot", ["CSV export"]),
        ("?q=!!!", []),
        ("?q=%27+OR+1%3D1+%3A%2A", []),
        ("?f.theme=speed", ["Faster start"]),
        ("?f.theme=unknown&f.effort=secret-size", ["Dark mode", "Faster start", "CSV export"]),
        ("?sort=newest", ["Dark mode", "Faster start", "CSV export"]),
        ("?sort=wrong&page=-1&x=%00", ["Dark mode", "Faster start", "CSV export"]),
        ("?page=99", ["Dark mode", "Faster start", "CSV export"]),
        ("?q=%00export", ["CSV export"]),
    ],
)
async def test_the_list_is_searched_filtered_and_sorted(world: PortalWorld, query: str, found: list[str]) -> None:
    await fill(world)
    browser = await signed_in(world)
    answer = await browser.get(f"/{query}")
    assert answer.status_code == 200
    assert titles(answer.text) == found


@pytest.mark.parametrize(
    ("q", "title"),
    [
        ("csv/excel", "CSV/Excel export"),
        ("excel", "CSV/Excel export"),
        ("tls 1.3", "Support for TLS 1.3"),
        ("node.j", "Examples for node.js"),
        ("https://docs.test/faq", "Link to https://docs.test/faq"),
        ("faq", "Link to https://docs.test/faq"),
        ("u\u0308bersicht", "Übersicht nach Ländern"),
        ("भाषा", "हिन्दी भाषा"),
        ("\u0301", None),
    ],
)
async def test_a_search_finds_words_that_are_joined_and_words_of_any_script(
    world: PortalWorld, q: str, title: str | None
) -> None:
    names = ["CSV/Excel export", "Support for TLS 1.3", "Examples for node.js", "Link to https://docs.test/faq"]
    names += ["Übersicht nach Ländern", "हिन्दी भाषा"]
    await world.add(ideas=[idea(str(n), name) for n, name in enumerate(names)])
    browser = await signed_in(world)
    assert titles((await browser.get(f"/?{urlencode({'q': q})}")).text) == ([title] if title else [])


async def test_products_filter_and_every_filter_can_be_removed(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    product = (await world.ids("products"))["app"]
    page = (await browser.get(f"/?product={product}&q=mode")).text
    assert titles(page) == ["Dark mode"]
    assert f'href="{browser.root}/?product={product}"' in page
    assert f'href="{browser.root}/?q=mode"' in page


async def test_a_search_without_result_offers_a_way_on(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    page = (await browser.get("/?q=Teleportation+%3Cb%3E")).text
    assert "No idea matches “Teleportation &lt;b&gt;”" in page
    assert "/request?title=Teleportation+%3Cb%3E" in page
    corrected = (await browser.get("/?q=exprot")).text
    assert "Nothing was found for “exprot”" in corrected


async def test_pages_of_twenty(world: PortalWorld) -> None:
    await world.add(ideas=[idea(f"i{n}", f"Idea number {n}") for n in range(45)])
    browser = await signed_in(world)
    seen: list[str] = []
    for number in (1, 2, 3):
        page = (await browser.get(f"/?page={number}")).text
        assert f"Page {number} of 3" in page
        seen += titles(page)
    assert len(set(seen)) == len(seen) == 45


async def test_an_empty_portal_says_what_to_do(world: PortalWorld) -> None:
    browser = await signed_in(world)
    assert "There are no ideas here yet" in (await browser.get("/")).text
    mine = (await browser.get("/mine")).text
    assert "Ideas that you request appear here" in mine
    assert "Ideas that you vote for appear here" in mine


async def test_an_idea_is_shown_with_markdown_that_does_no_harm(world: PortalWorld) -> None:
    text = (
        "# Big\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1)) ![i](https://evil.test/i.png) "
        "[ok](https://ok.test)\n\n<img src=x onerror=alert(1)>\n\n| a |\n|---|\n| b |"
    )
    await world.add(ideas=[idea("md", "Markdown") | {"description": text}])
    browser = await signed_in(world)
    page = (await browser.get("/ideas/idea-1")).text
    assert "<h3>Big</h3>" in page
    assert "<strong>bold</strong>" in page
    assert "<td>b</td>" in page
    assert '<a href="https://ok.test" rel="nofollow ugc noopener noreferrer">ok</a>' in page
    prose = page.partition('<div class="prose"')[2].partition("</article>")[0]
    assert not re.search(r"<script|<img|javascript:[^<]*\"|href=\"javascript", prose)


@pytest.mark.parametrize("path", ["/ideas/IDEA-4", "/ideas/IDEA-99", "/ideas/x", "/ideas/IDEA-0", "/ideas/SIGNAL-1"])
async def test_hidden_ideas_are_not_found(world: PortalWorld, path: str) -> None:
    await fill(world)
    browser = await signed_in(world)
    there = await browser.get(path)
    assert there.status_code == 404
    assert "Page not found" in there.text
    assert "competitor" not in there.text
    assert (await browser.post(f"{path}/vote", {"vote": "1"})).status_code == 404
    assert (await browser.post(f"{path}/comments", {"body": "Hello"})).status_code == 404


async def test_pages_hold_nothing_that_is_private(world: PortalWorld) -> None:
    await fill(world)
    await world.add(
        members=[{"key": "ada", "email": "ada@acme.test", "name": "Ada Admin", "role": "admin"}],
        accounts=[{"key": "globex", "name": "Globex Corporation"}],
        ideas=[
            idea("csv", "CSV export")
            | {
                "accounts": ["globex"],
                "comments": [
                    {"key": "c1", "author": "ada", "body": "They will churn", "visibility": "internal"},
                    {"key": "c2", "author": "ada", "body": "We look into it", "visibility": "portal"},
                ],
                "evidence": [{"key": "e1", "title": "Secret evidence", "category": "problem"} | LINKED],
            }
        ],
    )  # fmt: skip
    browser = await signed_in(world)
    page = (await browser.get("/ideas/IDEA-1")).text
    assert "We look into it" in page
    assert "The team" in page
    for private in ("Globex", "churn", "Secret evidence", "Ada", "ada@"):
        assert private not in page


async def test_a_comment_is_shown_with_the_first_name_and_can_be_deleted_by_its_author(world: PortalWorld) -> None:
    await fill(world)
    bo, eve = await signed_in(world, first_name="Bo", last_name="Leeroy"), await signed_in(world, first_name="Eve")
    sent = await bo.post("/ideas/IDEA-1/comments", {"body": "Please **do**\r\nit <i>"})
    assert sent.status_code == 303
    comment = sent.headers["location"].partition("#comment-")[2]
    page = (await eve.get("/ideas/IDEA-1")).text
    assert "Please <strong>do</strong><br>\nit &lt;i&gt;" in page
    assert ">Bo<" in page
    assert "Leeroy" not in page
    [shown] = (await world.client.get("/ideas/IDEA-1/comments")).json()
    assert (shown["visibility"], shown["author"]["kind"]) == ("portal", "portal_user")
    delete = f"/ideas/IDEA-1/comments/{comment}/delete"
    assert (await eve.post(delete, {})).status_code == 404
    assert (await bo.post(delete, {})).status_code == 303
    assert (await bo.post(delete, {})).status_code == 404
    assert (await world.client.get("/ideas/IDEA-1/comments")).json() == []


async def test_comments_of_a_removed_person_are_by_a_former_user(world: PortalWorld) -> None:
    await fill(world)
    bo, eve = await signed_in(world, first_name="Bo"), await signed_in(world, first_name="Eve")
    await bo.post("/ideas/IDEA-1/comments", {"body": "Please do it"})
    await world.client.post("/ideas/IDEA-1/comments", json={"body": "We do it", "visibility": "portal"})
    await world.value("DELETE FROM portal_users WHERE workspace_id = $1 AND first_name = 'Bo'")
    authors = re.compile(r'id="comment-.*?<strong[^>]*>([^<]*)<', re.DOTALL)
    assert authors.findall((await eve.get("/ideas/IDEA-1")).text) == ["A former user", "The team"]
    german = await eve.get("/ideas/IDEA-1", Accept_Language="de")
    assert authors.findall(german.text) == ["Ehemaliger Nutzer", "Das Team"]


async def test_a_faulty_comment_keeps_its_text(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    answer = await browser.post("/ideas/IDEA-1/comments", {"body": "a" * 5001})
    assert answer.status_code == 422
    assert "a" * 5001 in answer.text
    assert "Shorten the comment" in answer.text
    assert (await browser.post("/ideas/IDEA-1/comments", {"body": "  "})).status_code == 422
    await world.add(portal={"commentsEnabled": False})
    assert "Comments" not in (await browser.get("/ideas/IDEA-1")).text
    assert (await browser.post("/ideas/IDEA-1/comments", {"body": "x"})).status_code == 404


@pytest.mark.parametrize("path", ["/ideas/IDEA-1/vote", "/ideas/IDEA-1/comments", "/request", "/signout"])
async def test_a_form_of_another_page_is_refused(world: PortalWorld, path: str) -> None:
    await fill(world)
    browser, other = await signed_in(world), await signed_in(world)
    fields = {"vote": "1", "body": "x", "title": "x"}
    for token in ("", "x", "x.y", await other.form_token()):
        answer = await browser.post(path, fields | {"csrf": token})
        assert answer.status_code == 403
        assert "could not be sent" in answer.text
    good = await browser.form_token()
    for site in ("cross-site", "same-site"):
        assert (await browser.post(path, fields | {"csrf": good}, Sec_Fetch_Site=site)).status_code == 403
    wrong_type = await browser.send("POST", path, {"Content-Type": "text/plain"}, {"csrf": good})
    assert wrong_type.status_code == 400
    assert (await browser.send("POST", path, {}, {"csrf": good, "body": "a" * 200_000})).status_code == 413


async def test_without_a_session_a_form_keeps_its_text_and_leads_to_sign_in(world: PortalWorld) -> None:
    await fill(world)
    async with world.browser() as browser:
        kept = await browser.post("/request", {"csrf": "", "title": "My <title>", "text": "Line\r\nline"})
        assert kept.status_code == 401
        assert "My &lt;title&gt;" in kept.text
        assert "Line\nline" in kept.text
        assert f'href="{browser.root}/request"' in kept.text
        voted = await browser.post("/ideas/IDEA-1/vote", {"csrf": "", "vote": "1"})
        assert f'href="{browser.root}/ideas/IDEA-1"' in voted.text
        script = await browser.post("/ideas/IDEA-1/vote", {"csrf": "", "vote": "1"}, HX_Request="true")
        assert (script.status_code, script.headers["hx-redirect"]) == (401, f"{browser.root}/ideas/IDEA-1")
        similar = await browser.get("/request/similar?title=csv", HX_Request="true")
        assert (similar.status_code, similar.headers["hx-redirect"]) == (401, f"{browser.root}/request")


@pytest.mark.parametrize("ref", ["%E2%82%AC", "%FF"])
async def test_without_a_session_any_address_leads_a_script_to_sign_in(world: PortalWorld, ref: str) -> None:
    async with world.browser() as browser:
        answer = await browser.send("POST", f"/ideas/{ref}/vote", {"HX-Request": "true"}, {"vote": "1"})
        assert answer.status_code == 401
        assert answer.headers["hx-redirect"].isascii()


async def test_wrong_methods_and_unknown_paths_are_pages(world: PortalWorld) -> None:
    browser = await signed_in(world)
    answer = await browser.send("DELETE", "/ideas/IDEA-1", {})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    answer = await browser.send("DELETE", "/request", {})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    for path in ("/a/b/c", "/mine%0a", "/mine%0a%0a", "/%0a%0a"):
        answer = await browser.get(path)
        assert answer.status_code == 404
        assert f"{browser.root}/static/" in answer.text, "the portal's own page"
    head = await browser.send("HEAD", "/", {})
    assert (head.status_code, head.text) == (200, "")


@pytest.mark.parametrize("name", ["portal.css", "htmx.min.js", "icon.svg", "accent-00aa77.css"])
async def test_files_of_the_pages_are_kept_by_browsers(world: PortalWorld, name: str) -> None:
    async with world.browser() as browser:
        answer = await browser.get(f"/static/{name}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        posted = await browser.post(f"/static/{name}", {})
        assert (posted.status_code, posted.headers["allow"]) == (405, "GET, HEAD")
        assert (await browser.get("/static/../application.py")).status_code != 200
        assert (await browser.get("/static/secret.txt")).status_code == 404


@pytest.mark.parametrize("alias", ["Acme", "a_b", "a.b", "%2e%2e", "x" * 64, ""])
async def test_below_what_is_no_alias_there_is_no_file(world: PortalWorld, alias: str) -> None:
    async with world.browser() as browser:
        answer = await browser.client.get(f"/portal/{alias}/static/portal.css", headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize("path", ["/", "/ideas/IDEA-1", "/mine", "/static/portal.css", "/robots.txt", "/nothing"])
async def test_head_has_the_headers_of_get(world: PortalWorld, path: str, encoding: str) -> None:
    """Also of a compressed answer (RFC 9110, 9.3.2). The lengths of two pages differ by their form tokens."""
    await fill(world)
    browser = await signed_in(world)
    get, head = [await browser.send(method, path, {"Accept_Encoding": encoding}) for method in ("GET", "HEAD")]
    assert (head.status_code, head.content, head.headers.keys()) == (get.status_code, b"", get.headers.keys())
    different = {name for name, value in head.headers.items() if value != get.headers[name]}
    assert different <= {"x-request-id", "date", "content-length"}


async def test_pages_load_nothing_from_other_hosts_and_hold_no_inline_code(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    for path in ("/", "/ideas/IDEA-1", "/request?title=CSV", "/mine"):
        page = (await browser.get(path)).text
        assert not re.search(r'(src|href|action)="(https?:)?//', page)
        assert not re.search(r"<style|style=|<script>| on\w+=", page)


async def test_the_first_page_is_small(world: PortalWorld) -> None:
    await world.add(ideas=[idea(f"i{n}", f"Idea number {n} " + "word " * 20) for n in range(40)])
    browser = await signed_in(world)
    sizes = []
    for path in ("/", "/static/portal.css", "/static/htmx.min.js", "/static/accent-00aa77.css"):
        answer = await browser.get(path, Accept_Encoding="gzip")
        assert answer.headers.get("content-encoding") == "gzip" or len(answer.content) < 1024
        sizes.append(int(answer.headers.get("content-length", 0)) or answer.num_bytes_downloaded)
    assert sum(sizes) < 30_000, sizes


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("accent", ["000000", "ffffff", "f5d90a", "00aa77", "0b6e4f", "101216", "ff0000", "777777"])
async def test_an_accent_is_seen_on_light_and_on_dark_pages(world: PortalWorld, accent: str) -> None:
    browser = world.browser()
    sheet = (await browser.get(f"/static/accent-{accent}.css")).text
    light, dark = (dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{6})", part)) for part in sheet.split("@media"))
    for colours, grounds in ((light, ("#ffffff", "#f7f8fa")), (dark, ("#101216", "#171a20"))):
        assert colours["accent"] == f"#{accent}"
        for ground in grounds:
            assert ratio(colours["accent-edge"], ground) >= 3
            assert ratio(colours["accent-ink"], ground) >= 4.5
        assert ratio(colours["accent"], colours["on-accent"]) >= 4.5
