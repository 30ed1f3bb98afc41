"""docs/guide/operating.md names every command and every setting, and its examples could be typed."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest
import typer

from sightline.cli.command_line import app
from sightline.settings import Settings, variable

PAGE = (Path(__file__).parents[2] / "docs/guide/operating.md").read_text()
NOT_FIXED = {"data_dir", "library_dir"}  # their defaults depend on the user
EXAMPLES = sorted(set(re.findall(r"(?:^    |`)(sightline [a-z][^`#\n&>]*[^`#\n&> ])", PAGE, re.MULTILINE)))


def commands(command: Any, path: str = "sightline") -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    for name in command.list_commands(None):
        yield from commands(command.get_command(None, name), f"{path} {name}")


COMMANDS = dict(commands(typer.main.get_command(app)))


def default_of(setting: "Field[Any]") -> str:
    if setting.default in (None, (), MISSING):
        return "none"
    if isinstance(setting.default, bool):
        return f"`{str(setting.default).lower()}`"
    return f"`{getattr(setting.default, 'seconds', setting.default)}`"


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_a_line_with_an_example(path: str) -> None:
    rows = re.findall(rf"^\| `{path}` .* \| `{path}\b.*` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 1, f"add `{path}`, what it does, and an example to the commands of docs/guide/operating.md"


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_has_a_line_with_its_default(setting: "Field[Any]") -> None:
    name = variable(setting.name)
    rows = re.findall(rf"^\| `{name}` \| (.*?) \| .+ \|$", PAGE, re.MULTILINE)
    assert len(rows) == 1, f"add {name}, its default and its meaning to the settings of docs/guide/operating.md"
    if setting.name not in NOT_FIXED:
        assert rows == [default_of(setting)], f"docs/guide/operating.md gives another default of {name}"


def test_every_named_setting_exists() -> None:
    options = {variable("workspace")}
    known = {variable(setting.name) for setting in fields(Settings)} | options
    assert set(re.findall(r"SIGHTLINE_[A-Z_]+", PAGE)) <= known


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_valid_command(example: str) -> None:
    words = shlex.split(example)
    path = next((found for found in COMMANDS if words[: found.count(" ") + 1] == found.split()), None)
    if example.removeprefix("sightline ") in {found.split()[1] for found in COMMANDS if found.count(" ") > 1}:
        return  # the name of a whole group
    assert path, f"there is no command `{example}`"
    known = {name for option in COMMANDS[path].params for name in option.opts}
    unknown = [word for word in words if word.startswith("--") and word not in known]
    assert not unknown, f"{path} has no option {unknown}"
