"""Research on the command line: asked, searched by a real worker in a folder of saved pages, and checked."""

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.command import WORDS, environment, run, serving
from tests.first_database import lay_database
from tests.intelligence.fake_model import Answer, fake_model
from tests.platform.embedded_world import open_place
from tests.waiting import wait_until

QUESTION = "How do planners forecast demand?"
PAGE = """---
url: https://crops.example/forecast
title: Planners forecast demand by hand
publisher: Crops Weekly
date: {day}
---
Most planners forecast demand by hand. A demand forecast takes them a week of work.
"""

SEEDLINGS = "What share of seedlings is lost?"
LOST = """---
url: https://seeds.example/lost
title: Lost seedlings
publisher: Seed Trade
date: {day}
---
Of all seedlings 12 percent are lost before they are planted.
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with a workspace, a library of one page, and a server with its worker."""
    with open_place() as place:
        lay_database(place / "data")
        library = place / "data" / "library"
        library.mkdir()
        day = (datetime.now(UTC) - timedelta(days=3)).date()
        (library / "forecast.md").write_text(PAGE.format(day=day))
        (library / "lost.md").write_text(LOST.format(day=day - timedelta(days=200)))
        with serving(place / "log", "serve", "--data-dir", place / "data") as server:
            server.wait_ready()
            words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
            assert run(*words, DATA_DIR=str(place / "data")).code == 0
            yield place


def test_a_question_is_answered_with_sources_whose_quotes_hold(place: Path) -> None:
    data = str(place / "data")
    asked = run("research", "ask", QUESTION, "--workspace", "acme", "--yes", DATA_DIR=data)
    assert asked.code == 0, asked.err
    assert "https://crops.example/forecast" in asked.out
    assert '"Most planners forecast demand by hand.' in asked.out
    assert "Crops Weekly" in asked.out
    found = re.search(r"^run +(\S+)$", asked.out, re.MULTILINE)
    assert found
    checked = run("research", "verify", found[1], "--json", DATA_DIR=data)
    assert (checked.code, checked.json["mismatches"]) == (0, [])
    assert checked.json["quotes"] >= 1


def test_the_result_is_one_json_document(place: Path) -> None:
    done = run("research", "ask", QUESTION, "--workspace", "acme", "--yes", "--json", DATA_DIR=str(place / "data"))
    research = json.loads(done.out)
    assert research["run"]["status"] == "completed"
    assert [one["url"] for one in research["sections"][0]["findings"]] == ["https://crops.example/forecast"]
    assert QUESTION in done.err


def days_ago(days: int) -> str:
    return str((datetime.now(UTC) - timedelta(days=days)).date())


def test_a_short_window_says_what_lies_outside(place: Path) -> None:
    words = ("research", "ask", SEEDLINGS, "--workspace", "acme", "--yes", "--since", days_ago(30))
    done = run(*words, DATA_DIR=str(place / "data"))
    assert "sources of the last 30 days." in done.err
    assert "No finding answers this." in done.out
    assert "1 older source lies outside the window; " in done.out
    assert "https://seeds.example/lost" not in done.out


@pytest.mark.parametrize(
    ("question", "window", "asked", "ages"),
    [
        (SEEDLINGS, ["--baseline"], SEEDLINGS, "any age."),
        (f"{SEEDLINGS[:-1]} in the last 30 days?", ["--baseline"], SEEDLINGS, "any age."),
        (SEEDLINGS, ["--since", days_ago(300)], f"{SEEDLINGS[:-1]} since {days_ago(300)}?", None),
        (SEEDLINGS, ["--since", days_ago(80), "--baseline"], f"{SEEDLINGS[:-1]} since {days_ago(80)}?", None),
    ],
    ids=["baseline", "in place of a period", "since", "both"],
)
def test_a_baseline_takes_older_sources(
    place: Path, question: str, window: list[str], asked: str, ages: str | None
) -> None:
    words = ("research", "ask", question, "--workspace", "acme", "--yes", *window)
    done = run(*words, DATA_DIR=str(place / "data"))
    assert f"  - {asked}" in done.err
    assert (ages or f"dated since {window[1]}.") in done.err
    assert "The window is that of --since and --baseline." in done.err
    assert ("Seed Trade, " in done.out) is (days_ago(80) not in window)


def test_a_window_begins_before_today(place: Path) -> None:
    words = ("research", "ask", SEEDLINGS, "--workspace", "acme", "--yes", "--since", days_ago(-1))
    assert run(*words, DATA_DIR=str(place / "data")).refusal == "sightline: --since: name a day before today."
    assert "expected a date such as 2026-11-20" in run(*words[:-1], "yesterday", DATA_DIR=str(place / "data")).err


