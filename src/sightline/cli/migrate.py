"""`sightline migrate`: brings the database to this version."""

import asyncio
from typing import Annotated

import typer

from sightline import migrations
from sightline.cli.options import option
from sightline.cli.site import Site, database_urls, site_command


def _print(found: dict[str, list[str]]) -> None:
    [(how, revisions)] = found.items()
    if revisions:
        typer.echo(f"{'Needed' if how == 'pending' else 'Applied'}: {', '.join(revisions)}.")
    else:
        typer.echo(f"The database is at revision {migrations.HEAD}, which is current.")


@site_command("migrate", show=_print, code=lambda found: bool(found.get("pending")), connects=False)
def migrate(
    site: Site, check: Annotated[bool, option("Only say whether it is needed (exit code 1).", "--check")] = False
) -> dict[str, list[str]]:
    """Brings the database to this version. Safe from several machines at once."""
    with database_urls(site.settings, may_create=not check) as (_, url):
        if check:
            return {"pending": asyncio.run(migrations.pending(url))}
        return {"applied": asyncio.run(migrations.migrate(url))}
