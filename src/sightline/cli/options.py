"""Options that several commands share, and where the value of an option comes from.

The command line wins, then `SIGHTLINE_<OPTION>`, then `sightline.toml`: typer reads both. Options that are settings are
read by `Settings`, which does the same for processes without a command line.
"""

import os
from datetime import datetime
from difflib import get_close_matches
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from sightline.settings import FILE, PREFIX, SETTINGS, SettingsError, read_file, variable


def option(name: str, help: str, **more: Any) -> Any:
    return typer.Option(name, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, **more)


def setting(name: str) -> Any:
    """Declares the option of a setting, with its bounds and its sentence."""
    declared, flag = SETTINGS[name], "--" + name.replace("_", "-")
    default = "" if declared.default in (None, False) else f" {declared.default} when left out."
    return option(flag, f"{declared.meta.description}{default}", min=declared.meta.ge, max=declared.meta.le)


DataDir = Annotated[Path | None, setting("data_dir")]
DatabaseUrl = Annotated[str | None, setting("database_url")]
Host = Annotated[str | None, setting("host")]
Port = Annotated[int | None, setting("port")]
AsJson = Annotated[bool, option("--json", "Print one JSON document.")]
InWorkspace = Annotated[str, option("--workspace", "The workspace's slug.")]


def single() -> typer.Typer:
    """Takes the one command of a module."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


def group(name: str, help: str) -> typer.Typer:
    """Takes the commands of a noun."""
    app = typer.Typer(name=name, help=help, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
    app.callback()(lambda: None)  # it stays a group if it has one command
    return app


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
        raise typer.BadParameter("expected a date or an ISO 8601 timestamp") from None


Since = Annotated[datetime | None, option("--since", "Nothing older.", parser=read_moment, metavar="DATE")]

# The names that messages and help give to these types by default.
_NUMBERS = frozenset({"int", "integer", "float", "int range", "integer range", "float range"})
# Orchestrators set such variables for a service that is called sightline.
_NOT_OURS = (f"{PREFIX}SERVICE_", f"{PREFIX}PORT_")


class Command(TyperCommand):
    """A command whose options can also be given in the environment and in the file, by the names of its parameters."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        for parameter in self.params:
            if isinstance(parameter, TyperOption):
                parameter.allow_from_autoenv = parameter.name not in SETTINGS
                if parameter.name and parameter.name.endswith("_"):
                    parameter.envvar = variable(_name_of(parameter))
            if parameter.type.name in _NUMBERS:
                parameter.type.name = "number"

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        file = read_file(Path(FILE))
        own = {option.name: _name_of(option) for option in self.params if isinstance(option, TyperOption)}
        chosen = {key: file[name] for key, name in own.items() if name in file and name not in SETTINGS}
        extra |= {"auto_envvar_prefix": PREFIX.rstrip("_"), "default_map": chosen}
        return super().make_context(info_name, args, parent, **extra)


def refuse_unknown_settings(root: Any) -> None:
    """Raises SettingsError if the file has a name that is neither a setting nor an option of any command."""
    if unknown := read_file(Path(FILE)).keys() - SETTINGS.keys():
        unknown -= _option_names(root)  # imports all commands
    if unknown:
        raise SettingsError(f"{min(unknown)} in {FILE}: there is no such setting.")


def unknown_variables(root: Any) -> list[str]:
    """A sentence for each `SIGHTLINE_*` variable that no command reads, with the nearest known name."""
    known = {variable(name) for name in SETTINGS}
    given = {name for name in os.environ if name.startswith(PREFIX) and not name.startswith(_NOT_OURS)}
    if given - known:
        known |= {variable(name) for name in _option_names(root)}
    return [_unknown(name, known) for name in sorted(given - known)]


def _unknown(name: str, known: set[str]) -> str:
    nearest = get_close_matches(name, sorted(known), n=1)
    return f"{name} is not a setting" + (f": did you mean {nearest[0]}?" if nearest else ".")


def _name_of(option: TyperOption) -> str:
    """The option's name without the underscore of a parameter that cannot be called so: `from_`."""
    return str(option.name).removesuffix("_")


def _option_names(command: Any) -> set[str]:
    context: Any = None
    own = {_name_of(option) for option in command.params if isinstance(option, TyperOption)}
    below = command.list_commands(context) if isinstance(command, TyperGroup) else ()
    return own.union(*(_option_names(command.get_command(context, name)) for name in below))
