"""All commands together, and what a refusal looks like: one line on standard error, exit code 1."""

import sys

import typer

from sightline.cli import (
    audit,
    backup,
    bench,
    demo,
    doctor,
    documents,
    imports,
    init,
    jobs,
    keys,
    migrate,
    openapi,
    restore,
    serve,
    worker,
    workspace,
)
from sightline.cli.refusals import one_line

app = typer.Typer(
    name="sightline",
    help="Sightline: product discovery that you host yourself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for room in (
    demo, init, serve, worker, migrate, workspace, imports, keys, documents, jobs, openapi, backup, restore, audit,
    doctor, bench,
):  # fmt: skip
    room.register(app)


def run() -> None:
    """What is refused on purpose is told in one line; anything else is a fault of ours and shows its traceback."""
    try:
        app(prog_name="sightline")
    except Exception as error:
        line = one_line(error)
        if line is None:
            raise
        typer.echo(f"sightline: {line}", err=True)
        sys.exit(1)
