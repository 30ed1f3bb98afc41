"""Options that several commands share, and where the value of an option comes from.

The command line wins, then `SIGHTLINE_<OPTION>`, then `sightline.toml`: typer reads both. Options that are settings are
read by `Settings`, which does the same for processes without a command line.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from sightline.settings import FILE, PREFIX, SETTINGS, SettingsError, read_file, variable


def option(help: str, *names: str, **more: Any) -> Any:
    """Declares an option, which is called like its parameter, or has another name.

    A flag needs its name, as it has no opposite; so does an option whose `metavar` is its name in capitals.
    """
    return typer.Option(*names, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, **more)


def setting(name: str) -> Any:
    """Declares the option of a setting, with its bounds and its sentence."""
    declared, flag = SETTINGS[name], "--" + name.replace("_", "-")
    default = "" if declared.default in (None, False) else f" {declared.default} when left out."
    return option(f"{declared.meta.description}{default}", flag, min=declared.meta.ge, max=declared.meta.le)


DataDir = Annotated[Path | None, setting("data_dir")]
DatabaseUrl = Annotated[str | None, setting("database_url")]
Host = Annotated[str | None, setting("host")]
Port = Annotated[int | None, setting("port")]
AsJson = Annotated[bool, option("Print one JSON document.", "--json")]
InWorkspace = Annotated[str, option("The workspace's slug.")]


def input_file(help: str) -> Any:
    """Declares an argument FILE, which is opened."""
    return argument("FILE", help, parser=open_file)


def open_file(name: str) -> BufferedReader:
    """Opens the value of an argument; `-` is standard input, which closing does not wait for."""
    return open(0, "rb", closefd=False) if name == "-" else open(name, "rb")


def read_moment(text: str) -> datetime:
    """Reads the value of an option that is a date or a timestamp."""
    from sightline.platform.wire import Moment

    try:
        return Moment.read(text)
    except ValueError:
        raise typer.BadParameter("expected a date such as 2026-11-20, or an ISO 8601 timestamp") from None


Since = Annotated[datetime | None, option("Nothing older.", parser=read_moment, metavar="DATE")]

# The names that messages and help give to these types by default.
_NUMBERS = frozenset({"int", "integer", "float", "int range", "integer range", "float range"})
# Orchestrators set such variables for a service that is called sightline.
_NOT_OURS = (f"{PREFIX}SERVICE_", f"{PREFIX}PORT_")


class Command(TyperCommand):
    """A command whose options can also be given in the environment and in the file."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        for parameter in self.params:
            if parameter.type.name in _NUMBERS:
                parameter.type.name = "number"
            name = parameter.opts[0].removeprefix("--").replace("-", "_")
            if isinstance(parameter, TyperOption) and name not in SETTINGS:
                parameter.envvar = variable(name)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        file = {variable(name): value for name, value in read_file(Path(FILE)).items()}
        chosen = {option.name: file[option.envvar] for option in self.params if option.envvar in file}
        return super().make_context(info_name, args, parent, default_map=chosen, **extra)


def new_app(**more: Any) -> typer.Typer:
    """Returns an application with plain help and without completion."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, **more)


apps: defaultdict[str, typer.Typer] = defaultdict(new_app)  # the commands of the modules that were imported, by noun


def command(words: str, cls: type[Command] = Command, **more: Any) -> Callable[..., Any]:
    """Makes a function the command of these words, such as `audit`, or `keys list` of the group `keys`."""
    noun, _, verb = words.partition(" ")
    if verb:
        apps[noun].callback(no_args_is_help=True)(lambda: None)  # it is a group, also with one command
    return apps[noun].command(verb or noun, cls=cls, **more)


def refuse_unknown_settings(root: Any) -> None:
    """Raises SettingsError if the file has a name that is neither a setting nor an option of any command."""
    names = {variable(name): name for name in read_file(Path(FILE))}
    if unknown := names.keys() - _known_variables(root, names):
        raise SettingsError(f"{names[min(unknown)]} in {FILE}: there is no such setting.")


def unknown_variables(root: Any) -> Iterator[str]:
    """Yields a sentence for each `SIGHTLINE_*` variable that no command reads, with the nearest known name."""
    given = {name for name in os.environ if name.startswith(PREFIX) and not name.startswith(_NOT_OURS)}
    known = _known_variables(root, given)
    for name in sorted(given - known):
        nearest = get_close_matches(name, sorted(known), n=1)
        yield f"{name} is not a setting" + (f": did you mean {nearest[0]}?" if nearest else ".")


def _known_variables(root: Any, given: Iterable[str]) -> set[str]:
    """The variables of all settings, and of all options if others are given: finding these imports all commands."""
    known = {variable(name) for name in SETTINGS}
    return known if known.issuperset(given) else known | _variables_of(root)


def _variables_of(command: Any) -> set[str]:
    own = {option.envvar for option in command.params if option.envvar}
    context: Any = None
    below = command.list_commands(context) if isinstance(command, TyperGroup) else ()
    return own.union(*(_variables_of(command.get_command(context, name)) for name in below))
