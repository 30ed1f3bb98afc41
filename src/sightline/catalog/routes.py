"""What can be asked of what a workspace sets up. Specification: Initiatives and teams; decisions: Signals."""

from sightline.catalog import queries
from sightline.catalog.records import Account, AccountDetail, AccountFilters, Product, TeamSummary
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import RecordId
from sightline.platform.wire import Page, Versioned


@operation("GET", "/teams", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100))
async def list_teams(call: Call, window: Window) -> Page[TeamSummary]:
    """Lists the teams that work can be assigned to, by name."""
    async with call.db.read() as tx:
        return await queries.page_of_teams(tx, call.actor.workspace_id, window)


@operation("GET", "/products", scopes=[Scope.PRODUCTS_READ], paging=Paging(20, 100))
async def list_products(call: Call, window: Window) -> Page[Product]:
    """Lists products with their features, newest first."""
    async with call.db.read() as tx:
        return await queries.page_of_products(tx, call.actor.workspace_id, window)


@operation("GET", "/products/{id}", scopes=[Scope.PRODUCTS_READ])
async def get_product(call: Call, id: RecordId) -> Versioned[Product]:
    """Gets one product with its features."""
    async with call.db.read() as tx:
        return await queries.find_product(tx, call.actor.workspace_id, id)


@operation("GET", "/accounts", scopes=[Scope.ACCOUNTS_READ], paging=Paging(20, 100))
async def list_accounts(call: Call, query: AccountFilters, window: Window) -> Page[Account]:
    """Lists accounts, newest first; with `updatedSince` the oldest change first."""
    async with call.db.read() as tx:
        return await queries.page_of_accounts(tx, call.actor.workspace_id, query, window)


@operation("GET", "/accounts/{id}", scopes=[Scope.ACCOUNTS_READ])
async def get_account(call: Call, id: RecordId) -> Versioned[AccountDetail]:
    """Gets one account with its contacts."""
    async with call.db.read() as tx:
        return await queries.find_account(tx, call.actor.workspace_id, id)
