"""`sightline openapi`: the description of the API."""

import typer

from sightline.app import openapi_document
from sightline.cli.options import command


@command("openapi")
def openapi() -> None:
    """Prints the OpenAPI 3.1 document; needs no database."""
    typer.echo(openapi_document(), nl=False)
