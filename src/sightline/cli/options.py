"""Options that several commands share, and where an option's value comes from.

The command line wins, then `SIGHTLINE_<OPTION>`, then `sightline.toml`. Options that are settings are left to
`Settings`, which does the same for the processes that have no command line.
"""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from sightline.settings import FILE, Settings, SettingsError, read_file, variable

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder of the embedded database.", show_default=False)
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--database-url", help="A PostgreSQL 15 or newer of your own.", show_default=False),
]
Host = Annotated[
    str | None, typer.Option("--host", help="Address to listen on; 127.0.0.1 when left out.", show_default=False)
]
Port = Annotated[
    int | None,
    typer.Option("--port", min=0, max=65535, help="Port to listen on; 8000 when left out.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
InWorkspace = Annotated[str, typer.Option("--workspace", help="The workspace's slug.")]

_SETTINGS = frozenset(setting.name for setting in fields(Settings))


class Command(TyperCommand):
    """A command whose options can also stand in the environment and in the file."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        for option in self._own_options():
            if option.envvar is None:
                option.envvar = variable(_setting_name(option))

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if not extra.get("resilient_parsing"):
            chosen = read_file(Path(FILE))
            if chosen and parent is not None:
                _refuse_unknown(chosen, parent.find_root().command)
            own = {option.name: _setting_name(option) for option in self._own_options()}
            extra["default_map"] = {name: chosen[key] for name, key in own.items() if key in chosen}
        return super().make_context(info_name, args, parent, **extra)

    def _own_options(self) -> list[TyperOption]:
        """Those that are no settings; `--help` is none of ours."""
        return [
            option
            for option in self.params
            if isinstance(option, TyperOption) and not option.is_eager and _setting_name(option) not in _SETTINGS
        ]


def _refuse_unknown(chosen: dict[str, Any], root: Any) -> None:
    """Raises SettingsError for what is neither a setting nor an option of any command: it is a slip of the pen."""
    unknown = chosen.keys() - _SETTINGS - _option_names(root)
    if unknown:
        raise SettingsError(f"{sorted(unknown)[0]} in {FILE}: there is no such setting.")


def _option_names(command: Any) -> set[str]:
    own = {_setting_name(option) for option in command.params if isinstance(option, TyperOption)}
    return own.union(*(_option_names(below) for below in getattr(command, "commands", {}).values()))


def _setting_name(option: TyperOption) -> str:
    """`--no-worker` is `no_worker`, whatever the function calls it."""
    return max(option.opts, key=len).lstrip("-").replace("-", "_")
