"""`sightline migrate`: brings the database to this version."""

import asyncio
from typing import Annotated

import typer

from sightline import migrations
from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, single
from sightline.cli.output import print_json
from sightline.cli.site import database_urls, read_settings

app = single()


@app.command("migrate", cls=Command)
def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only say whether it is needed (exit code 1).")] = False,
    json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Brings the database to this version. Safe from several machines at once."""
    with database_urls(read_settings(data_dir, database_url), may_create=not check) as (_, url):
        steps = asyncio.run(migrations.pending(url) if check else migrations.migrate(url))
    if json:
        print_json({"pending": steps} if check else {"applied": steps})
    elif not steps:
        typer.echo(f"The database is at revision {migrations.HEAD}, which is current.")
    else:
        typer.echo(f"{'Needed' if check else 'Applied'}: {', '.join(steps)}.")
    raise typer.Exit(1 if check and steps else 0)
