"""Votes in the portal."""

import asyncio
from typing import Any

import pytest

from tests.portal.product import SERVER_SECRET, Browser, PortalWorld
from tests.portal.test_pages import fill, idea, signed_in, titles
from tests.waiting import until_blocked
from tests.world import serving


async def vote(browser: Browser, value: int, **headers: str) -> Any:
    return await browser.post("/ideas/IDEA-1/vote", {"vote": str(value), "back": "/?q=csv"}, **headers)


async def vote_count(world: PortalWorld) -> int:
    count: int = await world.value("SELECT vote_count FROM idea_votes WHERE workspace_id = $1 AND number = 1")
    rows = await world.value(
        """SELECT count(*) FROM portal_votes v JOIN ideas i ON i.workspace_id = v.workspace_id AND i.id = v.idea_id
            WHERE v.workspace_id = $1 AND i.number = 1"""
    )
    assert rows == count
    return count


async def test_a_vote_is_given_shown_and_taken_back(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    answer = await vote(browser, 1)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{browser.root}/?q=csv&voted=IDEA-1#IDEA-1")
    row = (await browser.get("/?q=csv&voted=IDEA-1")).text.partition('<li class="row" id="IDEA-1">')[2]
    assert '<p class="told">You voted.</p>' in row.partition("</li>")[0]
    page = (await browser.get("/?q=csv")).text
    assert 'aria-pressed="true"' in page
    assert "1 vote" in page
    assert titles((await browser.get("/mine")).text) == ["CSV export"]
    assert titles((await browser.get("/")).text)[0] == "CSV export", "most votes first"
    await vote(browser, 1)
    assert await vote_count(world) == 1
    await vote(browser, 0)
    await vote(browser, 0)
    assert '<p class="told">You took your vote back.</p>' in (await browser.get("/mine?voted=IDEA-1")).text
    assert await vote_count(world) == 0
    assert (await browser.post("/ideas/IDEA-1/vote", {"vote": "2"})).status_code == 400


async def test_my_ideas_has_all_votes_the_latest_first(world: PortalWorld) -> None:
    names = [f"Export {number}" for number in range(25)]
    await world.add(ideas=[idea(name, name) for name in names])
    browser = await signed_in(world)
    for number in range(1, 26):
        await browser.post(f"/ideas/IDEA-{number}/vote", {"vote": "1"})
    assert titles((await browser.get("/mine")).text) == names[::-1]


async def test_a_vote_never_leads_elsewhere(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    for back in ("https://evil.test", "//evil.test", "/%5cevil.test", "//[", ""):
        answer = await browser.post("/ideas/IDEA-1/vote", {"vote": "1", "back": back})
        assert answer.headers["location"].startswith(f"{browser.root}/")
        assert "evil" not in answer.headers["location"]


async def test_a_script_gets_the_form_and_a_message(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    answer = await vote(browser, 1, HX_Request="true")
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert 'id="vote-IDEA-1"' in answer.text
    assert 'aria-pressed="true"' in answer.text
    assert 'hx-swap-oob="innerHTML"' in answer.text
    assert "You voted. The idea has 1 vote." in answer.text


async def test_concurrent_votes_of_one_person_count_once(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    token = await browser.form_token()
    send = {"vote": "1", "csrf": token}
    answers = await asyncio.gather(*(browser.send("POST", "/ideas/IDEA-1/vote", {}, send) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {303}
    assert await vote_count(world) == 1
    mixed = [{"vote": str(n % 2), "csrf": token} for n in range(30)]
    await asyncio.gather(*(browser.send("POST", "/ideas/IDEA-1/vote", {}, one) for one in mixed))
    assert await vote_count(world) in (0, 1)


async def test_concurrent_votes_of_many_people_all_count(world: PortalWorld) -> None:
    await fill(world)
    browsers = [await signed_in(world) for _ in range(12)]
    await asyncio.gather(*(vote(browser, 1) for browser in browsers))
    assert await vote_count(world) == 12
    await asyncio.gather(*(vote(browser, 0) for browser in browsers[:5]))
    assert await vote_count(world) == 7


async def test_concurrent_votes_and_withdrawals_are_logged_as_they_count(world: PortalWorld) -> None:
    await fill(world)
    browsers = [await signed_in(world) for _ in range(4)]
    tokens = [await browser.form_token() for browser in browsers]
    answers = await asyncio.gather(
        *(
            browser.send("POST", "/ideas/IDEA-1/vote", {"HX-Request": "true"}, {"vote": value, "csrf": token})
            for value in ("1", "0") * 5
            for browser, token in zip(browsers, tokens, strict=True)
        )
    )
    assert {answer.status_code for answer in answers} == {200}
    assert all("You took your vote back" in each.text or "You voted" in each.text for each in answers)
    logged = await world.value(
        """SELECT count(*) FILTER (WHERE action = 'created') - count(*) FILTER (WHERE action = 'withdrawn')
             FROM changes WHERE workspace_id = $1 AND kind = 'portal_vote'"""
    )
    assert await vote_count(world) == logged


async def test_a_vote_on_an_idea_that_is_being_deleted_is_a_page(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    token = await browser.form_token()
    choices = ("1", "0") * 8
    votes = [browser.send("POST", "/ideas/IDEA-1/vote", {}, {"vote": each, "csrf": token}) for each in choices]
    *answers, deleted = await asyncio.gather(*votes, world.client.delete("/ideas/IDEA-1"))
    assert deleted.status_code == 200
    assert {answer.status_code for answer in answers} <= {303, 404}


@pytest.mark.parametrize(
    ("statement", "path", "fields"),
    [
        ("UPDATE ideas SET portal_visible = false", "/ideas/IDEA-1/vote", {"vote": "1"}),
        ("DELETE FROM ideas", "/ideas/IDEA-1/vote", {"vote": "1"}),
        ("DELETE FROM ideas", "/ideas/IDEA-1/comments", {"body": "Please"}),
    ],
)
async def test_an_idea_removed_during_the_request_is_not_found(
    world: PortalWorld, statement: str, path: str, fields: dict[str, str]
) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields |= {"csrf": await browser.form_token()}
    async with world.database.transaction() as tx:
        await tx.connection.execute(f"{statement} WHERE workspace_id = $1 AND number = 1", world.workspace_id)
        sending = asyncio.create_task(browser.send("POST", path, {}, fields))
        await until_blocked(world.database)
    assert (await sending).status_code == 404


async def test_votes_are_limited_for_each_person(world: PortalWorld, database_url: str) -> None:
    await fill(world)
    async with (
        serving(database_url, secret=SERVER_SECRET) as address,
        world.browser(address) as browser,
        world.browser(address) as other,
    ):
        await world.sign_in(browser)
        send = {"vote": "1", "csrf": await browser.form_token()}
        statuses = [(await browser.send("POST", "/ideas/IDEA-1/vote", {}, send)).status_code for _ in range(61)]
        assert statuses == [*[303] * 60, 429]
        script = await browser.send("POST", "/ideas/IDEA-1/vote", {"HX-Request": "true"}, send)
        assert (script.status_code, script.headers["hx-retarget"]) == (429, "#status")
        assert script.text == "Not saved. Try again in 1 minute."
        await world.sign_in(other)
        assert (await vote(other, 1)).status_code == 303


async def test_the_api_counts_votes_in_total_and_by_account(world: PortalWorld) -> None:
    await fill(world)
    globex, initech = ({"accountExternalId": name, "accountName": name} for name in ("Globex", "Initech"))
    for accounts in ([globex], [globex, initech], [initech]):
        await vote(await signed_in(world, accounts=accounts), 1)
    await vote(await signed_in(world, email="solo@freelance.test", accounts=[globex]), 1)
    await world.rows(
        """DELETE FROM portal_user_accounts l USING accounts a
            WHERE l.workspace_id = $1 AND a.workspace_id = $1 AND a.id = l.account_id AND a.name = 'Initech'"""
    )
    answer = await world.client.get("/ideas/IDEA-1/votes")
    shown = answer.json()
    assert shown["total"] == 4
    assert [(one["name"], one["votes"]) for one in shown["accounts"]] == [("Globex", 3)]
    assert shown["withoutAccount"] == 1
    assert "solo" not in answer.text
    without_votes = (await world.client.get("/ideas/IDEA-2/votes")).json()
    assert without_votes == {"total": 0, "accounts": [], "withoutAccount": 0}
    assert (await world.client.get("/ideas/IDEA-99/votes")).status_code == 404
    other = await world.client_with("ideas:write")
    assert (await other.get("/ideas/IDEA-1/votes")).status_code == 403


async def test_the_api_counts_the_votes_of_many_accounts(world: PortalWorld) -> None:
    await fill(world)
    names = [f"Account {n:03}" for n in range(300)]
    await world.add(
        accounts=[{"key": name, "name": name} for name in names],
        portal={
            "users": [
                {"key": name, "subject": name, "email": f"{n}@a.test", "accounts": [name]}
                for n, name in enumerate(names)
            ],
            "votes": [{"idea": "csv", "user": name} for name in names],
        },
    )
    shown = (await world.client.get("/ideas/IDEA-1/votes")).json()
    assert (shown["total"], shown["withoutAccount"]) == (300, 0)
    assert [(one["name"], one["votes"]) for one in shown["accounts"]] == [(name, 1) for name in names]


async def test_a_vote_moves_the_tag_of_an_idea_and_not_its_version(world: PortalWorld) -> None:
    await fill(world)
    before = await world.client.get("/ideas/IDEA-1")
    included = await world.client.get("/ideas/IDEA-1?include=classifications")
    await vote(await signed_in(world), 1)
    after = await world.client.get("/ideas/IDEA-1", headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200, "the old representation is not the present one"
    assert after.json() == before.json() | {"voteCount": 1}
    again = await world.client.get("/ideas/IDEA-1?include=classifications")
    assert again.headers["etag"] != included.headers["etag"]
    changed = await world.client.patch(
        "/ideas/IDEA-1", json={"name": "CSV"}, headers={"If-Match": before.headers["etag"]}
    )
    assert changed.status_code == 200, "the idea has not changed"
    assert changed.json()["voteCount"] == 1
    listed = (await world.client.get("/ideas")).json()
    assert [one["voteCount"] for one in listed] == [0, 0, 0, 1]
