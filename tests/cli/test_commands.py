"""Commands beside a running server."""

import asyncio
import json
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import asyncpg
import pytest

from sightline import __version__
from sightline.cli.command_line import COMMANDS
from sightline.platform.checks import Check
from sightline.platform.db import Database, horizon
from sightline.platform.scopes import Scope
from tests.cli.command import environment, run, run_alone, serving, status
from tests.cli.conftest import Site
from tests.cli.test_serve import database_of
from tests.intelligence.fake_model import Answer, fake_model, says
from tests.sources.storefront import opened
from tests.waiting import wait_until

HEAVY = {"asyncpg", "starlette", "uvicorn", "yaml"}


def test_help_names_every_command() -> None:
    shown = run("--help").out
    for name in (
        *("init", "serve", "migrate", "workspace", "keys", "openapi", "audit", "doctor", "demo"),
        *("backup", "restore"),
    ):
        assert f"\n  {name} " in shown


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


def test_usage_is_empty_without_a_model(site: Site) -> None:
    assert site.run("usage", "--workspace", "acme", "--json").json == {"workspace": "acme", "tasks": []}
    assert site.run("usage", "--workspace", "acme", "--since", "2026-01-01").err == "No model was asked.\n"
    assert site.run("usage", "--workspace", "nobody").code == 1


@pytest.mark.parametrize(
    "group", [(), *((name,) for name in ("workspace", "keys", "portal", "documents", "research", "jobs", "evaluate"))]
)
def test_help_shows_each_command_in_one_whole_sentence(group: tuple[str, ...]) -> None:
    commands = run(*group, "--help").out.split("Commands:\n")[1].splitlines()
    assert [line for line in commands if not line.endswith((".", ";")) or line.endswith("...")] == []


def test_help_comes_at_once_since_it_imports_nothing_heavy() -> None:
    begin = "import sys; sys.argv = ['sightline', '--help']; from sightline.cli import main"
    script = f"{begin}\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    imported = set(done.stdout.splitlines()[-1].split())
    assert "sightline.cli.command_line" in imported
    assert not imported & HEAVY


def test_init_makes_a_workspace_whose_key_opens_it(site: Site) -> None:
    words = ("--slug", "second", "--name", "Second", "--owner", "bo@second.test")
    made = site.run("init", *words, "--json").json
    assert (made["workspace"]["slug"], made["owner"]) == ("second", "bo@second.test")
    assert "research:manage" in made["scopes"]
    assert status(site.address, made["key"]) == 200
    assert site.run("init", *words).refusal == "sightline: There is a workspace second already."


def test_init_says_that_its_key_is_not_shown_again(site: Site) -> None:
    made = site.run("init", "--slug", "third", "--name", "Third", "--owner", "bo@third.test")
    assert (made.code, made.err) == (0, "Keep the key now: it is not shown again.\n")


def test_a_key_works_and_a_revoked_one_does_not(site: Site) -> None:
    key = site.make_key("--member", "ada@acme.test", scopes="ideas:read, ideas:write")
    assert key["scopes"] == ["ideas:read", "ideas:write"]
    assert key["member"] == "ada@acme.test"
    assert status(site.address, key["key"]) == 200
    assert site.run("keys", "revoke", key["id"], "--json").json["revokedAt"]
    wait_until(lambda: status(site.address, key["key"]) == 401, seconds=1)


def test_a_rolled_key_works_beside_the_new_one(site: Site) -> None:
    old = site.make_key(name="robot")
    new = site.run("keys", "roll", old["id"], "--overlap", "2", "--json").json
    assert new["name"] == "robot"
    assert [status(site.address, key["key"]) for key in (old, new)] == [200, 200]
    site.run("keys", "roll", new["id"], "--overlap", "0", "--json").json  # noqa: B018 - asserts that it worked
    wait_until(lambda: status(site.address, new["key"]) == 401, seconds=1)


def test_keys_are_listed_without_their_secret(site: Site) -> None:
    key = site.make_key("--expires", "2099-01-01", name="listed")
    listed = site.run("keys", "list", "--workspace", "acme")
    assert "listed" in listed.out
    assert key["key"].split("_")[2] not in listed.out
    found = [row for row in site.run("keys", "list", "--workspace", "acme", "--json").json if row["id"] == key["id"]]
    assert (found[0]["expiresAt"], found[0]["tokenId"]) == ("2099-01-01T00:00:00.000Z", key["key"].split("_")[1])


