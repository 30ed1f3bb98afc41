"""`sightline doctor` asks each configured search provider, and says what is wrong with it."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.cli.command import run
from tests.sources.web.loopback import Answer, Host, hosting, http
from tests.waiting import hang

FOUND = http(json.dumps({"results": [{"url": "https://trade.example/", "title": "A"}]}), media_type="application/json")
NOTHING = {"results": [], "unresponsive_engines": [["one engine", "timeout"]]}
SILENT = http(json.dumps(NOTHING), media_type="application/json")
JSON_OFF = "searxng: SearXNG refuses to answer in JSON (403): add json to search.formats in its settings.yml."


@pytest_asyncio.fixture
async def host() -> AsyncIterator[Host]:
    async with hosting() as made:
        yield made


async def search_checks(folder: Path, **settings: Any) -> list[tuple[str, str]]:
    """The state and message of each line about search."""
    done = await asyncio.to_thread(run, "doctor", "--json", "--data-dir", folder, **settings)
    checks: list[dict[str, Any]] = json.loads(done.out)["checks"]
    found = [one for one in checks if one["name"] == "search"]
    assert (done.code == 0) is all(one["ok"] for one in checks)
    return [("warn" if one["warning"] else "ok" if one["ok"] else "wrong", one["message"]) for one in found]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(FOUND, ("ok", "searxng: answers"), id="fine"),
        pytest.param(SILENT, ("warn", "searxng: SearXNG: one engine did not answer (timeout)."), id="silent engines"),
        pytest.param(http("", "403 Forbidden"), ("wrong", JSON_OFF), id="JSON is off"),
        pytest.param(http("", "401 No"), ("wrong", "searxng: SearXNG wants a password (401)."), id="password"),
        pytest.param(http("<html>"), ("wrong", "searxng: SearXNG answered something else than its JSON."), id="HTML"),
        pytest.param(hang, ("wrong", "searxng: No answer in 5 s."), id="no answer"),
    ],
)
async def test_doctor_says_what_is_wrong_with_searxng(
    host: Host, tmp_path: Path, answer: Answer, expected: tuple[str, str]
) -> None:
    host.answers["/search"] = answer
    assert await search_checks(tmp_path, SEARXNG_URL=host.url) == [expected]


async def test_doctor_asks_every_configured_provider(host: Host, tmp_path: Path) -> None:
    host.answers |= {"/search": FOUND, "/res/v1/web/search": http("", "401 No")}
    urls = {f"{name}_URL": host.url for name in ("BRAVE", "TAVILY", "EXA")}
    keys = {f"{name}_KEY": "a-key-that-nobody-may-see" for name in ("BRAVE", "TAVILY", "EXA")}
    checks = await search_checks(tmp_path, SEARCH_PROVIDER="tavily", **urls, **keys)
    assert checks == [
        ("wrong", "brave, not chosen: Brave refuses the key (401)."),
        ("ok", "tavily: answers"),
        ("ok", "exa, not chosen: answers"),
    ]


async def test_doctor_says_that_nobody_is_there(tmp_path: Path) -> None:
    checks = await search_checks(tmp_path, SEARXNG_URL="http://127.0.0.1:1")
    assert checks == [("wrong", "searxng: SearXNG cannot be reached.")]


async def test_doctor_refuses_a_provider_that_is_not_configured(tmp_path: Path) -> None:
    done = await asyncio.to_thread(run, "doctor", "--data-dir", tmp_path, SEARCH_PROVIDER="exa")
    expected = "SIGHTLINE_SEARCH_PROVIDER: exa is not configured: set SIGHTLINE_EXA_KEY."
    assert (done.code, done.out.split(maxsplit=2)[2].strip()) == (1, expected)
