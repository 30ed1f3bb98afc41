"""The filters of the list by groups of the taxonomy."""

import re

from tests.portal.product import PortalWorld


async def test_a_group_is_filtered_by_its_first_hundred_options(world: PortalWorld) -> None:
    options = [{"key": f"o{n}", "label": f"Option {n}"} for n in range(130)]
    await world.add(
        taxonomy={"groups": [{"key": name, "label": name, "options": options} for name in ("theme", "area")]},
        portal={"alias": world.slug, "facets": ["theme", "area"]},
        ideas=[
            {
                "key": f"i{n}",
                "name": f"Idea {n}",
                "description": "x",
                "portalVisible": True,
                "classifications": [{"groupKey": "area", "optionValues": [f"Option {n}"]}],
            }
            for n in (99, 100)
        ],
    )
    browser = world.browser()
    await world.sign_in(browser)
    page = (await browser.get("/?f.area=o99")).text
    assert re.findall('<option value="(o[0-9]+)"', page) == [f"o{n}" for n in range(100)] * 2
    assert ("Idea 99" in page, "Idea 100" in page) == (True, False)
    assert '<option value="o99" selected>' in page
    page = (await browser.get("/?f.area=o100")).text  # ignored, as any unknown option
    assert ("Idea 99" in page, "Idea 100" in page) == (True, True)


async def test_ideas_are_filtered_by_the_first_hundred_statuses_with_all_of_their_labels(world: PortalWorld) -> None:
    shown = ["New", *(f"State {n}" for n in range(130)), "New"]
    labels = [{"label": f"L{n}", "portal": {"name": name}} for n, name in enumerate(shown)]
    ideas = [
        {"key": f"i{n}", "name": f"Idea {n}.", "description": "x", "portalVisible": True, "status": f"L{n}"}
        for n in (0, 91, 131)
    ]
    await world.add(ideaStatuses=labels, ideas=ideas)
    browser = world.browser()
    await world.sign_in(browser)
    page = (await browser.get("/?status=New")).text
    assert len(re.findall('<option value="[A-Z]', page)) == 100
    assert sorted(set(re.findall(r"Idea [0-9]+\.", page))) == ["Idea 0.", "Idea 131."]
    assert set(re.findall(r"Idea [0-9]+\.", (await browser.get("/?status=State 90")).text)) == {"Idea 91."}
