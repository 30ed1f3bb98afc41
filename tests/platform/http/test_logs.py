"""What is logged, and what never is."""

import json
import logging
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import pytest
import structlog

from sightline.platform import logs
from sightline.platform.db import Database
from sightline.workspaces.keys.tokens import make_token
from tests.platform.http.conftest import laboratory
from tests.world import World, serving

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _quiet_again() -> Iterator[None]:
    yield
    logs.configure("error", "text")


def lines(capture: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capture.readouterr().err.splitlines()]


async def test_a_request_is_one_line(database: Database, database_url: str, capfd: Capture) -> None:
    app = laboratory(database_url, log_level="info", log_format="json")
    async with serving(database_url, app) as address, World(database, address) as lab:
        capfd.readouterr()
        await lab.client.get("/things/IDEA-1?since=2026-01-01", headers={"X-Request-Id": "mine"})
        (line,) = lines(capfd)
    assert line.pop("time").endswith("Z")
    assert 0 < line.pop("ms") < 5000
    assert line.pop("key")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "GET",
        "path": "/api/external/v1/things/IDEA-1",
        "operation": "get_thing",
        "status": 200,
        "request_id": "mine",
        "client": "127.0.0.1",
        "workspace": str(lab.workspace_id),
    }


@pytest.mark.parametrize("format", ["json", "text"])
async def test_no_key_body_or_query_is_logged(
    database: Database, database_url: str, capfd: Capture, format: str
) -> None:
    app = laboratory(database_url, log_level="debug", log_format=format)
    async with serving(database_url, app) as address, World(database, address) as lab:
        key = await lab.key("all")
        client = lab.client_of(key)
        private = {"name": "a-body-of-mine"}
        await client.post("/readings", json=private)
        await client.post("/readings", json={"size": "a-body-of-mine"})
        await client.post("/readings", content=b'{"name": "a-body-of-mine')
        await client.post("/things", json=private, headers={"Idempotency-Key": "an-idempotency-key"})
        for path in ("/things?q=a-query-of-mine", "/fails", "/duplicate", "/loses-the-database", "/nothing"):
            await client.get(path)
        await lab.client_of(f"{key}x").get("/things")
        logged = capfd.readouterr().err
    assert logged.count("request failed") == 3
    assert "RuntimeError" in logged
    assert "UniqueViolationError" in logged
    for secret in (key, key.split("_")[2], "a-body-of-mine", "a-query-of-mine", "an-idempotency-key", "DETAIL"):
        assert secret not in logged


async def test_behind_a_trusted_proxy_the_client_of_the_proxy_is_logged(
    database: Database, database_url: str, capfd: Capture
) -> None:
    for proxies, client in (("127.0.0.0/8", "203.0.113.7"), ("10.0.0.0/8", "127.0.0.1")):
        app = laboratory(database_url, log_level="info", log_format="json", trusted_proxies=proxies)
        async with serving(database_url, app) as address, World(database, address) as lab:
            capfd.readouterr()
            await lab.client.get("/things/IDEA-1", headers={"X-Forwarded-For": "203.0.113.7"})
            assert [line["client"] for line in lines(capfd)] == [client]


async def test_a_refused_key_is_logged_by_its_id(database: Database, database_url: str, capfd: Capture) -> None:
    app = laboratory(database_url, log_level="info", log_format="json")
    unknown = make_token()
    async with serving(database_url, app) as address, World(database, address) as lab:
        capfd.readouterr()
        for key in (unknown.text, None, "nonsense"):
            assert (await lab.client_of(key).get("/things")).status_code == 401
    logged = lines(capfd)
    assert [line.get("key") for line in logged] == [unknown.id, None, None]
    assert {(line["code"], line["client"]) for line in logged} == {("INVALID_API_KEY", "127.0.0.1")}


async def test_a_lost_database_is_one_line_with_its_reason(
    database: Database, database_url: str, capfd: Capture
) -> None:
    app = laboratory(database_url, log_level="info", log_format="json")
    async with serving(database_url, app) as address, World(database, address) as lab:
        capfd.readouterr()
        for _ in range(3):
            assert (await lab.client.get("/times-out")).status_code == 503
    logged = lines(capfd)
    assert [line["reason"] for line in logged] == ["TimeoutError: no answer in time"] * 3
    assert ["traceback" in line for line in logged] == [True, False, False]


async def test_probes_are_logged_only_when_they_fail(database: Database, database_url: str, capfd: Capture) -> None:
    app = laboratory(database_url, log_level="info", log_format="json")
    async with serving(database_url, app) as address, World(database, address) as lab:
        capfd.readouterr()
        for path in ("/healthz", "/readyz", "/metrics"):
            await lab.client.get(f"{address}{path}")
        assert lines(capfd) == []
        await lab.client.post(f"{address}/healthz")
        assert [line["status"] for line in lines(capfd)] == [405]


def test_libraries_are_logged_alike(capfd: Capture) -> None:
    logs.configure("info", "json")
    logging.getLogger("some.library").warning("%s is odd", "this")
    logging.getLogger("some.library").info("GET https://other.example/?key=secret")
    try:
        raise ValueError("of theirs")
    except ValueError:
        logging.getLogger("some.library").exception("failed")
    first, second = lines(capfd)
    assert (first["level"], first["event"], first["logger"]) == ("warning", "this is odd", "some.library")
    assert (second["level"], second["event"]) == ("error", "failed")
    assert second["traceback"].endswith("ValueError: of theirs")


@pytest.mark.parametrize(("level", "seen"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_is_a_floor(capfd: Capture, level: str, seen: int) -> None:
    logs.configure(level, "json")
    log = structlog.get_logger()
    for name in ("debug", "info", "warning", "error"):
        getattr(log, name)("logged")
    assert len(lines(capfd)) == seen


def test_a_text_line_stays_one_line(capfd: Capture) -> None:
    logs.configure("info", "text")
    structlog.get_logger().info("logged", path="/a\nb", name="two words", of=5, empty="", colour="\033[31m")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith(r'info    logged path="/a\nb" name="two words" of=5 empty="" colour="\u001b[31m"')


def test_a_line_costs_little(capfd: Capture) -> None:
    """Under 10 microseconds on a quiet machine; a generous bound for a busy one."""
    logs.configure("info", "json")
    log = structlog.get_logger().bind()
    best = min(_seconds_of_a_thousand(log) for _ in range(5))
    assert best < 0.05, f"{best * 1000:.1f} microseconds a line"
    assert len(capfd.readouterr().err.splitlines()) == 5000


def _seconds_of_a_thousand(log: Any) -> float:
    started = perf_counter()
    for _ in range(1000):
        log.info("request", method="GET", path="/api/external/v1/ideas", operation="list_ideas", status=200, ms=0.3)
    return perf_counter() - started


def test_nothing_is_printed_to_standard_output(capfd: Capture) -> None:
    logs.configure("info", "json")
    structlog.get_logger().info("logged")
    sys.stdout.flush()
    assert capfd.readouterr().out == ""
