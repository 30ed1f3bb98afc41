"""Requests in the portal, and what the workspace makes of them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from sightline.platform.server_secret import ServerSecret
from sightline.portal.requests import trap
from tests.portal.product import SERVER_SECRET, Browser, PortalWorld
from tests.portal.test_pages import fill, idea, signed_in, titles
from tests.world import serving

GLOBEX = {"accounts": [{"accountExternalId": "crm-1", "accountName": "Globex"}]}


async def vote(browser: Browser, value: int, **headers: str) -> Any:
    return await browser.post("/ideas/IDEA-1/vote", {"vote": str(value), "back": "/?q=csv"}, **headers)


async def send_request(browser: Browser, **fields: str) -> Any:
    return await browser.post("/request", {"title": "Teleport reports", "text": "Into *any* room.", **fields})


async def test_a_request_is_an_idea_with_its_account_and_evidence(world: PortalWorld) -> None:
    browser = await signed_in(world, **GLOBEX)
    answer = await send_request(browser)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{browser.root}/ideas/IDEA-1?sent=1")
    shown = (await world.client.get("/ideas/IDEA-1")).json()
    accounts = await world.rows("SELECT id, name FROM accounts WHERE workspace_id = $1")
    assert [row["name"] for row in accounts] == ["Globex"]
    assert (shown["name"], shown["description"], shown["status"]) == ("Teleport reports", "Into *any* room.", "New")
    assert (shown["createdSource"], shown["provenance"]) == ("portal", {"method": "portal"})
    assert shown["accountIds"] == [str(accounts[0]["id"])]
    assert shown["portalVisible"] is False
    [evidence] = (await world.client.get("/ideas/IDEA-1/evidence")).json()
    assert (evidence["origin"], evidence["role"], evidence["title"]) == ("portal", "supports", "Teleport reports")
    assert evidence["extracts"] == [{"text": "Into *any* room.", "signalId": None}]
    found = await world.client.get("/ideas?q=teleport")
    assert found.headers["x-total-count"] == "1"


async def test_customers_filter_by_a_suggested_option_after_its_review(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    await send_request(browser, text="Speed matters.")
    number = await world.value("SELECT max(number) FROM ideas WHERE workspace_id = $1")
    await world.client.patch(f"/ideas/IDEA-{number}", json={"portalVisible": True})
    path = f"/ideas/IDEA-{number}/classifications"
    [theme] = [each for each in (await world.client.get(path)).json()["groups"] if each["groupKey"] == "theme"]
    assert (theme["value"]["optionKeys"], theme["origin"], theme["reviewState"]) == (
        ["speed"],
        "suggested",
        "unreviewed",
    )
    assert "Teleport reports" not in titles((await browser.get("/?f.theme=speed")).text)
    await world.client.patch(path, json={"updates": [{"groupKey": "theme", "action": "accept"}]})
    assert "Teleport reports" in titles((await browser.get("/?f.theme=speed")).text)


async def test_a_hidden_request_shows_its_author_their_own_words_and_its_status(world: PortalWorld) -> None:
    author, other = await signed_in(world), await signed_in(world)
    await send_request(author)
    await world.client.patch("/ideas/IDEA-1", json={"name": "Internal name", "description": "Internal thoughts"})
    await world.client.patch("/ideas/IDEA-1/status", json={"status": "Under review"})
    for path in ("/ideas/IDEA-1", "/mine"):
        page = (await author.get(path)).text
        assert "Teleport reports" in page
        assert "Under review" in page
        assert "Internal" not in page
    assert "Into *any* room." in (await author.get("/ideas/IDEA-1")).text
    assert "now Under review" in (await author.get("/mine")).text
    assert (await other.get("/ideas/IDEA-1")).status_code == 404
    assert "Teleport" not in (await other.get("/")).text + (await other.get("/mine")).text
    assert (await author.post("/ideas/IDEA-1/vote", {"vote": "1"})).status_code == 404
    await world.client.patch("/ideas/IDEA-1", json={"portalVisible": True})
    assert "Internal name" in (await other.get("/ideas/IDEA-1")).text
    assert titles((await author.get("/mine")).text) == ["Internal name"]


async def test_requests_are_shown_at_once_where_the_workspace_says_so(world: PortalWorld) -> None:
    await world.add(portal={"requestsVisible": True})
    author, other = await signed_in(world), await signed_in(world)
    await send_request(author, text="")
    assert titles((await other.get("/")).text) == ["Teleport reports"]
    [evidence] = (await world.client.get("/ideas/IDEA-1/evidence")).json()
    assert evidence["extracts"] == [{"text": "Teleport reports", "signalId": None}]


async def test_similar_ideas_are_shown_before_a_request_and_can_be_voted_for(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    asked = await browser.post("/request", {"title": "Exprot as csv", "text": "Every <table>"})
    assert asked.status_code == 200
    assert titles(asked.text) == ["CSV export"]
    assert "Vote for CSV export" in asked.text
    assert 'value="Exprot as csv"' in asked.text
    assert "Every &lt;table&gt;" in asked.text
    assert 'name="confirmed" value="1"' in asked.text
    assert await world.value("SELECT count(*) FROM portal_requests WHERE workspace_id = $1") == 0
    sent = await browser.post("/request", {"title": "Exprot as csv", "text": "", "confirmed": "1"})
    assert sent.status_code == 303
    assert await offered(browser, "csv exports") == ["CSV export"]
    assert await offered(browser, "buy competitor") == []
    assert await offered(browser, "cs") == []


@pytest.mark.parametrize("fields", [{"title": " "}, {"title": "a" * 201}, {"text": "a" * 10_001}])
async def test_a_faulty_request_keeps_its_text_and_says_what_is_wrong(
    world: PortalWorld, fields: dict[str, str]
) -> None:
    browser = await signed_in(world)
    answer = await send_request(browser, **fields)
    assert answer.status_code == 422
    assert "<title>Error:" in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert f'href="#{next(iter(fields))}"' in answer.text
    assert (fields.get("text") or "Into *any* room.") in answer.text


def opened(browser: Browser, age: timedelta) -> str:
    """The signed time of a request form that the browser opened this long ago."""
    token = next(value for name, value in browser.cookies.items() if name.endswith("session"))
    return trap.opened(ServerSecret(SERVER_SECRET), token, datetime.now(UTC) - age)


IN_TIME = timedelta(minutes=1)
TOO_FAST = "The form was sent too fast, as programs do. Send it again."
TOO_FAST_IN_GERMAN = "Das Formular wurde zu schnell gesendet, wie Programme es tun. Senden Sie es noch einmal."
TOO_LATE = "The form was open for more than a day. Send it again."
TRAPPED = "A hidden field was filled in. It is empty again: send the form once more."


@pytest.mark.parametrize(
    ("age", "language", "fields", "reason"),
    [
        (timedelta(minutes=-30), "en", {}, TOO_FAST),
        (timedelta(minutes=-30), "de", {}, TOO_FAST_IN_GERMAN),
        (timedelta(hours=25), "en", {}, TOO_LATE),
        (IN_TIME, "en", {"opened": "1.x"}, TOO_LATE),
        (IN_TIME, "en", {"opened": ""}, TOO_LATE),
        (IN_TIME, "en", {"fax_number": "1"}, TRAPPED),
    ],
)
async def test_a_request_as_programs_send_it_says_why_and_keeps_its_text(
    world: PortalWorld, database_url: str, age: timedelta, language: str, fields: dict[str, str], reason: str
) -> None:
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        await world.sign_in(browser)
        request = {"title": "Teleport reports", "text": "Into *any* room.", "opened": opened(browser, age), **fields}
        answer = await browser.post("/request", request, Accept_Language=language)
        assert answer.status_code == 422
        assert reason in answer.text
        assert "Teleport reports" in answer.text
        assert "Into *any* room." in answer.text
        assert await world.value("SELECT count(*) FROM portal_requests WHERE workspace_id = $1") == 0
        assert (await send_request(browser, opened=opened(browser, IN_TIME))).status_code == 303


async def test_requests_are_limited_for_each_person(world: PortalWorld, database_url: str) -> None:
    async with serving(database_url, secret=SERVER_SECRET) as address, world.browser(address) as browser:
        await world.sign_in(browser)
        form = {"opened": opened(browser, IN_TIME), "confirmed": "1"}
        for _ in range(5):
            assert (await send_request(browser, **form)).status_code == 303
        limited = await send_request(browser, **form)
        assert limited.status_code == 429
        assert int(limited.headers["retry-after"]) > 500
        assert "Into *any* room.</textarea>" in limited.text


async def test_a_form_of_an_earlier_session_keeps_its_text(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = {"csrf": await browser.form_token(), "body": "Precious <b>words"}
    browser.cookies.clear()
    await world.sign_in(browser)
    answer = await browser.post("/ideas/IDEA-1/comments", fields)
    assert answer.status_code == 403
    assert "Precious &lt;b&gt;words</textarea>" in answer.text


async def test_similar_titles_are_found_among_many(world: PortalWorld) -> None:
    words = ["invoice", "calendar", "report", "dashboard", "export", "login", "search", "filter", "printer", "mobile"]
    names = [f"{first} {second}" for first in words for second in words if first != second]
    await world.add(ideas=[idea(f"i{n}", name) for n, name in enumerate(names)])
    browser = await signed_in(world)
    assert set(await offered(browser, "Calender for invioce")) == {"invoice calendar", "calendar invoice"}


async def offered(browser: Browser, title: str) -> list[str]:
    """The similar ideas that come while the title is typed: links, and for screen readers only their number."""
    path = f"/request/similar?{urlencode({'title': title})}"
    answer = await browser.get(path, HX_Request="true", Accept_Language="en")
    links = re.findall(r'<li><a href="[^"]*" target="_blank" rel="noopener" dir="auto">([^<]*)</a></li>', answer.text)
    count = {0: "No similar ideas", 1: "1 similar idea"}.get(len(links), f"{len(links)} similar ideas")
    assert f'role="status" hx-swap-oob="innerHTML">{count}' in answer.text
    assert "<html" not in answer.text
    assert len(links) <= 3
    return links


async def test_ideas_that_share_one_common_word_are_not_offered(world: PortalWorld) -> None:
    names = ["Holster for the scanner", "Scanner battery", "Left-handed mode of the scanner", "Seat plan of concerts"]
    await world.add(ideas=[idea(f"i{n}", name) for n, name in enumerate(names)])
    browser = await signed_in(world)
    for title in ("Scanner", "Louder scanner", "Turn off the sound of the scanner", "Plan of the opening hours"):
        assert await offered(browser, title) == []
    assert await offered(browser, "Scanner with a larger battery") == ["Scanner battery"]
    assert await offered(browser, "Batteries of scanners") == ["Scanner battery"]
    assert await offered(browser, "Concert seat plans") == ["Seat plan of concerts"]


async def test_stop_words_and_endings_are_those_of_the_portals_language(world: PortalWorld) -> None:
    await world.add(
        portal={"language": "de"},
        ideas=[idea("i1", "Offene Rechnungen exportieren"), idea("i2", "Das Konto mit der Karte")],
    )
    browser = await signed_in(world)
    assert await offered(browser, "Export einer offenen Rechnung") == ["Offene Rechnungen exportieren"]
    assert await offered(browser, "Der Export mit der Liste") == []


async def test_similar_titles_are_found_by_words_that_mean_the_same(world: PortalWorld) -> None:
    names = ["Refund all orders of a cancelled show", "Refund part of an order", "Show times in the app"]
    await world.add(ideas=[idea(f"i{n}", name) for n, name in enumerate(names)])
    browser = await signed_in(world)
    assert await offered(browser, "Bulk money back for each performance") == [names[0]]
    assert await offered(browser, "Alle ausgefallenen Konzerte auf einmal erstatten") == [names[0]]
    assert await offered(browser, "Report on refunds") == []
