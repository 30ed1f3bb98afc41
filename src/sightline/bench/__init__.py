"""`sightline bench`: our requests, and beside them in the same run the limit of this machine.

    limit of an operation = time of a constant answer of the same size from the same server
                          + time of the operation's own statements on bare asyncpg

Parts: `measure` the run, `stage` its processes, `world` the data, `operations` what is asked; `capture` and `replay`
find an operation's statements and run them again; `client`, `servers` and `statements` are the processes measured.
Beside that, without a limit: `regenerations`, how fast `workers` write documents.
"""


def main(
    json: bool, quick: bool, only: list[str] | None = None, size: int | None = None, plot: str | None = None
) -> int:
    """Measures and prints; `only` names the rows wanted. Returns the exit code, 1 for a refusal.

    `plot` names a file: then 10,000 and 1,000,000 ideas are measured, and cost against size is drawn into it.
    """
    import signal
    import sys
    from functools import partial
    from json import dumps
    from pathlib import Path

    import typer
    from rich.console import Console

    from sightline.bench.failure import BenchFailed
    from sightline.bench.measure import SIZES, measure, measure_sizes, plan_of
    from sightline.bench.plot import draw
    from sightline.bench.report import show

    tell = partial(typer.echo, err=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything started here is ended
    try:
        plan = plan_of(quick, only, size)
        if plot is None:
            report = measure(plan, tell)
        else:
            report = measure_sizes(plan, SIZES, tell)
            Path(plot).write_text(draw(report["rows"], max(plan.connections)))
    except (BenchFailed, OSError) as failure:
        typer.echo(str(failure), err=True)
        return 1
    if json:
        typer.echo(dumps(report))
    else:
        show(report, Console())
    return 0
