"""docs/guide/operating.md names every command and every setting, and its examples could be typed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from sightline.cli.command_line import app
from sightline.settings import SETTINGS, variable

PAGE = (Path(__file__).parents[2] / "docs/guide/operating.md").read_text()
OTHER_DEFAULTS = {"data_dir": "see above", "library_dir": "`library` in the data directory"}  # depend on the user
EXAMPLES = sorted(set(re.findall(r"(?:^    |`)(sightline [a-z][^`#\n&>]*[^`#\n&> ])", PAGE, re.MULTILINE)))


def commands(command: Any, path: str = "sightline") -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    for name in command.list_commands(None):
        yield from commands(command.get_command(None, name), f"{path} {name}")


COMMANDS = dict(commands(typer.main.get_command(app)))


def default_of(name: str) -> str:
    default = SETTINGS[name].default
    if default in (None, ()):
        return OTHER_DEFAULTS.get(name, "none")
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{getattr(default, 'seconds', default)}`"


def test_every_command_has_a_line_with_an_example() -> None:
    for path in COMMANDS:
        rows = re.findall(rf"^\| `{path}` .* \| `{path}\b.*` \|$", PAGE, re.MULTILINE)
        assert len(rows) == 1, f"add `{path}`, what it does, and an example to the commands of docs/guide/operating.md"


def test_every_setting_has_the_row_that_its_declaration_makes() -> None:
    rows = [f"| `{variable(name)}` | {default_of(name)} | {one.meta.description} |" for name, one in SETTINGS.items()]
    missing = [row for row in rows if row not in PAGE.splitlines()]
    assert not missing, "\n".join(["docs/guide/operating.md has another row for these settings, or none:", *missing])


def test_every_named_setting_exists() -> None:
    options = {variable("workspace")}
    known = {variable(name) for name in SETTINGS} | options
    assert set(re.findall(r"SIGHTLINE_[A-Z_]+", PAGE)) <= known


def test_every_example_is_a_valid_command() -> None:
    groups = {f"sightline {found.split()[1]}" for found in COMMANDS if found.count(" ") > 1}
    for example in set(EXAMPLES) - groups:
        words = shlex.split(example)
        path = next((found for found in COMMANDS if words[: found.count(" ") + 1] == found.split()), None)
        assert path, f"there is no command `{example}`"
        known = {name for option in COMMANDS[path].params for name in option.opts}
        unknown = [word for word in words if word.startswith("--") and word not in known]
        assert not unknown, f"{path} has no option {unknown}"
