"""Where the value of an option comes from: its name is one and the same in every place. And misspelt commands."""

from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperOption

from sightline.cli.options import Command
from sightline.settings import SETTINGS, variable
from tests.cli.command import run
from tests.docs.test_operating import COMMANDS


def test_the_environment_and_the_file_know_an_option_by_its_name() -> None:
    for path, command in COMMANDS.items():
        assert isinstance(command, Command), f"{path} reads neither"
        for option in (one for one in command.params if isinstance(one, TyperOption)):
            name = max(option.opts, key=len).lstrip("-").replace("-", "_")
            named = None if name in SETTINGS else variable(name)
            assert option.envvar == named, f"{path}: declare --{name} by option()"
            assert name == name.lower(), f"{path}: give option() the name --{name.lower()}"


@pytest.mark.parametrize("settings", [{}, {"SLUG": "acme"}])
def test_an_argument_is_only_read_from_the_command_line(tmp_path: Path, settings: dict[str, Any]) -> None:
    (tmp_path / "sightline.toml").write_text("" if settings else 'slug = "acme"\n')
    done = run("workspace", "delete", "--yes", cwd=tmp_path, **settings)
    assert (done.code, "Missing argument 'SLUG'" in done.err) == (2, True)


@pytest.mark.parametrize(("settings", "file"), [({"FROM": "abacus"}, ""), ({}, 'from = "abacus"\n')])
def test_from_is_read_from_the_environment_and_the_file(tmp_path: Path, settings: dict[str, Any], file: str) -> None:
    (tmp_path / "sightline.toml").write_text(file)
    (tmp_path / "posts.csv").write_text("Title\nDark mode\n")
    done = run("import", "ideas", "posts.csv", "--workspace", "acme", cwd=tmp_path, **settings)
    assert (done.code, "abacus" in done.err) == (2, True)


@pytest.mark.parametrize(("words", "meant"), [(["exprot", "ideas"], "'export'"), (["workspace", "aply"], "'apply'")])
def test_a_misspelt_command_is_told_what_may_be_meant(words: list[str], meant: str) -> None:
    done = run(*words)
    assert (done.code, f"Did you mean {meant}?" in done.err) == (2, True)
