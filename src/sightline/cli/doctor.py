"""`sightline doctor`: is everything as it should be?"""

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir


def register(app: typer.Typer) -> None:
    app.command("doctor", cls=Command)(doctor)


def doctor(as_json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Checks configuration, database, versions, clock, disk and providers; exit code 1 if something is wrong."""
    from sightline.cli.checks import all_checks
    from sightline.cli.output import print_json

    checks = all_checks(data_dir, database_url)
    if as_json:
        print_json({"checks": checks})
    else:
        for check in checks:
            typer.echo(f"{'ok   ' if check.ok else 'WRONG'}  {check.name:14} {check.said}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)
