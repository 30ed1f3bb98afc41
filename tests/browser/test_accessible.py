"""Every page under axe-core's rules of WCAG 2.2 AA, by keyboard, on a phone, and without anything that jumps."""

import gzip
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.conftest import Demo

pytestmark = pytest.mark.slow

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGES = {
    "ideas": "/",
    "found": "/?q=photo&sort=trending",
    "voted": "/?voted=IDEA-17#IDEA-17",
    "nothing found": "/?q=zzzzqq",
    "idea": "/ideas/IDEA-1",
    "request": "/request?title=Reserve+child+seats",
    "mine": "/mine",
    "not found": "/ideas/IDEA-99999",
}
PHONE: ViewportSize = {"width": 375, "height": 667}
WIDE: ViewportSize = {"width": 1280, "height": 800}
WAYS: dict[str, dict[str, Any]] = {
    "phone": {"viewport": PHONE},
    "phone, dark": {"viewport": PHONE, "color_scheme": "dark"},
    "wide": {"viewport": WIDE},
    "wide, dark": {"viewport": WIDE, "color_scheme": "dark"},
    "zoomed to 200 %": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    "forced colours": {"viewport": WIDE, "forced_colors": "active"},
    "more contrast": {"viewport": PHONE, "contrast": "more"},
}
FIRST_PAGE_BYTES = 30 * 1024
SHIFTS = """() => new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) sum += entry.value; })
        .observe({type: 'layout-shift', buffered: true});
    setTimeout(() => done(sum), 300);
})"""
FOCUSED = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const style = getComputedStyle(document.activeElement);
    const focused = document.activeElement;
    return [focused.tagName, style.outlineStyle, focused.contains(top) || Boolean(top?.contains(focused))];
}"""


@pytest.fixture(params=["light", "dark"])
def context(demo: Demo, browser: Browser, request: pytest.FixtureRequest) -> BrowserContext:
    opened = browser.new_context(color_scheme=request.param, viewport=PHONE)
    demo.enter(opened.new_page())
    return opened


def broken(page: Page, name: str) -> list[tuple[str, str, str]]:
    result = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    return [(name, one["id"], one["nodes"][0]["html"]) for one in result.response["violations"]]


@pytest.mark.parametrize("way", WAYS)
def test_no_page_breaks_a_rule_of_accessibility(demo: Demo, browser: Browser, way: str) -> None:
    context = browser.new_context(**WAYS[way])
    page = context.new_page()
    demo.enter(page)
    found = []
    for name, path in PAGES.items():
        page.goto(f"{demo.portal}{path}")
        found += broken(page, name)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= WAYS[way]["viewport"]["width"], f"{name} scrolls sideways"
    page.goto(demo.portal)
    for panel in ("menu", "choices"):
        opens = page.locator(f"[popovertarget={panel}]")
        if opens.is_visible():
            opens.click()
            expect(page.locator(f"#{panel}")).to_be_visible()
            found += broken(page, panel)
            page.keyboard.press("Escape")
    context.close()
    assert not found, found


def test_without_scripts_a_phone_shows_menu_filters_and_what_became_of_a_vote(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    demo.enter(page, "new@unknown.example")
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="My ideas")).to_be_visible()
    page.keyboard.press("Escape")
    row = page.locator("li.row").nth(8)
    row.get_by_role("button").click()
    expect(page.locator("li.row").nth(8)).to_contain_text("You voted.")
    expect(page.locator("li.row").nth(8)).to_be_in_viewport()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Status", exact=True).select_option("Delivered")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#found .status").first).to_contain_text("Delivered")
    page.goto(f"{demo.portal}/request")
    expect(page.locator("#similar-count")).to_be_hidden()
    context.close()


def test_on_a_phone_the_first_idea_is_on_the_first_screen(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport=PHONE, locale="de-DE")
    page = context.new_page()
    demo.enter(page)
    header, row = page.locator("header.head").bounding_box(), page.locator("li.row").first.bounding_box()
    context.close()
    assert header is not None
    assert row is not None
    assert header["height"] <= 64, "one row"
    assert row["y"] + row["height"] <= PHONE["height"]


def test_a_choice_applies_at_once_and_keeps_the_focus(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    demo.enter(page)
    before = page.get_by_role("status").first.inner_text()
    page.get_by_label("Status", exact=True).focus()
    page.get_by_label("Status", exact=True).select_option("Delivered")
    expect(page.locator("#total")).not_to_have_text(before)
    expect(page.locator("#found .status").first).to_contain_text("Delivered")
    assert "status=Delivered" in page.url
    assert page.evaluate("document.activeElement.name") == "status"
    page.get_by_label("Status", exact=True).select_option("")
    expect(page.locator("#total")).to_have_text(before)
    context.close()


def test_nothing_moves_when_a_vote_is_told_or_similar_ideas_come(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    demo.enter(page, "new@unknown.example")
    page.locator("form.vote button").first.click()
    expect(page.locator("#status")).not_to_be_empty()
    told = page.evaluate(SHIFTS)
    page.goto(f"{demo.portal}/request")
    page.get_by_label("Title").press_sequentially("Reserve child seats")
    expect(page.locator("#similar a")).to_have_count(1)
    assert page.locator("#similar-count").inner_text() == "1 similar idea"
    offered = page.evaluate(SHIFTS)
    context.close()
    assert (told, offered) == (0, 0)


def test_nothing_is_cut_off_on_the_smallest_screen(demo: Demo, context: BrowserContext) -> None:
    page = context.pages[0]
    page.set_viewport_size({"width": 320, "height": 640})
    wide = {}
    for name, path in PAGES.items():
        page.goto(f"{demo.portal}{path}")
        wide[name] = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert set(wide.values()) == {320}, wide


def test_a_wide_table_scrolls_and_breaks_no_word(demo: Demo, context: BrowserContext) -> None:
    table = f"| Panel | Temperature | Remark | Link |\n|---|---|---|---|\n| FX-1 | -30 | frozen | {'x' * 400} |"
    page = context.pages[0]
    page.goto(f"{demo.portal}/ideas/IDEA-1")
    page.locator("textarea[name=body]").fill(table)
    page.get_by_role("button", name="Send the comment").click()
    head = page.get_by_role("columnheader", name="Temperature").last
    expect(head).to_be_visible()
    box = head.bounding_box()
    result = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert box is not None
    assert box["height"] < 50, "the word stands on one line"
    assert width == PHONE["width"]
    assert not result.response["violations"], result.response["violations"]


def test_a_keyboard_reaches_everything_and_shows_where_it_is(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    demo.enter(page)
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    context.close()
    assert {"A", "BUTTON", "INPUT", "SELECT"} <= {tag for tag, _, _ in reached}
    assert all(outline != "none" and is_visible for _, outline, is_visible in reached), reached


def test_focus_stays_on_the_button_of_a_vote(demo: Demo, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    demo.enter(page, "new@unknown.example")
    button = page.locator("form.vote button").first
    button.focus()
    focused = button.get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#{focused}[aria-pressed=true]")
    assert page.evaluate("document.activeElement.id") == focused
    expect(page.locator("#status")).not_to_be_empty()
    context.close()


def test_the_first_page_is_light_and_stays_in_place(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    demo.enter(page)
    bodies = first_page(page)
    assert page.evaluate(SHIFTS) == 0
    context.close()
    size = sum(len(gzip.compress(body)) for body in bodies)
    assert size < FIRST_PAGE_BYTES, f"{size} bytes in {len(bodies)} files"


def first_page(page: Page) -> list[bytes]:
    """The files that the open page loads, fetched by the same person."""
    addresses: list[str] = []
    page.on("response", lambda response: addresses.append(response.url))
    page.reload(wait_until="networkidle")
    return [page.request.get(address).body() for address in addresses]


def test_a_page_is_in_the_visitors_language(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    demo.enter(page)
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.get_by_role("button", name="Abmelden").is_visible()
    context.close()
