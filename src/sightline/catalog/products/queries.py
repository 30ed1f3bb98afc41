"""The SQL of products."""

from uuid import UUID

from sightline.catalog.products.records import Product
from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page, Versioned, versioned
from sightline.workspaces.changes import count_of

# The fields of a Product in order, then the version.
_PRODUCT = """
    id, name, description,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name, 'description', f.description,
                                                  'parentId', f.parent_id) ORDER BY f.position, f.id), '[]')
       FROM features AS f WHERE f.workspace_id = :workspace_id AND f.product_id = products.id) AS features,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at, version"""
_NEWEST = Order("products.newest", "created_at", "id", UUID, is_descending=True, has_cursor=False)
_SIZE = f"""
    {stored_size("description")} + (
        SELECT coalesce(sum(130 + {stored_size("f.name", "f.description")}), 0)
          FROM features AS f WHERE f.workspace_id = :workspace_id AND f.product_id = products.id)"""
_ONE = SingleRecord.of("products WHERE workspace_id = :workspace_id AND id = :id", _PRODUCT, _SIZE)
_PRODUCTS = Listing("products", Product, _PRODUCT, _NEWEST, count_of("product"), _SIZE)


async def find_product(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool) -> Versioned[Product]:
    """Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    return versioned(Product, await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, id=id))


async def page_of_products(tx: Tx, workspace_id: UUID, window: Window) -> Page[Product]:
    """Returns products, newest first."""
    return await read_list(tx, _PRODUCTS, Where(workspace_id), window)
