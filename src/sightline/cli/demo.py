"""`sightline demo`: the sample workspace, served."""

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli.options import DataDir, Host, Port, command, option
from sightline.cli.site import open_database, operator, read_settings
from sightline.platform import logs
from sightline.platform.server_secret import ServerSecret
from sightline.sample.articles import write_articles
from sightline.sample.customer_product import CustomerProduct
from sightline.sample.demo import Demo, prepare_demo
from sightline.serving.serve import keep_serving
from sightline.serving.supervisor import run_until_asked

_PRODUCT = "A product to enter the portal from, like examples/customer-product/app.py."
CustomerProductFile = Annotated[Path | None, option(_PRODUCT, show_default=False, exists=True, dir_okay=False)]


@command("demo")
def demo(
    host: Host = None, port: Port = None, data_dir: DataDir = None, customer_product: CustomerProductFile = None
) -> None:
    """Serves a sample workspace, with a fresh key at each start. The first start loads it into an embedded database."""
    settings = read_settings(data_dir, host=host, port=port).embedded()
    product = CustomerProduct(customer_product, settings.port) if customer_product else None
    prepared: list[Demo] = []

    async def prepare(url: str) -> None:
        async with open_database(url, settings) as db:
            if settings.library_dir is None:
                write_articles(settings.library, db.clock.now())
            secret = ServerSecret(settings.server_secret())
            prepared.append(await prepare_demo(db, operator(), product.address if product else None, secret))

    def say_ready(served: int) -> None:
        address, ready = settings.address(served), prepared[0]
        portal = f"{address}/portal/{ready.portal}"
        logs.announce(f"Sightline serves on {address} (stop with Ctrl+C).")
        _welcome(address, ready.key, portal)
        if product and ready.portal_secret:
            product.start(portal, ready.portal_secret)
            typer.echo(f"product {product.address} (a customer's product: sign in there, and enter the portal)")

    run_until_asked(keep_serving(settings, prepare=prepare, say_ready=say_ready))


def _welcome(address: str, key: str, portal: str) -> None:
    api = f"{address}/api/external/v1"
    typer.echo(f"key     {key}")
    typer.echo(f"api     {api}")
    typer.echo(f"docs    {address}/docs")
    typer.echo(f"portal  {portal}/")
    typer.echo(f'try     curl -s "{api}/ideas?limit=3" -H "Authorization: Bearer {key}"')
