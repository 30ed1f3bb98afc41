"""The SQL of products, teams and accounts: reading."""

from uuid import UUID
from zlib import crc32

from sightline.catalog.records import Account, AccountDetail, AccountFilters, Product, TeamSummary
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.workspaces.changes import COUNT

_NEWEST_FIRST = "created_at DESC, id DESC"
_OLDEST_CHANGE_FIRST = "updated_at, id"

_TEAMS = Listing("teams", "id, name", COUNT.format(kind="team"))


async def page_of_teams(tx: Tx, workspace_id: UUID, window: Window) -> Page[TeamSummary]:
    """By name."""
    rows, total = await read_page(tx, _TEAMS, Where(workspace_id), "name, id", window)
    return Page([TeamSummary(*row[:2]) for row in rows], total, window)


# In the order of Product's fields; the version comes last.
_PRODUCT = """
    id, name, description,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name, 'description', f.description,
                                                  'parentId', f.parent_id) ORDER BY f.position, f.id), '[]')
       FROM features AS f WHERE f.workspace_id = products.workspace_id AND f.product_id = products.id),
    iso(created_at), iso(updated_at), version"""
_FIND_PRODUCT = f"SELECT {_PRODUCT} FROM products WHERE workspace_id = $1 AND id = $2"
_PRODUCTS = Listing("products", _PRODUCT, COUNT.format(kind="product"))


async def find_product(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[Product]:
    """Raises NotFound."""
    row = await tx.row(_FIND_PRODUCT, workspace_id, id)
    if row is None:
        raise NotFound
    return Versioned(Product(*row[:6]), version_tag(row[0], row[6]))


async def page_of_products(tx: Tx, workspace_id: UUID, window: Window) -> Page[Product]:
    """Newest first."""
    rows, total = await read_page(tx, _PRODUCTS, Where(workspace_id), _NEWEST_FIRST, window)
    return Page([Product(*row[:6]) for row in rows], total, window)


# In the order of Account's fields; the detail's contacts and the version come last.
_ACCOUNT = "id, name, external_id, domain, iso(created_at), iso(updated_at)"
_CONTACTS = """
    (SELECT coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'email', c.email) ORDER BY c.position, c.id), '[]')
       FROM account_contacts AS c WHERE c.workspace_id = accounts.workspace_id AND c.account_id = accounts.id)"""
_FIND_ACCOUNT = f"SELECT {_ACCOUNT}, {_CONTACTS}, version FROM accounts WHERE workspace_id = $1 AND id = $2"
_ACCOUNTS = Listing("accounts", _ACCOUNT, COUNT.format(kind="account"))


async def find_account(tx: Tx, workspace_id: UUID, id: UUID) -> Versioned[AccountDetail]:
    """Contacts move no version of the account's: so they have a part in the tag. Raises NotFound."""
    row = await tx.row(_FIND_ACCOUNT, workspace_id, id)
    if row is None:
        raise NotFound
    return Versioned(AccountDetail(*row[:7]), version_tag(row[0], row[7], f".{crc32(row[6]):x}"))


async def page_of_accounts(tx: Tx, workspace_id: UUID, wanted: AccountFilters, window: Window) -> Page[Account]:
    """Newest first; with `updated_since` the oldest change first, and none that a change still under way precedes."""
    where = Where(workspace_id)
    if wanted.external_id is not None:
        where.add("external_id = {}", wanted.external_id)
    if wanted.domain is not None:
        where.add("lower(domain) = lower({})", wanted.domain)
    if wanted.q is not None:
        where.add("search @@ plainto_tsquery('simple', {})", wanted.q)
    if wanted.updated_since is not None:
        where.add("updated_at >= {}", wanted.updated_since)
        where.add("updated_at <= {}", await find_horizon(tx))
    order = _NEWEST_FIRST if wanted.updated_since is None else _OLDEST_CHANGE_FIRST
    rows, total = await read_page(tx, _ACCOUNTS, where, order, window)
    return Page([Account(*row[:6]) for row in rows], total, window)
