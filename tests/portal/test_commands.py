"""`sightline portal`, beside the server that it configures."""

import time
from dataclasses import dataclass, replace
from typing import Any

import jwt
import pytest

from tests.cli.command import Done, run

pytestmark = pytest.mark.own_database
LOGIN, LOGOUT = "https://product.test/login", "http://127.0.0.1:9/logout"


@dataclass
class Commands:
    """`sightline portal ...` on one database."""

    url: str
    workspace: str = "acme"

    def run(self, *words: str, **settings: str) -> Done:
        return run(*words, cwd=None, DATABASE_URL=self.url, SECRET="a secret of the server", **settings)

    def configure(self, *words: str, workspace: str = "", **settings: str) -> Done:
        urls = ("--remote-login-url", LOGIN, "--remote-logout-url", LOGOUT)
        return self.run("portal", "configure", "--workspace", workspace or self.workspace, *urls, *words, **settings)

    def try_token(self, token: str, *words: str) -> Done:
        return self.run("portal", "test-token", "--workspace", self.workspace, token, *words)


@pytest.fixture(scope="module")
def commands(database_url: str) -> Commands:
    made = Commands(database_url)
    for slug in ("acme", "shown", "one", "other", "bare"):
        done = made.run("init", "--slug", slug, "--name", slug, "--owner", f"ada@{slug}.test")
        assert done.code == 0, done.err
    return made


def test_the_secret_is_shown_once_and_a_token_of_an_old_secret_is_refused(commands: Commands) -> None:
    commands = replace(commands, workspace="shown")  # as other tests configure acme
    first = commands.configure("--json", PUBLIC_URL="https://ideas.example").json
    assert first["portalUrl"] == "https://ideas.example/portal/shown"
    assert first["callbackUrl"] == "https://ideas.example/portal/shown/api/portal/auth/jwt/callback"
    assert len(first["secret"]) == 43
    again = commands.configure("--json", "--host", "ideas.shown.test", PUBLIC_URL="https://x.example:8443").json
    assert again == {
        "portalUrl": "https://ideas.shown.test:8443",
        "callbackUrl": "https://ideas.shown.test:8443/api/portal/auth/jwt/callback",
        "secret": None,
    }
    assert "SIGHTLINE_PUBLIC_URL" not in commands.configure(PUBLIC_URL="https://ideas.example").err
    good = {"iat": int(time.time()), "jti": "a", "email": "bo@globex.test", "first_name": "", "last_name": ""}
    assert commands.try_token(jwt.encode(good, first["secret"])).code == 0
    rotated = commands.run("portal", "rotate-secret", "--workspace", "shown", "--json").json
    assert rotated["secret"] != first["secret"]
    wrong = commands.try_token(jwt.encode(good, first["secret"]))
    assert wrong.code == 1
    assert "signature" in wrong.out
    assert commands.try_token(jwt.encode(good, rotated["secret"])).out == "The token would be accepted.\n"
    late: dict[str, Any] = good | {"iat": int(time.time() * 1000)}
    refused = commands.try_token(jwt.encode(late, rotated["secret"]), "--json")
    assert refused.code == 1
    assert '"claim":"iat"' in refused.out
    assert "milliseconds" in refused.out


def test_the_doctor_says_which_portals_another_server_secret_closes(commands: Commands) -> None:
    commands.configure(workspace="one")
    assert "portals" not in commands.run("doctor").out
    other = run("doctor", cwd=None, DATABASE_URL=commands.url, SECRET="the secret of another server")
    assert other.code == 1
    [line] = [line for line in other.out.splitlines() if line.startswith("WRONG  portals ")]
    assert " one" in line
    assert "portal rotate-secret" in line


@pytest.mark.parametrize("words", [("--json",), ()])
def test_without_a_public_address_the_commands_say_that_theirs_is_a_guess(
    commands: Commands, words: tuple[str, ...]
) -> None:
    rotate = ("portal", "rotate-secret", "--workspace", "acme", *words)
    for done in (commands.configure(*words), commands.run(*rotate)):
        assert done.code == 0
        [line] = [line for line in done.err.splitlines() if "SIGHTLINE_PUBLIC_URL" in line]
        assert "guess" in line
        assert "SIGHTLINE_PUBLIC_URL" not in done.out
    assert "SIGHTLINE_PUBLIC_URL" not in commands.run(*rotate, PUBLIC_URL="https://ideas.example").err


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (("--remote-login-url", "http://product.test/login"), "--remote-login-url"),
        (("--remote-logout-url", "ftp://product.test"), "--remote-logout-url"),
        (("--remote-logout-url", "https://bo:secret@product.test"), "--remote-logout-url"),
        (("--host", "Ideas.Acme.test"), "--host"),
        (("--host", "127.0.0.1"), "--host"),
    ],
)
def test_a_faulty_command_is_refused_in_one_line(commands: Commands, words: tuple[str, str], about: str) -> None:
    assert about in commands.configure(*words).refusal


def test_a_host_belongs_to_one_portal(commands: Commands) -> None:
    assert commands.configure("--host", "ideas.one.test", workspace="one").code == 0
    assert "ideas.one.test" in commands.configure("--host", "ideas.one.test", workspace="other").refusal


def test_without_a_portal_there_is_nothing_to_rotate_or_try(commands: Commands) -> None:
    bare = ("--workspace", "bare")
    assert "portal configure" in commands.run("portal", "rotate-secret", *bare).refusal
    assert "portal configure" in commands.run("portal", "test-token", "x", *bare).refusal
    assert commands.run("portal", "rotate-secret", "--workspace", "nobody").code == 1
