"""Pages are in the language of the reader."""

import pytest

from tests.portal.product import PortalWorld
from tests.portal.test_pages import idea


async def test_the_visitors_choice_comes_before_the_browsers_languages(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        page = (await browser.get("/?q=x&sort=newest", Accept_Language="en")).text
        assert 'value="de" lang="de">Deutsch</button>' in page
        assert 'name="back" value="/?q=x&amp;sort=newest"' in page
        answer = await browser.post("/language", {"language": "de", "back": "/?q=x"}, Accept_Language="en")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{browser.root}/?q=x")
        assert "Max-Age=31536000" in answer.headers["set-cookie"]
        page = (await browser.get("/mine", Accept_Language="en")).text
        assert '<html lang="de"' in page
        assert 'value="en" lang="en">English</button>' in page
        assert (await browser.post("/language", {"language": "xx"})).status_code == 400
        away = await browser.post("/language", {"language": "en", "back": "https://evil.test"})
        assert away.headers["location"] == f"{browser.root}/"
        assert (await browser.post("/language", {"language": "de", "csrf": "x"})).status_code == 403


async def test_pages_come_in_german(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        page = await browser.get("/", Accept_Language="de-DE,de;q=0.9")
        assert '<html lang="de"' in page.text
        assert "Meine Ideen" in page.text
        missing = await browser.get("/nowhere", Accept_Language="de")
        assert "Seite nicht gefunden" in missing.text


@pytest.mark.parametrize(("language", "count"), [("en", "31,204"), ("de", "31.204")])
async def test_large_numbers_have_groups(world: PortalWorld, language: str, count: str) -> None:
    await world.add(ideas=[idea("shift", "Swap shifts", importedVoteCount=31_204)])
    async with world.browser() as browser:
        await world.sign_in(browser)
        pages = [(await browser.get(path, Accept_Language=language)).text for path in ("/", "/ideas/IDEA-1")]
    for page in pages:
        assert f'aria-hidden="true">{count}<' in page
        assert f"{count} {'votes' if language == 'en' else 'Stimmen'}" in page
        assert "31204" not in page


@pytest.mark.parametrize(("name", "hint"), [("Bo", "with your first name"), ("", "without a name")])
async def test_the_form_of_a_comment_says_under_which_name(world: PortalWorld, name: str, hint: str) -> None:
    await world.add(ideas=[idea("shift", "Swap shifts")])
    async with world.browser() as browser:
        await world.sign_in(browser, first_name=name)
        page = (await browser.get("/ideas/IDEA-1")).text
    assert hint in page
    assert "sees it" in page
