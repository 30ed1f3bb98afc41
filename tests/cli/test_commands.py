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
from sightline.platform.scopes import Scope
from tests.cli.command import environment, run, run_alone, serving, status
from tests.cli.conftest import Site
from tests.cli.test_serve import database_of
from tests.first_database import lay_database
from tests.waiting import wait_until

HEAVY = {"asyncpg", "starlette", "uvicorn", "yaml"}


def test_help_names_every_command() -> None:
    shown = run("--help").out
    for name in (
        *("init", "serve", "migrate", "workspace", "keys", "openapi", "audit", "doctor", "demo"),
        *("backup", "restore"),
    ):
        assert f"\n  {name} " in shown


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


def test_a_number_that_no_job_can_have_is_refused() -> None:
    refused = run("jobs", "retry", str(2**63))
    assert (refused.code, "is not in the range" in refused.err) == (2, True)


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


def test_help_lists_the_scopes_of_keys() -> None:
    shown = "".join(run("keys", "create", "--help").out.split())
    assert [scope for scope in Scope if scope not in shown] == []


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


def test_startup_lines_obey_the_format_of_logs(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data, LOG_FORMAT="json", LOG_LEVEL="error") as server:
        server.wait_ready()
        events = [json.loads(line)["event"] for line in server.said.splitlines()]
    assert [event for event in events if event.startswith("Sightline serves on")]


def test_late_jobs_without_a_worker_are_warned_of(place: Path) -> None:
    lay_database(data := place / "data")
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
