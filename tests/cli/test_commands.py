"""Commands beside a running server."""

import json
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.command import run, status, wait_until
from tests.cli.conftest import Site

HEAVY = {"alembic", "asyncpg", "sqlalchemy", "starlette", "uvicorn", "yaml"}


def test_help_names_every_command() -> None:
    shown = run("--help").out
    for name in (
        *("init", "serve", "migrate", "workspace", "keys", "openapi", "audit", "doctor", "bench", "demo"),
        *("backup", "restore"),
    ):
        assert f"\n  {name} " in shown


def test_help_comes_at_once_since_it_imports_nothing_heavy() -> None:
    begin = "import sys; sys.argv = ['sightline', '--help']; from sightline.cli import main"
    script = f"{begin}\ntry: main()\nfinally: print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    imported = set(told.stdout.splitlines()[-1].split())
    assert "sightline.cli.command_line" in imported
    assert not imported & HEAVY


def test_init_makes_a_workspace_whose_key_opens_it(site: Site) -> None:
    words = ("--slug", "second", "--name", "Second", "--owner", "bo@second.test")
    made = site.run("init", *words, "--json").json
    assert (made["workspace"]["slug"], made["owner"]) == ("second", "bo@second.test")
    assert "research:manage" in made["scopes"]
    assert status(site.address, made["key"]) == 200
    assert site.run("init", *words).refusal == "sightline: There is a workspace second already."


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
        (("--workspace", "acme", "--name", "n", "--scopes", "all", "--member", "x@y.test"), "no member"),
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


def test_options_can_stand_in_the_environment_and_in_the_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sightline.toml").write_text(f'workspace = "none"\ndata_dir = "{site.data}"\nname = "from file"\n')
    done = run("keys", "create", "--scopes", "ideas:read", cwd=tmp_path, WORKSPACE="acme", JSON="1")
    assert done.json["name"] == "from file"


def test_an_unknown_setting_in_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sightline.toml").write_text("prot = 8000\n")
    assert "prot in sightline.toml" in run("workspace", "list", cwd=tmp_path).refusal


def test_the_trail_tells_who_did_what(site: Site) -> None:
    key = site.make_key(name="trail")
    trail = site.run("audit", "--workspace", "acme", "--record", key["id"], "--json").json
    assert [(entry["kind"], entry["action"], entry["actorKind"]) for entry in trail] == [
        ("api_key", "created", "operator")
    ]
    assert f"created  api_key {key['id']}" in site.run("audit", "--workspace", "acme").out
    assert site.run("audit", "--workspace", "acme", "--since", "2099-01-01", "--json").json == []
    assert "IDEA-1" in site.run("audit", "--workspace", "acme", "--record", "what?").refusal


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
    done = site.run("doctor", MODEL_URL="http://model.test", SEARCH_PROVIDER="brave")
    assert done.code == 1
    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("WRONG")] == ["model", "search"]
    [wrong] = json.loads(run("doctor", "--json", PORT="x").out)["checks"]
    assert (wrong["name"], wrong["ok"]) == ("configuration", False)
    assert wrong["said"] == "SIGHTLINE_PORT: expected a whole number from 0 to 65535, not 'x'."


def test_a_key_made_now_is_dated_now(site: Site) -> None:
    made = datetime.fromisoformat(site.make_key()["createdAt"])
    assert abs(made.timestamp() - time.time()) < 30


def test_an_api_process_imports_nothing_heavy() -> None:
    """An API process stays small only while nobody imports these by the way."""
    heavy = ("typer", "alembic", "sqlalchemy", "yaml")
    code = f"import sys, sightline.cli.api_process, sightline.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