def test_a_model_that_fails_is_told_on_standard_error(place: Path) -> None:
    with fake_model(Answer(status=401)) as fake:
        words = ("research", "ask", QUESTION, "--workspace", "acme", "--yes", "--json")
        done = run(*words, DATA_DIR=str(place / "data"), MODEL_URL=fake.url, MODEL_NAME="m")
    assert (done.code, done.json["run"]["status"]) == (0, "completed")
    assert "A model failed; the embedded engine does its task" in done.err


UNASKED = "Error: Invalid value for --yes: standard input has no answer; add --yes to start without asking"


@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        ('"$@" <&-', 2, UNASKED),
        ('"$@" </dev/null', 2, UNASKED),
        ('echo n | "$@"', 1, "sightline: Nothing was started."),
    ],
    ids=["closed", "empty", "no"],
)
def test_nothing_starts_without_a_yes(place: Path, script: str, code: int, told: str) -> None:
    words = [*WORDS, "research", "ask", QUESTION, "--workspace", "acme"]
    done = subprocess.run(
        ["sh", "-c", script, "sh", *words],
        env=environment(DATA_DIR=str(place / "data")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[-1].removeprefix("Start it? [y/N]:")) == (code, told)
    assert "Aborted" not in done.stderr


@pytest.mark.parametrize(
    ("question", "bound"),
    [
        ("", "Needs at least 8 characters"),
        ("Why?   ", "Needs at least 8 characters"),
        ("x" * 3_001, "At most 3000 characters"),
    ],
    ids=["empty", "short", "long"],
)
def test_a_question_keeps_its_bounds(place: Path, question: str, bound: str) -> None:
    done = run("research", "ask", question, "--workspace", "acme", "--yes", DATA_DIR=str(place / "data"))
    assert done.refusal == f"sightline: QUESTION: {bound}."


def test_a_workspace_that_is_not_there_is_refused(place: Path) -> None:
    done = run("research", "ask", QUESTION, "--workspace", "nowhere", "--yes", DATA_DIR=str(place / "data"))
    assert done.refusal == "sightline: There is no workspace nowhere."


FORGED = {
    "workspace": {"slug": "forged", "name": "Forged"},
    "research": [
        {
            "key": "forged",
            "name": "Forged",
            "runs": [
                {
                    "id": "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f007",
                    "sources": [
                        {
                            "id": "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f008",
                            "url": "https://crops.example/forecast",
                            "content": "Planners forecast demand.",
                            "contentHash": sha256(b"Planners forecast demand.").hexdigest(),
                            "retrievedAt": "2026-11-20T10:00:00Z",
                        }
                    ],
                    "sections": [
                        {
                            "id": "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f009",
                            "name": "Forged",
                            "findings": [
                                {
                                    "id": "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f00a",
                                    "sourceId": "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f008",
                                    "title": "Forecasts",
                                    "url": "https://crops.example/forecast",
                                    "retrievedAt": "2026-11-20T10:00:00Z",
                                    "observations": [
                                        {"text": "Said.", "quote": "Planners forecast demand."},
                                        {"text": "Said.", "quote": "Planners love forecasts."},
                                    ],
                                    "provenance": {
                                        "provider": "library",
                                        "query": "forecast",
                                        "contentHash": sha256(b"Planners forecast demand.").hexdigest(),
                                        "engine": "embedded 1",
                                    },
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    ],
}


def test_a_quote_that_does_not_match_has_a_line_and_ends_the_command_with_1(place: Path) -> None:
    data, file = str(place / "data"), place / "forged.json"
    file.write_text(json.dumps(FORGED))
    assert run("workspace", "apply", file, DATA_DIR=data).code == 0
    checked = run("research", "verify", "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f007", DATA_DIR=data)
    [wrong, summary] = checked.out.splitlines()
    assert (checked.code, wrong) == (
        1,
        "0f1d2c3b-5a69-4788-9aa6-b4c3d2e1f00a  https://crops.example/forecast  Not a part of the stored text"
        ' "Planners love forecasts."',
    )
    assert summary == "2 quotes of 1 finding, 1 does not match."


@pytest.mark.slow
def test_a_question_without_a_worker_says_so_and_goes_on_when_one_comes() -> None:
    with open_place() as place:
        lay_database(place / "data")
        data = str(place / "data")
        words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test")
        assert run(*words, DATA_DIR=data).code == 0
        asking = ("research", "ask", QUESTION, "--workspace", "acme", "--yes")
        with serving(place / "log", *asking, DATA_DIR=data) as asked:
            wait_until(lambda: "Still waiting for a worker" in asked.said, seconds=60)
            with serving(place / "worker.log", "worker", DATA_DIR=data):
                assert asked.process.wait(60) == 0
            assert "0 of at most 3 sources found" in asked.said
            assert "No finding answers this." in asked.said


def test_an_unknown_run_is_refused(place: Path) -> None:
    missing = "99999999-9999-4999-8999-999999999999"
    done = run("research", "verify", missing, DATA_DIR=str(place / "data"))
    assert done.refusal == f"sightline: There is no run {missing}."
