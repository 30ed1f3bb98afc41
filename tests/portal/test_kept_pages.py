"""The list is rendered once for all visitors: each reads their own name, token and path, and the present settings."""

import re

from tests.portal.product import SERVER_SECRET, PortalWorld
from tests.portal.test_pages import idea as shown
from tests.portal.test_pages import signed_in
from tests.world import serving


async def test_visitors_read_their_own_name_token_and_path(world: PortalWorld) -> None:
    await world.add(ideas=[{"key": "csv", "name": "CSV", "description": "x", "portalVisible": True}])
    ann, ben = world.browser(), world.browser()
    await world.sign_in(ann, sub="1", email="ann@example.com", first_name="<i>Ann")
    await world.sign_in(ben, sub="2", email="ben@example.com", first_name="")
    for browser, name, path in (
        (ann, "&lt;i&gt;Ann", "/?voted=%22%3E"),
        (ben, "ben@example.com", "/"),
        (ann, "&lt;i&gt;Ann", "/"),
    ):
        page = (await browser.get(path)).text
        assert re.findall('<span class="who" dir="auto">(.*)</span>', page) == [name]
        assert re.findall('name="back" value="(.*)">\n<button class="quiet"', page) == [path]
        [token] = set(re.findall('name="csrf" value="(.*)"', page))
        assert (await browser.post("/ideas/IDEA-1/vote", {"csrf": token, "vote": "1"})).status_code == 303


async def test_what_the_team_changes_is_shown_at_once(world: PortalWorld) -> None:
    portal = {"alias": world.slug, "name": "Acme ideas", "intro": "Be quick.", "accentColor": "#0a7"}
    statuses = [{"label": "new"}, {"label": "done"}]
    idea = {"description": "x", "portalVisible": True}
    await world.add(portal=portal, ideaStatuses=statuses, ideas=[{"key": "csv", "name": "CSV", **idea}])
    browser = world.browser()
    await world.sign_in(browser)
    before = (await browser.get("/")).text
    await world.add(
        portal=portal | {"name": "Our ideas", "intro": "Welcome.", "accentColor": "#a07"},
        ideaStatuses=[*statuses, {"label": "later"}],
        ideas=[{"key": "dark", "name": "Dark", **idea}],
    )
    after = (await browser.get("/")).text
    was = ("Acme ideas", "Be quick.", "accent-00aa77", "1 idea<")
    present = ("Our ideas", "Welcome.", "accent-aa0077", "2 ideas<", ">later</option>")
    assert [text in before for text in (*was, *present)] == [True] * 4 + [False] * 5
    assert [text in after for text in (*was, *present)] == [False] * 4 + [True] * 5


async def test_statuses_stand_in_their_present_order(world: PortalWorld) -> None:
    labels = [{"label": "New"}, {"label": "Done"}, {"label": "Later"}]
    await world.add(ideaStatuses=labels, prune=["ideaStatuses"], ideas=[shown("a", "A")])
    browser = await signed_in(world)
    for order in (labels, labels[::-1]):
        await world.add(ideaStatuses=order)
        found = re.findall('<option value="(New|Done|Later)"', (await browser.get("/")).text)
        assert found == [label["label"] for label in order]


async def test_dates_are_those_of_utc(world: PortalWorld, database_url: str) -> None:
    moments = {"a": "1885-01-01T00:00:00Z", "b": "2025-11-20T23:30:00Z"}
    await world.add(ideas=[shown(key, key, createdAt=moment) for key, moment in moments.items()])
    address_of_database = f"{database_url}&timezone=Europe/Amsterdam"
    async with serving(address_of_database, secret=SERVER_SECRET, portal_limit="0") as address:
        browser = world.browser(address)
        await world.sign_in(browser)
        page = await browser.get("/")
    assert page.status_code == 200
    assert 'datetime="2025-11-20' in page.text
    assert 'datetime="1885-01-01' in page.text
