"""The guide to research, run over a web on 127.0.0.1: a SearXNG and its pages, a demo and its worker."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.command import serving
from tests.docs.sessions import Step, differences, run_steps, steps_of
from tests.first_database import lay_database
from tests.platform.embedded_world import open_place
from tests.sources.web.articles import ArticleWeb, article_web
from tests.waiting import wait_until
from tests.world import NO_STORE

STEPS = steps_of(Path(__file__).parents[2] / "docs/guide/research.md")


@dataclass(frozen=True)
class Session:
    """What the steps of the guide printed, the web that was searched, and the findings."""

    printed: dict[str, str]
    web: ArticleWeb
    findings: list[dict[str, Any]]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    if missing := [name for name in ("bash", "curl") if shutil.which(name) is None]:
        pytest.skip(f"{' and '.join(missing)} missing: docs/guide/research.md was NOT run over the web")
    with open_place() as place, article_web(place / "web") as web:
        lay_database(place / "data")
        settings = {"SEARXNG_URL": web.address, "FETCH_ALLOW": "127.0.0.0/8", "APP_STORE_URL": NO_STORE}
        with serving(place / "log", "demo", "--data-dir", place / "data", **settings) as demo:
            address = demo.wait_ready()
            wait_until(lambda: "\ntry " in demo.said)
            found = re.search(r"^key +(sl_\w+)$", demo.said, re.MULTILINE)
            assert found
            folder = place / "guide"
            folder.mkdir()
            printed = dict(zip(map(str, STEPS), run_steps(STEPS, folder, found[1], address), strict=True))
            yield Session(printed, web, _findings(folder / "started.json", found[1], address))


def _findings(started: Path, key: str, address: str) -> list[dict[str, Any]]:
    run = json.loads(started.read_text())["run"]
    answer = httpx2.get(
        f"{address}/api/external/v1/research/{run['briefId']}",
        params={"view": "findings", "runId": run["id"], "sectionId": run["sections"][0]["id"]},
        headers={"Authorization": f"Bearer {key}"},
        timeout=60,
    )
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_command_prints_the_output_of_the_guide_with_the_webs_addresses(session: Session, step: Step) -> None:
    output = session.printed[str(step)]
    output = output.replace(f"{session.web.address}/", "https://").replace('"searxng"', '"library"')
    wrong = differences(step, output)
    assert not wrong, "\n".join([f"{step} over the web:", *wrong, "It printed:", session.printed[str(step)]])


@pytest.mark.slow
def test_findings_quote_the_pages_of_the_web(session: Session) -> None:
    assert session.web.asked
    assert len(session.findings) == 3
    for finding in session.findings:
        assert finding["provenance"]["provider"] == "searxng"
        assert finding["url"].startswith(f"{session.web.address}/")
        page = httpx2.get(finding["url"]).text
        assert all(escape(one["quote"]) in page for one in finding["observations"])
