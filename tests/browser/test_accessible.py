"""Every page under axe-core's rules of WCAG 2.2 AA, by keyboard, on a phone, and without anything that jumps."""

import gzip

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.conftest import Demo

pytestmark = pytest.mark.slow

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGES = {
    "ideas": "/",
    "nothing found": "/?q=zzzzqq",
    "idea": "/ideas/IDEA-1",
    "request": "/request?title=Reserve+child+seats",
    "mine": "/mine",
    "not found": "/ideas/IDEA-99999",
}
PHONE: ViewportSize = {"width": 390, "height": 844}
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


def test_no_page_breaks_a_rule_of_accessibility(demo: Demo, context: BrowserContext) -> None:
    page = context.pages[0]
    found = []
    for name, path in PAGES.items():
        page.goto(f"{demo.portal}{path}")
        result = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
        found += [(name, one["id"], one["nodes"][0]["html"]) for one in result.response["violations"]]
    context.close()
    assert not found, found


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
    assert page.get_by_role("status").inner_text() != ""
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
