"""`sightline bench`: how fast the common requests are, beside what this machine can do."""

from typing import Annotated

import typer

from sightline.cli.options import AsJson, Command


def register(app: typer.Typer) -> None:
    app.command("bench", cls=Command)(bench)


def bench(
    as_json: AsJson = False, quick: Annotated[bool, typer.Option("--quick", help="End within 60 s.")] = False
) -> None:
    """Measures the common requests and, in the same run, the limit of this machine."""
    from sightline.bench import main

    raise typer.Exit(main(as_json, quick))
