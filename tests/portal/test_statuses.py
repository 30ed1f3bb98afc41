"""What customers read of an idea's status, of its history, and of the team's answer."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from sightline.catalog.portal_labels import shown_label
from tests.portal.product import Browser, PortalWorld
from tests.portal.test_pages import idea, signed_in

LABELS: list[dict[str, Any]] = [
    {"label": "New"},
    {"label": "Inbox", "portal": {"shown": False}},
    {"label": "Promoted", "promotion": True, "portal": {"kind": "building", "name": "We are on it"}},
    {"label": "Delivered"},
    {"label": "Planned", "portal": {"kind": "declined", "name": "Later"}},
]


async def fill(world: PortalWorld, **of_idea: Any) -> None:
    await world.add(ideaStatuses=LABELS, ideas=[idea("csv", "CSV export", **of_idea)])


def statuses(page: str) -> list[tuple[str, str]]:
    """Kind and name of each status on the page."""
    return re.findall(r'class="status kind-(\w+)">.*?<span dir="auto">([^<]*)</span>', page, re.DOTALL)


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("New", [("open", "New")]),
        ("Inbox", []),
        ("Promoted", [("building", "We are on it")]),
        ("Delivered", [("done", "Delivered")]),
        ("Planned", [("declined", "Later")]),
    ],
)
async def test_customers_read_of_a_label_what_the_workspace_says(
    world: PortalWorld, label: str, shown: list[tuple[str, str]]
) -> None:
    await fill(world, status=label)
    browser = await signed_in(world)
    for path in ("/", "/ideas/IDEA-1"):
        page = (await browser.get(path)).text
        assert statuses(page) == shown
        assert "Promoted" not in page
        assert "Inbox" not in page
    assert (await world.client.get("/ideas/IDEA-1")).json()["status"] == label


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Planned", "planned"),
        ("In progress", "building"),
        (" delivered ", "done"),
        ("DECLINED", "declined"),
        ("Abgelehnt", "declined"),
        ("Livré", "done"),
        ("Not planned", "declined"),
        ("Under review", "open"),
        ("Whatever", "open"),
    ],
)
def test_the_kind_of_a_label_is_told_by_its_name(label: str, kind: str) -> None:
    shown = shown_label(label, None)
    assert shown is not None
    assert shown == (kind, label)


async def test_the_history_has_the_shown_statuses_with_their_dates(world: PortalWorld) -> None:
    await fill(world)
    for label in ("Inbox", "Delivered"):
        await world.client.patch("/ideas/IDEA-1/status", json={"status": label})
    await world.add(ideas=[{"key": "csv", "status": "Planned"}])
    browser = await signed_in(world)
    page = (await browser.get("/ideas/IDEA-1")).text
    history = re.findall(r"<li>(.*?): now (.*?)</li>", page)
    assert [status for _, status in history] == ["Later", "Delivered"]
    assert history[0][0] == f"{datetime.now(UTC):%-d %B %Y}"


async def test_the_answer_of_the_team_stands_above_the_comments_as_safe_html(world: PortalWorld) -> None:
    await fill(world, officialAnswer="In *May*. <script>alert(1)</script>")
    browser = await signed_in(world)
    page = (await browser.get("/ideas/IDEA-1")).text
    answer = page[page.index('class="answer"') :]
    assert "In <em>May</em>. &lt;script&gt;" in answer
    assert answer.index("<em>May</em>") < answer.index("Comments")
    await world.client.patch("/ideas/IDEA-1", json={"officialAnswer": None})
    assert 'class="answer"' not in (await browser.get("/ideas/IDEA-1")).text


async def test_imported_votes_count_and_order_in_the_portal_and_stand_apart_in_the_api(world: PortalWorld) -> None:
    await world.add(ideas=[idea("csv", "CSV export", importedVoteCount=41), idea("dark", "Dark mode")])
    browser = await signed_in(world)
    await browser.post("/ideas/IDEA-2/vote", {"vote": "1"})
    page = (await browser.get("/")).text
    assert page.index("CSV export") < page.index("Dark mode")
    await browser.post("/ideas/IDEA-1/vote", {"vote": "1"})
    assert "42 votes" in (await browser.get("/ideas/IDEA-1")).text
    shown = (await world.client.get("/ideas/IDEA-1")).json()
    assert (shown["voteCount"], shown["importedVoteCount"]) == (1, 41)
    assert (await world.client.get("/ideas/IDEA-1/votes")).json()["total"] == 1


async def test_my_ideas_show_what_changed_since_the_last_visit(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    await browser.post("/ideas/IDEA-1/vote", {"vote": "1"})
    assert "since" not in await mine(browser), "the first visit"
    await a_day_passes(world)
    assert "Nothing has changed since" in await mine(browser)
    await a_day_passes(world)
    await world.client.patch("/ideas/IDEA-1/status", json={"status": "Inbox"})
    assert "Nothing has changed since" in await mine(browser), "customers do not see the label"
    await a_day_passes(world)
    await world.client.patch("/ideas/IDEA-1/status", json={"status": "Delivered"})
    await world.client.patch("/ideas/IDEA-1", json={"officialAnswer": "Here it is."})
    await world.client.post("/ideas/IDEA-1/comments", json={"body": "Enjoy.", "visibility": "portal"})
    await world.client.post("/ideas/IDEA-1/comments", json={"body": "Secret.", "visibility": "internal"})
    for _ in range(2):
        page = await mine(browser)
        news = page[page.index('class="news"') : page.index('id="submitted"')]
        assert "CSV export" in news
        assert statuses(news) == [("done", "Delivered")]
        assert "The team has answered" in news
        assert "1 new comment" in news


async def mine(browser: Browser) -> str:
    return (await browser.get("/mine")).text


async def a_day_passes(world: PortalWorld) -> None:
    """As if all visits so far had been a day earlier."""
    async with world.database.transaction() as tx:
        await tx.connection.execute(
            """UPDATE portal_users SET visited_at = visited_at - interval '1 day',
                      visited_before = visited_before - interval '1 day' WHERE workspace_id = $1""",
            world.workspace_id,
        )
