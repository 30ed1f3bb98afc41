"""What is answered besides the API: pages, health, metrics. Operating: HTTP besides the API."""

import re

import asyncpg
import httpx2
import pytest

from sightline.migrations import REVISIONS, pending_on
from sightline.platform.db import Database
from sightline.platform.http import health
from tests.platform.http.conftest import laboratory
from tests.world import World, serving

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


@pytest.mark.parametrize("path", ["/docs/LICENSE", "/docs/index.html", "/docs/..%2f..%2fapp.py", "/healthz/", "/x"])
async def test_nothing_else_is_there(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/x", "/healthz/", "/docs/guide/nothing", "/apis"])
async def test_a_browser_gets_a_page_that_nothing_is_there(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path, headers={"Accept": BROWSER})
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "Page not found" in answer.text
    assert "default-src" in answer.headers["Content-Security-Policy"]
    assert (await browser.head(path, headers={"Accept": BROWSER})).content == b""


@pytest.mark.parametrize(
    ("path", "accept"),
    [("/api", BROWSER), ("/api/external/v1/nothing", BROWSER), ("/api/external/v2/ideas", BROWSER), ("/x", "*/*")],
)
async def test_other_clients_and_the_api_get_a_problem(browser: httpx2.AsyncClient, path: str, accept: str) -> None:
    answer = await browser.get(path, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "NOT_FOUND"


async def test_the_portals_without_a_name_are_a_page_for_people(browser: httpx2.AsyncClient) -> None:
    for path in ("/portal", "/portal/"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "There is no portal at this address." in answer.text


async def test_a_migrated_database_is_ready(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/readyz")
    assert answer.json() == {"status": "ready", "checks": {"database": "ok", "migrations": "ok"}}
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_missing_migration_is_not_ready(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "KNOWN_SECONDS", 0.0)
    direct = await asyncpg.connect(database_url)
    seen = await direct.fetchval("SELECT max(revision) FROM schema_revisions")
    async with (
        serving(database_url, laboratory(database_url)) as address,
        httpx2.AsyncClient(base_url=address, verify=False) as client,
    ):
        for statement, told in (
            ("DELETE FROM schema_revisions", f"missing: {', '.join(REVISIONS)}"),
            ("INSERT INTO schema_revisions VALUES ('9999', now())", "the database is newer than this version"),
        ):
            await direct.execute(statement)
            answer = await client.get("/readyz")
            assert (answer.status_code, answer.json()["code"]) == (503, "NOT_READY")
            assert answer.json()["checks"] == {"database": "ok", "migrations": told}
            assert (await client.get("/healthz")).status_code == 200
        await direct.execute("UPDATE schema_revisions SET revision = $1", seen)
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
