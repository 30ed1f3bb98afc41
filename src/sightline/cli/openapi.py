"""`sightline openapi`: the description of the API."""

import typer

from sightline.cli.options import Command


def register(app: typer.Typer) -> None:
    app.command("openapi", cls=Command)(openapi)


def openapi() -> None:
    """Prints the OpenAPI 3.1 document; needs no database."""
    from sightline.app import openapi_document

    typer.echo(openapi_document(), nl=False)
