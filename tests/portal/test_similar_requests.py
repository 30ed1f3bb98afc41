"""Similar ideas of a request: among very many alike, and in scripts whose letters carry marks."""

from unicodedata import normalize

import pytest

from tests.portal.product import PortalWorld
from tests.portal.test_pages import idea, signed_in
from tests.portal.test_requests import offered


async def test_the_same_title_comes_first_among_hundreds_that_are_alike(world: PortalWorld) -> None:
    names = [f"Export CSV report for invoice {n}" for n in range(400)]
    await world.add(ideas=[idea(f"i{n}", name) for n, name in enumerate(names)])
    browser = await signed_in(world)
    for title in (names[0], names[237], names[-1]):
        assert (await offered(browser, title))[0] == title


@pytest.mark.parametrize("title", ["डार्क मोड जोड़ें", "Größere Schrift für Übersichten", "Öffnen übt"])
async def test_words_with_marks_are_found_however_they_are_composed(world: PortalWorld, title: str) -> None:
    await world.add(ideas=[idea("i1", title), idea("i2", "Dark mode")])
    browser = await signed_in(world)
    for form in ("NFC", "NFD"):
        assert await offered(browser, normalize(form, title)) == [title]


async def test_an_idea_that_is_not_visible_is_never_offered(world: PortalWorld) -> None:
    hidden = "Reports of the merger with Initech"
    await world.add(ideas=[idea("i1", "Reports of the weather"), idea("i2", hidden, visible=False)])
    browser = await signed_in(world)
    for title in (hidden, "Merger reports of Initech", "Reports of the mergr with Initec"):
        assert hidden not in await offered(browser, title)
