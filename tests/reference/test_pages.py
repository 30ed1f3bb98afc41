"""The pages of the reference and of the guides. Decision 4."""

import re
import shutil
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin

import httpx2
import pytest
from playwright.async_api import async_playwright

from sightline.app import openapi_document

ROOT = Path(__file__).parents[2]
CONSTANT = [
    "/docs",
    "/docs/docs.css",
    "/docs/guide",
    "/docs/guide/ideas",
    "/docs/guide/portal-ideas.png",
    "/docs/start.js",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js",
    "/api/external/v1/openapi.json",
]


@pytest.mark.parametrize(("path", "address"), [("/", "docs"), ("/docs/", "../docs"), ("/docs/guide/", "../guide")])
async def test_addresses_that_people_type_lead_to_pages(browser: httpx2.AsyncClient, path: str, address: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (307, address)
    assert (await browser.get(urljoin(path, address))).status_code == 200


class Loaded(HTMLParser):
    """The addresses that a page loads or links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.addresses += [value for name in ("src", "href", "action") if (value := found.get(name))]
        self.inline += tag in ("style", "iframe") or (tag == "script" and "src" not in found)


async def test_the_links_of_the_guides_lead_somewhere(browser: httpx2.AsyncClient) -> None:
    assert 'href="guide/ideas"' in (await browser.get("/docs/guide")).text
    for name in (file.stem for file in (ROOT / "docs/guide").glob("*.md")):
        page = Loaded()
        answer = await browser.get(f"/docs/guide/{name}")
        page.feed(answer.text)
        assert "<h1" in answer.text
        for address in page.addresses:
            if address.startswith(("http:", "https:", "data:")):
                continue
            led = await browser.get(urljoin(f"/docs/guide/{name}", address))
            assert led.status_code == 200, f"{name}: {address}"
            assert "#" not in address or f'id="{address.partition("#")[2]}"' in led.text, f"{name}: {address}"


async def test_the_guides_are_listed_by_title_in_the_order_of_the_readme(browser: httpx2.AsyncClient) -> None:
    in_readme = re.findall(r"^\| \[docs/guide/([\w-]+)\.md\]", (ROOT / "README.md").read_text(), re.MULTILINE)
    listed = re.findall(r'<li><a href="guide/([\w-]+)">(.*?)</a></li>', (await browser.get("/docs/guide")).text)
    assert [name for name, _ in listed] == in_readme
    assert {name for name, _ in listed} == {file.stem for file in (ROOT / "docs/guide").glob("*.md")}
    assert not {title for _, title in listed} & set(in_readme)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed: nothing was looked at")
async def test_pages_fit_a_phone_and_show_no_markup(browser: httpx2.AsyncClient) -> None:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = await chromium.new_page(viewport={"width": 390, "height": 844})
        for path in ("/docs/guide/ideas", "/docs/guide/operating", "/docs"):
            await page.goto(str(browser.base_url.join(path)))
            if path == "/docs":
                await page.click("#operations-Ideas-list_ideas button")
                await page.wait_for_selector("#operations-Ideas-list_ideas .responses-table")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            assert "`" not in await page.inner_text("body")
        await chromium.close()


LEAST_CONTRAST = """() => {
    const channels = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const paper = element => {
        for (let at = element; at; at = at.parentElement) {
            const colour = channels(getComputedStyle(at).backgroundColor);
            if (colour.length < 4 || colour[3] > 0.5) return colour;
        }
        return [255, 255, 255];
    };
    const words = document.querySelectorAll("nav a, .info h1, .info p, .opblock-tag, .opblock-summary-path, .guide p");
    return Math.min(...[...words].map(word => {
        const pair = [light(channels(getComputedStyle(word).color)), light(paper(word))].sort((a, b) => a - b);
        return (pair[1] + 0.05) / (pair[0] + 0.05);
    }));
}"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed: nothing was looked at")
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_are_readable_in_both_colour_schemes(
    browser: httpx2.AsyncClient, scheme: Literal["light", "dark"]
) -> None:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = await chromium.new_page(color_scheme=scheme)
        for path in ("/docs/guide/ideas", "/docs"):
            await page.goto(str(browser.base_url.join(path)))
            if path == "/docs":
                await page.wait_for_selector("#operations-Ideas-list_ideas")
            paper = await page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (min(map(int, re.findall(r"\d+", paper))) < 64) == (scheme == "dark"), (path, paper)
            assert await page.evaluate(LEAST_CONTRAST) > 4.5, path
        await chromium.close()


async def test_the_reference_page_loads_nothing_from_elsewhere(browser: httpx2.AsyncClient) -> None:
    page = Loaded()
    page.feed((await browser.get("/docs")).text)
    assert page.inline == 0
    for address in page.addresses:
        if address != "data:,":
            assert re.fullmatch(r"[a-z][a-z0-9./-]*", address), f"{address} is not relative to the page"
            assert (await browser.get(f"/{address}")).status_code == 200


async def test_a_browser_would_refuse_what_is_foreign(browser: httpx2.AsyncClient) -> None:
    policy = (await browser.get("/docs")).headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "http" not in policy


async def test_the_page_asks_no_validator(browser: httpx2.AsyncClient) -> None:
    script = (await browser.get("/docs/start.js")).text
    assert "validatorUrl: null" in script
    assert "persistAuthorization: false" in script
    assert "http" not in script


@pytest.mark.parametrize("path", CONSTANT)
async def test_what_is_known_is_not_sent_again(browser: httpx2.AsyncClient, path: str) -> None:
    for encoding in ("gzip", "identity"):
        first = await browser.get(path, headers={"Accept-Encoding": encoding})
        known = {"Accept-Encoding": encoding, "If-None-Match": f'"x", W/{first.headers["ETag"]}'}
        again = await browser.get(path, headers=known)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        assert "Accept-Encoding" in first.headers["Vary"]


@pytest.mark.parametrize("path", CONSTANT)
async def test_both_encodings_are_the_same_page(browser: httpx2.AsyncClient, path: str) -> None:
    plain = await browser.get(path, headers={"Accept-Encoding": "identity"})
    zipped = await browser.get(path, headers={"Accept-Encoding": "gzip"})
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert zipped.content == plain.content
    assert zipped.headers["ETag"] != plain.headers["ETag"]


async def test_the_document_that_is_served_is_the_one_that_is_printed(browser: httpx2.AsyncClient) -> None:
    assert (await browser.get("/api/external/v1/openapi.json")).text == openapi_document()


def test_licences_lie_beside_what_they_cover() -> None:
    folder = files("sightline.reference") / "docs_assets"
    assert {"LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"} <= {file.name for file in folder.iterdir()}
