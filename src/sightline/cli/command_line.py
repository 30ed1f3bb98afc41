"""All commands together. A refusal is shown on standard error, a line for each fault, with exit code 1."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from sightline import __version__
from sightline.cli.options import apps, new_app, refuse_unknown_settings, unknown_variables
from sightline.cli.refusals import lines

# The help of each command is here, so that `--help` imports none of them.
COMMANDS = {
    "demo": "Serves a sample workspace, with a fresh key at each start.",
    "init": "Creates an empty workspace with its owner.",
    "serve": "Migrates if needed and serves until SIGTERM.",
    "worker": "Runs background jobs until SIGTERM.",
    "migrate": "Brings the database to this version.",
    "workspace": "Whole workspaces, as files.",
    "import": "Adds and updates many records of one kind.",
    "export": "Prints the records of one kind.",
    "signals": "Calls, mails and notes.",
    "keys": "API keys.",
    "portal": "The portal's sign-in.",
    "documents": "The documents of initiatives.",
    "research": "Research: ask a question, check the quotes.",
    "jobs": "Background work.",
    "openapi": "Prints the OpenAPI 3.1 document; needs no database.",
    "backup": "Writes a consistent copy of everything to one file.",
    "restore": "Restores a backup into an empty database, all or nothing.",
    "audit": "Shows the trail of a workspace or of one record, oldest first.",
    "usage": "Shows what models were asked for a workspace, and what it took.",
    "evaluate": "The quality of the engine, measured on labelled data.",
    "doctor": "Checks the installation, a line for each part.",
}
# Where the module is not called like the command.
MODULES = {"import": "records", "export": "records", "restore": "backup", "worker": "serve"}


class _Commands(TyperGroup):
    """Imports the module of a command when the command is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            self.commands = dict.fromkeys(COMMANDS, self)  # whose names are suggested
            return None
        import_module(f"sightline.cli.{MODULES.get(cmd_name, cmd_name)}")
        command = get_command(apps[cmd_name])
        command.help = command.help or COMMANDS[cmd_name]  # a group has no function of its own
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(COMMANDS.items())


app = new_app(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"Sightline {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Sightline: product discovery that you host yourself."""
    refuse_unknown_settings(context.command)
    if context.invoked_subcommand != "doctor":  # which lists them among its checks
        for sentence in unknown_variables(context.command):
            typer.echo(f"Warning: {sentence}", err=True)


def run() -> None:
    """Runs the command. Prints a refusal in a line for each fault; any other exception shows its traceback."""
    try:
        app(prog_name="sightline")
    except Exception as error:
        refusal = lines(error)
        if not refusal:
            raise
        for line in refusal:
            typer.echo(f"sightline: {line}", err=True)
        sys.exit(1)
