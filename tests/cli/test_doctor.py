"""What `sightline doctor` finds."""

import asyncio
import json
from pathlib import Path

import asyncpg
import pytest

from sightline.platform.checks import Check
from sightline.platform.db import Database, horizon
from tests.cli.command import run
from tests.cli.conftest import Site
from tests.cli.test_serve import database_of
from tests.intelligence.fake_model import Answer, fake_model, says
from tests.sources.storefront import opened


async def server_version(url: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        return str(await connection.fetchval("SHOW server_version")).split()[0]
    finally:
        await connection.close()


def test_the_doctor_asks_the_model_for_a_word(site: Site) -> None:
    with fake_model(says({"word": "ready"})) as fake:
        done = site.run("doctor", MODEL_URL=fake.url, MODEL_NAME="m", MODEL_KEY="hunter2")
    assert (done.code, len(fake.requests)) == (0, 1)
    assert f"ok     model          m at {fake.url} answers, asked for json_schema\n" in done.out
    with fake_model(Answer(status=401)) as fake:
        done = site.run("doctor", MODEL_URL=fake.url, MODEL_NAME="m", MODEL_KEY="hunter2")
    assert done.code == 1
    assert f"WRONG  model          m at {fake.url}: The endpoint answers with status 401.\n" in done.out
    assert "hunter2" not in done.out


def test_the_doctor_finds_a_running_server_healthy(site: Site) -> None:
    checks = site.run("doctor", "--json").json["checks"]
    looked_at = {"configuration", "database", "schema", "clock", "changes", "data directory", "disk", "secret"}
    assert looked_at <= {check["name"] for check in checks}
    assert all(check["ok"] for check in checks)
    assert "ok     database" in site.run("doctor").out


def test_the_doctor_finds_what_is_wrong(site: Site) -> None:
    nobody = "http://127.0.0.1:1"
    done = site.run("doctor", MODEL_URL="http://model.test", SEARXNG_URL=nobody, APP_STORE_URL=nobody)
    assert done.code == 1
    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("WRONG")] == ["model", "search", "app"]
    assert "SearXNG cannot be reached." in done.out
    assert f"The app store cannot be reached. SIGHTLINE_APP_STORE_URL is {nobody}." in done.out
    [wrong] = json.loads(run("doctor", "--json", PORT="x").out)["checks"]
    assert (wrong["name"], wrong["ok"]) == ("configuration", False)
    assert wrong["message"] == "SIGHTLINE_PORT: expected a whole number from 0 to 65535, not 'x'."


def test_the_doctor_warns_of_a_moved_clock(site: Site) -> None:
    moved = site.run("doctor", CLOCK_OFFSET="-1.5")
    warning = "warn   clock          SIGHTLINE_CLOCK_OFFSET moves it by -1.5 s: only for tests of time.\n"
    assert (moved.code, warning in moved.out) == (0, True)
    for offset in ("", "0"):
        assert "SIGHTLINE_CLOCK_OFFSET" not in site.run("doctor", CLOCK_OFFSET=offset).out


def test_the_doctor_names_a_transaction_that_holds_up_the_lists_of_changes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(horizon, "LONG_SECONDS", 0)
    url = f"postgresql://sightline@/sightline?host={site.data}/postgres"

    async def check() -> Check:
        forgotten = await asyncpg.connect(url)
        database = await Database.connect(url, size=1)
        try:
            async with forgotten.transaction(), database.snapshot() as tx:
                await forgotten.execute("SELECT 1")
                return await horizon.check_open_transactions(tx)
        finally:
            await database.close()
            await forgotten.close()

    found = asyncio.run(check())
    assert (found.ok, found.warning, "(no name) keeps a transaction open" in found.message) == (True, True, True)
    assert "changes        listed up to the present" in site.run("doctor").out


def test_the_doctor_sees_that_the_clock_has_been_set_back(site: Site) -> None:
    wrong = site.run("doctor", CLOCK_OFFSET="-9000")
    assert (wrong.code, "start copies of lists again" in wrong.out) == (1, True)


def test_the_doctor_sees_that_the_library_is_missing(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    wrong = site.run("doctor", LIBRARY_DIR=str(folder))
    message = f"There is no folder {folder}: create it, or set SIGHTLINE_LIBRARY_DIR."
    assert (wrong.code, f"WRONG  search         {message}" in wrong.out) == (1, True)
    folder.mkdir()
    right = site.run("doctor", LIBRARY_DIR=str(folder))
    assert (right.code, f"ok     search         {folder}, saved pages" in right.out) == (0, True)
    assert "warn   search         No saved pages" in site.run("doctor").out


def test_the_doctor_sees_that_the_database_is_missing(place: Path) -> None:
    data = place / "data"
    done = run("doctor", "--data-dir", data)
    message = f"There is no database in {data}: `sightline init` or `serve` creates it."
    assert (done.code, f"WRONG  database       {message}" in done.out) == (1, True)
    assert not data.exists()


async def test_the_doctor_asks_a_configured_app_store(site: Site) -> None:
    async with opened() as front:
        done = await asyncio.to_thread(site.run, "doctor", APP_STORE_URL=front.url)
    assert f"ok     app store      {front.url} answers" in done.out
    assert front.calls


def test_the_doctor_refuses_a_short_secret() -> None:
    done = run("doctor", SECRET="short")
    assert (done.code, done.out) == (1, "WRONG  configuration  SIGHTLINE_SECRET: expected at least 16 characters.\n")


def test_the_doctor_refuses_an_unknown_variable(site: Site) -> None:
    done = site.run("doctor", LOG_LEVL="debug")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("WRONG")] == [
        "WRONG  environment    SIGHTLINE_LOG_LEVL is not a setting: did you mean SIGHTLINE_LOG_LEVEL?"
    ]


def test_the_doctor_shows_the_servers_whole_version(site: Site) -> None:
    version = asyncio.run(server_version(database_of(site.data)))
    assert f"PostgreSQL {version}" in [check["message"] for check in site.run("doctor", "--json").json["checks"]]
