"""The routes of products. Decisions: Signals."""

from sightline.catalog.products import queries
from sightline.catalog.products.records import Product
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/products", scopes=[Scope.PRODUCTS_READ], paging=Paging(20, 100))
async def list_products(call: Call, window: Window) -> Page[Product]:
    """Lists products with their features, newest first."""
    async with call.db.autocommit() as tx:
        return await queries.page_of_products(tx, call.actor.workspace_id, window)


@operation("GET", "/products/{id}", scopes=[Scope.PRODUCTS_READ])
async def get_product(call: Call, id: RecordId) -> Versioned[Product]:
    """Gets one product with its features."""
    async with call.db.autocommit() as tx:
        return await queries.find_product(tx, call.actor.workspace_id, id, at_once=call.at_once)