def test_a_key_is_shown_to_people_too(site: Site) -> None:
    shown = site.run("keys", "create", "--workspace", "acme", "--name", "n", "--scopes", "ideas:read")
    assert shown.code == 0
    assert "sl_" in shown.out
    assert "not shown again" in shown.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workspace", "none", "--name", "n", "--scopes", "all"), "no workspace none"),
        (("--workspace", "acme", "--name", "n", "--scopes", "ideas:fly"), "ideas:fly"),
        (("--workspace", "acme", "--name", "n", "--scopes", "all", "--member", "x@y.test"), "is not a member"),
    ],
)
def test_a_refused_key_is_refused_in_one_line(site: Site, words: tuple[str, ...], said: str) -> None:
    assert said in site.run("keys", "create", *words).refusal


def test_an_unknown_key_is_refused(site: Site) -> None:
    assert site.run("keys", "revoke", "nothing").refusal == "sightline: There is no such key."


@pytest.mark.parametrize(
    "words",
    [
        ("keys", "create", "--workspace", "acme"),
        ("keys", "create", "--workspace", "a", "--name", "n", "--scopes", "all", "--expires", "tomorrow"),
        ("keys", "roll", "x", "--overlap", "-1"),
        ("serve", "--port", "65536"),
        ("audit", "--workspace", "acme", "--since", "ever"),
        ("fly",),
    ],
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.code, done.out) == (2, "")
    assert "Error" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "words", [("serve", "--port", "x"), ("keys", "roll", "k", "--overlap", "x"), ("jobs", "retry", "x")]
)
def test_a_wrong_number_is_called_a_number(words: tuple[str, ...]) -> None:
    assert "'x' is not a valid number." in run(*words, "x").err


def test_options_can_stand_in_the_environment_and_in_the_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sightline.toml").write_text(f'workspace = "none"\ndata_dir = "{site.data}"\nname = "from file"\n')
    done = run("keys", "create", "--scopes", "ideas:read", cwd=tmp_path, WORKSPACE="acme", JSON="1")
    assert done.json["name"] == "from file"


def test_an_unknown_setting_in_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sightline.toml").write_text("prot = 8000\n")
    assert "prot in sightline.toml" in run("workspace", "list", cwd=tmp_path).refusal


def test_a_current_database_needs_no_migration(site: Site) -> None:
    assert site.run("migrate", "--check", "--json").json == {"pending": []}
    assert site.run("migrate", "--json").json == {"applied": []}


def test_the_doctor_finds_a_running_server_healthy(site: Site) -> None:
    checks = site.run("doctor", "--json").json["checks"]
    looked_at = {"configuration", "database", "schema", "clock", "data directory", "disk", "secret"}
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
    message = f"None in {data}: `sightline init` or `serve` creates it."
    assert (done.code, f"WRONG  database       {message}" in done.out) == (1, True)
    assert not data.exists()


def test_help_lists_the_scopes_of_keys() -> None:
    shown = "".join(run("keys", "create", "--help").out.split())
    assert [scope for scope in Scope if scope not in shown] == []


async def test_the_doctor_asks_a_configured_app_store(site: Site) -> None:
    async with opened() as front:
        done = await asyncio.to_thread(site.run, "doctor", APP_STORE_URL=front.url)
    assert f"ok     app store      {front.url} answers" in done.out
    assert front.calls


def test_the_doctor_refuses_a_short_secret() -> None:
    done = run("doctor", SECRET="short")
    assert (done.code, done.out) == (1, "WRONG  configuration  SIGHTLINE_SECRET: expected at least 16 characters.\n")


# Libraries are imported once, apart from that which keeps a registry; each command then imports Sightline's modules in
# a process of its own.
HELP = """
import os, sys
from importlib import import_module
from sightline.cli.command_line import COMMANDS, MODULES

for name in COMMANDS:
    import_module(f"sightline.cli.{MODULES.get(name, name)}")
for name in list(sys.modules):
    if name.partition(".")[0] in ("sightline", "prometheus_client"):
        del sys.modules[name]
for name in COMMANDS:
    print(f"=== {name}", flush=True)
    if os.fork() == 0:
        from sightline.cli.command_line import run
        sys.argv = ["sightline", name, "--help"]
        run()
    os.wait()
"""


@pytest.mark.slow
def test_each_command_imports_what_it_needs() -> None:
    """In a process that imports nothing else of Sightline."""
    done = subprocess.run([sys.executable, "-c", HELP], env=environment(), capture_output=True, text=True, check=True)
    shown = dict(part.split("\n", 1) for part in done.stdout.split("=== ")[1:])
    assert [name for name, text in shown.items() if "Usage: " in text] == list(COMMANDS)


