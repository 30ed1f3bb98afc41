"""`sightline bench`: how fast the common requests are, beside what this machine can do."""

from typing import Annotated

import typer

from sightline.cli.options import AsJson, Command


def register(app: typer.Typer) -> None:
    app.command("bench", cls=Command)(bench)


def bench(
    as_json: AsJson = False,
    quick: Annotated[bool, typer.Option("--quick", help="End within 60 s.")] = False,
    full: Annotated[bool, typer.Option("--full", help="At 10,000 and 1,000,000 ideas, some 20 minutes.")] = False,
    plot: Annotated[str, typer.Option("--plot", help="Where --full draws cost against size.")] = "bench.svg",
) -> None:
    """Measures the common requests and, in the same run, the limit of this machine."""
    from sightline.bench import main

    if quick and full:
        raise typer.BadParameter("Choose one of --quick and --full.")
    raise typer.Exit(main(as_json, quick, plot=plot if full else None))
