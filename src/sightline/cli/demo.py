"""`sightline demo`: the sample workspace, served."""

from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import typer

from sightline.cli.children import run_until_asked
from sightline.cli.customer_product import CustomerProduct
from sightline.cli.options import Command, DataDir, Host, Port, single
from sightline.cli.serve import keep_serving
from sightline.cli.site import Site, read_settings
from sightline.platform import logs
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.portal.portals.configure import SignIn, configure, rotate_secret
from sightline.portal.server_secret import ServerSecret
from sightline.sample.articles import write_articles
from sightline.sample.compose import compose, load
from sightline.settings import Settings
from sightline.workspace_file import apply_file
from sightline.workspaces.keys.lifecycle import create_key, revoke_keys_named
from sightline.workspaces.keys.records import NewKey
from sightline.workspaces.queries import find_workspace

KEY_NAME = "demo"
app = single()

CustomerProductFile = Annotated[
    Path | None,
    typer.Option(
        "--customer-product",
        help="A product to enter the portal from, like examples/customer-product/app.py.",
        show_default=False,
        exists=True,
        dir_okay=False,
    ),
]


class Prepared(NamedTuple):
    """What a start of the demo prints: the key, the portal's alias, and the secret that the product gets."""

    key: str
    portal: str
    portal_secret: str | None


@app.command("demo", cls=Command)
def demo(
    host: Host = None, port: Port = None, data_dir: DataDir = None, customer_product: CustomerProductFile = None
) -> None:
    """Serves a sample workspace, with a fresh key at each start. The first start loads it into an embedded database."""
    settings = read_settings(data_dir, host=host, port=port).embedded()
    product = CustomerProduct(customer_product, settings.port) if customer_product else None
    prepared: list[Prepared] = []

    async def prepare(url: str) -> None:
        prepared.append(await _prepare(settings, url, product.address if product else None))

    def say_ready(served: int) -> None:
        address, ready = settings.address(served), prepared[0]
        portal = f"{address}/portal/{ready.portal}"
        logs.announce(f"Sightline serves on {address} (stop with Ctrl+C).")
        _welcome(address, ready.key, portal)
        if product and ready.portal_secret:
            product.start(portal, ready.portal_secret)
            typer.echo(f"product {product.address} (a customer's product: sign in there, and enter the portal)")

    try:
        run_until_asked(keep_serving(settings, prepare=prepare, say_ready=say_ready))
    finally:
        if product:
            product.stop()


def _welcome(address: str, key: str, portal: str) -> None:
    api = f"{address}/api/external/v1"
    typer.echo(f"key     {key}")
    typer.echo(f"api     {api}")
    typer.echo(f"docs    {address}/docs")
    typer.echo(f"portal  {portal}/")
    typer.echo(f'try     curl -s "{api}/ideas?limit=3" -H "Authorization: Bearer {key}"')


async def _prepare(settings: Settings, url: str, product: str | None) -> Prepared:
    """Loads the sample once, makes a key, and connects the portal with the product at that address."""
    sample = load()
    db = await Database.connect(url, size=2, clock=Clock(settings.clock_offset))
    try:
        await _load_once(db, sample)
        if settings.library_dir is None:
            write_articles(settings.library, db.clock.now())
        site = Site(db, settings, as_json=False)
        key = await _renew_key(site, sample)
        secret = await _connect_portal(site, sample, product) if product else None
        return Prepared(key, sample["portal"]["alias"], secret)
    finally:
        await db.close()


async def _load_once(db: Database, sample: dict[str, Any]) -> None:
    """Loads the sample unless it is there already: changes made to it are kept."""
    async with db.autocommit() as tx:
        if await find_workspace(tx, sample["workspace"]["slug"]):
            return
    logs.announce("Loading the sample workspace.")
    await apply_file(db, BytesIO(msgspec.json.encode(compose(sample))), actor_id=KEY_NAME)


async def _renew_key(site: Site, sample: dict[str, Any]) -> str:
    """Creates a key of the sample's owner and revokes the previous one."""
    owner = next(member["email"] for member in sample["members"] if member["role"] == "owner")
    async with site.transaction(sample["workspace"]["slug"]) as (tx, actor):
        await revoke_keys_named(tx, actor, KEY_NAME)
        return (await create_key(tx, actor, NewKey(name=KEY_NAME, scopes=["all"], member=owner))).key


async def _connect_portal(site: Site, sample: dict[str, Any], product: str) -> str:
    """Points the portal's sign-in at the product, and returns a new secret; the one before stops working."""
    server_secret = ServerSecret(site.settings.server_secret())
    async with site.transaction(sample["workspace"]["slug"]) as (tx, actor):
        await configure(tx, actor, SignIn(f"{product}/portal/enter", f"{product}/portal/left"), server_secret)
        _, secret = await rotate_secret(tx, actor, server_secret)
        return secret