def test_help_shows_the_first_sentence_of_each_command() -> None:
    for name, sentence in COMMANDS.items():
        assert sentence in " ".join(run(name, "--help").out.split()), name


def test_a_key_made_now_is_dated_now(site: Site) -> None:
    made = datetime.fromisoformat(site.make_key()["createdAt"])
    assert abs(made.timestamp() - time.time()) < 30


def test_an_api_process_imports_nothing_heavy() -> None:
    """An API process stays small only while nobody imports these by the way."""
    code = "import sys, sightline.serving.api_process, sightline.app; print([m for m in ['typer'] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_printed() -> None:
    assert run_alone("--version").out == f"Sightline {__version__}\n"


def test_an_unknown_variable_is_warned_of_with_the_nearest_name(site: Site) -> None:
    done = site.run("workspace", "list", "--json", PUBLC_URL="x", SERVICE_HOST="10.0.0.1", PORT_8000_TCP="tcp://")
    assert done.code == 0
    assert done.err == "Warning: SIGHTLINE_PUBLC_URL is not a setting: did you mean SIGHTLINE_PUBLIC_URL?\n"
    assert site.run("workspace", "list", "--json", WORKSPACE="acme").err == ""


def test_the_doctor_refuses_an_unknown_variable(site: Site) -> None:
    done = site.run("doctor", LOG_LEVL="debug")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("WRONG")] == [
        "WRONG  environment    SIGHTLINE_LOG_LEVL is not a setting: did you mean SIGHTLINE_LOG_LEVEL?"
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("workspace", "list"),
        ("workspace", "export", "acme"),
        ("keys", "list", "--workspace", "acme"),
        ("keys", "create", "--workspace", "acme", "--name", "n", "--scopes", "all"),
        ("audit", "--workspace", "acme"),
        ("jobs", "list"),
        ("migrate", "--check"),
        ("backup", "/nonexistent/file"),
    ],
)
def test_no_database_is_created_by_reading(place: Path, words: tuple[str, ...]) -> None:
    data = place / "data"
    refusal = run(*words, "--data-dir", data).refusal
    assert refusal == f"sightline: There is no database in {data}: `sightline init` or `serve` creates it."
    assert not data.exists()


def test_a_key_that_cannot_write_is_warned_of(site: Site) -> None:
    words = ("keys", "create", "--workspace", "acme", "--name", "n", "--json")
    done = site.run(*words, "--scopes", "ideas:read,ideas:write")
    assert done.json["member"] is None
    assert "without --member the key has no creator and only reads. Without effect: ideas:write." in done.err
    assert site.run(*words, "--scopes", "ideas:read").err == ""
    assert site.run(*words, "--scopes", "all", "--member", "ada@acme.test").err == ""


def test_the_doctor_shows_the_servers_whole_version(site: Site) -> None:
    version = asyncio.run(server_version(database_of(site.data)))
    assert f"PostgreSQL {version}" in [check["message"] for check in site.run("doctor", "--json").json["checks"]]


async def server_version(url: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        return str(await connection.fetchval("SHOW server_version")).split()[0]
    finally:
        await connection.close()


def test_startup_lines_obey_the_format_of_logs(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data, LOG_FORMAT="json", LOG_LEVEL="error") as server:
        server.wait_ready()
        events = [json.loads(line)["event"] for line in server.said.splitlines()]
    assert [event for event in events if event.startswith("Sightline serves on")]


def test_late_jobs_without_a_worker_are_warned_of(place: Path) -> None:
    data = place / "data"
    with serving(place / "log", "serve", "--no-worker", "--data-dir", data) as server:
        server.wait_ready()
        asyncio.run(add_late_job(database_of(data)))
        done = run("doctor", "--data-dir", data)
        [warning] = [line for line in done.out.splitlines() if line.startswith("warn   jobs")]
        assert (done.code, "no worker runs: start `sightline worker`" in warning) == (0, True)
        with serving(place / "worker.log", "worker", "--data-dir", data) as worker:
            wait_until(lambda: "takes jobs" in worker.said)
            assert "warn   jobs" not in run("doctor", "--data-dir", data).out


async def add_late_job(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(
        "INSERT INTO jobs (kind, workspace_id, record_id, run_after)"
        " VALUES ('documents.write', gen_random_uuid(), gen_random_uuid(), now() - interval '1 hour')"
    )
    await connection.close()
