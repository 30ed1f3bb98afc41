"""A customer's way through the portal: in from the product, vote, ask, and out again."""

import re

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Demo

pytestmark = pytest.mark.slow

TITLE = "Print the parts list with bin numbers"
TEXT = "So that the person at the shelves finds every part without a phone."


def requested(demo: Demo, title: str) -> dict[str, object]:
    """The idea that the request became, as the API shows it."""
    answer = httpx2.get(
        f"{demo.address}/api/external/v1/ideas",
        params={"q": title, "limit": "1"},
        headers={"Authorization": f"Bearer {demo.key}"},
    )
    [idea] = answer.json()
    return dict(idea)


def vote_button(page: Page) -> tuple[str, int]:
    """The name of the first idea's vote button, and its count."""
    form = page.locator("form.vote").first
    return form.locator(".label").inner_text().strip(), int(form.locator(".count > span").first.inner_text())


def vote_and_take_back(page: Page) -> None:
    """Votes for the first idea, sees that the vote is kept, and takes it back."""
    name, count = vote_button(page)
    page.get_by_role("button", name=name, pressed=False).first.click()
    pressed = page.get_by_role("button", name=name, pressed=True).first
    expect(pressed).to_be_visible()
    page.reload()
    assert vote_button(page) == (name, count + 1)
    pressed.click()
    expect(page.get_by_role("button", name=name, pressed=False).first).to_be_visible()


def ask(page: Page, title: str, has_scripts: bool) -> None:
    """Sends a request, after a look at similar ideas where scripts show them."""
    page.get_by_role("link", name="Request an idea").first.click()
    page.get_by_label("Title").fill("Reserve child seats and covers")
    if has_scripts:
        expect(page.get_by_role("status").filter(has_text="similar idea")).to_be_visible()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Description").fill(TEXT)
    page.wait_for_timeout(2_500)  # a form that comes back sooner is taken for a machine's
    with page.expect_navigation():
        page.get_by_role("button", name="Send the request").click()
    if page.get_by_role("button", name="Send my request all the same").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Send my request all the same").click()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_customer_signs_in_votes_requests_and_signs_out(demo: Demo, browser: Browser, has_scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=has_scripts)
    page = context.new_page()
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if "//127.0.0.1" not in request.url else None)
    demo.enter(page, "oda@torvane.example" if has_scripts else "ilse@pedalwright.example")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ideas")

    vote_and_take_back(page)
    title = f"{TITLE} {'too' if has_scripts else 'as well'}"
    ask(page, title, has_scripts)
    page.get_by_role("link", name="My ideas").first.click()
    expect(page.get_by_role("link", name=title)).to_be_visible()

    idea = requested(demo, title)
    assert (idea["createdSource"], idea["portalVisible"]) == ("portal", False)
    assert len(idea["accountIds"]) == 1  # type: ignore[arg-type]  # JSON
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{demo.product}/portal/left")
    page.goto(f"{demo.portal}/mine")
    assert page.url.startswith(demo.portal), "still signed in to the product, so the portal opens again"
    assert outside == []
    context.close()


def test_signing_out_of_the_product_ends_the_portals_session(demo: Demo, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    demo.enter(page)
    page.goto(demo.product)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    page.goto(f"{demo.portal}/")
    expect(page.get_by_label("Password")).to_be_visible()
    context.close()


def test_a_lost_vote_keeps_its_button_and_says_so(demo: Demo, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    demo.enter(page)
    name, count = vote_button(page)
    button = page.get_by_role("button", name=name).first
    said = page.locator("#status")

    page.route("**/vote", lambda route: route.fulfill(status=502, body="<html><h1>Bad gateway</h1></html>"))
    button.click()
    expect(said).to_have_text("Not saved. Try again.")
    assert vote_button(page) == (name, count)
    page.unroute("**/vote")

    said.evaluate("said => said.textContent = ''")
    context.set_offline(True)
    button.click()
    expect(said).to_have_text("Not saved. Try again.")
    assert vote_button(page) == (name, count)
    context.set_offline(False)

    said.evaluate("said => said.textContent = ''")
    page.locator("form.vote input[name=csrf]").first.evaluate("token => token.value = 'of an old page'")
    button.click()
    expect(said).to_have_text("Not saved. Try again.")
    expect(button).to_be_focused()

    button.click()
    expect(said).to_contain_text("You voted.")
    button.click()
    expect(said).to_contain_text("You took your vote back.")
    context.close()


def test_a_comment_of_an_ended_session_is_sent_after_the_sign_in(demo: Demo, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    demo.enter(page)
    page.locator(".title a").first.click()
    page.get_by_label("Your comment").fill("We have waited for this.")
    context.clear_cookies(name=re.compile("^sl_.*_session$"))
    page.get_by_role("button", name="Send the comment").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in to go on")
    page.get_by_role("link", name="Sign in").click()
    waiting = page.get_by_role("region", name="Not sent yet")
    waiting.get_by_role("button", name="Send the comment on").click()
    expect(page.get_by_role("status")).to_have_text("Your comment is sent. Everybody on this portal sees it.")
    expect(page.locator(".comment").last).to_contain_text("We have waited for this.")
    page.get_by_role("link", name="Delete my comment").click()
    page.get_by_role("button", name="Delete my comment").click()
    expect(page.get_by_text("We have waited for this.")).to_have_count(0)
    context.close()
