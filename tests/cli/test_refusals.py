"""What keeps a command from its data is reported in one line."""

from pathlib import Path

import asyncpg
import pytest

from tests.cli.command import SECRET, run
from tests.cli.conftest import Site
from tests.cli.test_serve import database_of


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://u@127.0.0.1:1/none", "cannot be reached: Connection refused ('127.0.0.1', 1)"),
        ("postgresql:///none?host=/nonexistent", "cannot be reached: No such file or directory"),
        ("nonsense", "--database-url: expected an address that begins with postgresql://"),
    ],
)
def test_a_database_that_cannot_be_reached(url: str, said: str) -> None:
    assert said in run("keys", "list", "--workspace", "acme", "--database-url", url).refusal
    assert said in run("serve", "--port", "0", "--database-url", url, SECRET=SECRET).refusal


async def test_a_database_that_is_not_migrated_is_left_alone(database_server: str) -> None:
    url = await fresh(database_server, "unmigrated")
    assert run("workspace", "list", "--database-url", url).refusal.endswith("run `sightline migrate`.")
    assert run("migrate", "--check", "--database-url", url).code == 1
    assert run("migrate", "--database-url", url).code == 0
    assert run("workspace", "list", "--database-url", url, "--json").json == []


async def test_a_database_that_is_newer_than_the_program(database_server: str) -> None:
    url = await fresh(database_server, "newer")
    connection = await asyncpg.connect(url)
    await connection.execute(
        "CREATE TABLE schema_revisions (revision text); INSERT INTO schema_revisions VALUES ('9999')"
    )
    await connection.close()
    for words in (("workspace", "list"), ("migrate",), ("serve", "--port", "0")):
        assert "revision 9999" in run(*words, "--database-url", url, SECRET=SECRET).refusal
    done = run("doctor", "--database-url", url, SECRET=SECRET)
    assert (done.code, "revision 9999" in done.out) == (1, True)


async def fresh(server: str, name: str) -> str:
    connection = await asyncpg.connect(server)
    await connection.execute(f"DROP DATABASE IF EXISTS cli_{name}")
    await connection.execute(f"CREATE DATABASE cli_{name}")
    await connection.close()
    return server.replace("/sightline?", f"/cli_{name}?")


def test_serving_a_database_of_ones_own_needs_the_secret(site: Site) -> None:
    url = database_of(site.data)
    assert "SIGHTLINE_SECRET is needed" in run("serve", "--port", "0", "--database-url", url).refusal


async def test_a_missing_secret_is_refused_before_the_database_is_migrated(database_server: str) -> None:
    url = await fresh(database_server, "no_secret")
    assert "SIGHTLINE_SECRET is needed" in run("serve", "--port", "0", "--database-url", url).refusal
    assert run("migrate", "--check", "--database-url", url).code == 1


def test_data_of_another_version_of_postgresql(place: Path) -> None:
    (place / "data/postgres").mkdir(parents=True, mode=0o700)
    (place / "data/postgres/PG_VERSION").write_text("17\n")
    assert "PostgreSQL 17" in run("workspace", "list", "--data-dir", place / "data").refusal


def test_a_data_directory_that_is_a_file(place: Path) -> None:
    (place / "data").touch()
    assert str(place / "data") in run("workspace", "list", "--data-dir", place / "data").refusal


def test_the_data_directory_of_the_command_line_wins_over_a_configured_database(site: Site) -> None:
    done = run("workspace", "list", "--data-dir", site.data, "--json", DATABASE_URL="postgresql://u@127.0.0.1:1/none")
    assert "acme" in {row["slug"] for row in done.json}
