"""What is answered besides the API: the reference, health, metrics. Decision 4; operating: HTTP besides the API."""

import re
import shutil
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import urljoin

import asyncpg
import httpx2
import pytest
from playwright.async_api import async_playwright

from sightline.app import openapi_document
from sightline.migrations import REVISIONS, pending_on
from sightline.platform.db import Database
from sightline.platform.http import health
from tests.platform.http.conftest import laboratory
from tests.world import World, serving

ROOT = Path(__file__).parents[3]
PAGES = [
    "/docs",
    "/docs/docs.css",
    "/docs/guide",
    "/docs/guide/ideas",
    "/docs/start.js",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js",
    "/api/external/v1/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
]
CONSTANT = PAGES[:8]


@pytest.mark.parametrize("path", PAGES)
async def test_pages_answer_anybody(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    headed = await browser.head(path)
    assert (answer.status_code, headed.status_code, headed.content) == (200, 200, b"")
    assert answer.headers["X-Request-Id"]
    assert answer.content


@pytest.mark.parametrize("path", ["/", *PAGES])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_pages_are_only_read(browser: httpx2.AsyncClient, path: str, method: str) -> None:
    answer = await browser.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path", ["/docs/", "/docs/LICENSE", "/docs/index.html", "/docs/..%2f..%2fapp.py", "/healthz/", "/x"]
)
async def test_nothing_else_is_there(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_the_root_leads_to_the_reference(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (307, "docs")


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
    folder = files("sightline.platform.http") / "docs_assets"
    assert {"LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"} <= {file.name for file in folder.iterdir()}


async def test_a_migrated_database_is_ready(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/readyz")
    assert answer.json() == {"status": "ready", "checks": {"database": "ok", "migrations": "ok"}}
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_missing_migration_is_not_ready(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "KNOWN_SECONDS", 0.0)
    direct = await asyncpg.connect(database_url)
    seen = await direct.fetchval("SELECT version_num FROM alembic_version")
    async with (
        serving(database_url, laboratory(database_url)) as address,
        httpx2.AsyncClient(base_url=address, verify=False) as client,
    ):
        for statement, told in (
            ("DELETE FROM alembic_version", f"missing: {', '.join(REVISIONS)}"),
            ("INSERT INTO alembic_version VALUES ('9999')", "the database is newer than this version"),
        ):
            await direct.execute(statement)
            answer = await client.get("/readyz")
            assert (answer.status_code, answer.json()["code"]) == (503, "NOT_READY")
            assert answer.json()["checks"] == {"database": "ok", "migrations": told}
            assert (await client.get("/healthz")).status_code == 200
        await direct.execute("UPDATE alembic_version SET version_num = $1", seen)
        assert (await client.get("/readyz")).status_code == 200
    await direct.close()


async def test_a_lost_or_busy_database_is_not_ready(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "KNOWN_SECONDS", 0.0)
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.1)
    database = await Database.connect(database_url, size=1)
    readiness = health.Readiness(pending_on)
    assert await readiness.check(database) == {"database": "ok", "migrations": "ok"}
    async with database.autocommit():
        with pytest.raises(health.NotReady):
            await readiness.check(database)
    await database.close()
    with pytest.raises(health.NotReady) as refused:
        await readiness.check(database)
    assert refused.value.extras == {"checks": {"database": "does not answer"}}


def figure(metrics: str, name: str, **labels: str) -> float:
    told = ",".join(f'{label}="{value}"' for label, value in sorted(labels.items()))
    found = re.search(rf"^{name}{{{re.escape(told)}}} ([0-9.e+]+)$", metrics, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_metrics_count_requests_by_operation_and_status(world: World) -> None:
    async with httpx2.AsyncClient(base_url=world.address, verify=False) as client:
        before = (await client.get("/metrics")).text
        await world.client.get("/ideas")
        await world.client.get("/ideas/IDEA-1")
        await world.client.get("/ideas/nothing")
        after = (await client.get("/metrics")).text
    counted = "sightline_http_requests_total"
    for labels in (
        {"operation": "list_ideas", "status": "200"},
        {"operation": "get_idea", "status": "404"},
        {"operation": "get_idea", "status": "400"},
    ):
        assert figure(after, counted, **labels) - figure(before, counted, **labels) == 1
    assert figure(after, "sightline_http_request_seconds_count", operation="get_idea") >= 2
    assert figure(after, "sightline_db_pool_connections", state="most") == 10


async def test_made_up_addresses_make_no_new_series(browser: httpx2.AsyncClient) -> None:
    await browser.get("/made-up")
    await browser.request("PROPFIND", "/docs")
    metrics = (await browser.get("/metrics")).text
    assert "made-up" not in metrics
    assert figure(metrics, "sightline_http_requests_total", operation="other", status="404") >= 1
