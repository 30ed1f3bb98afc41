"""The routes of accounts. Decisions: Signals."""

from sightline.catalog.accounts import queries
from sightline.catalog.accounts.records import Account, AccountDetail, AccountFilters
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/accounts", scopes=[Scope.ACCOUNTS_READ], paging=Paging(20, 100, cursor=True))
async def list_accounts(call: Call, query: AccountFilters, window: Window) -> Page[Account]:
    """Lists accounts, newest first; with `updatedSince` the oldest change first."""
    async with call.db.autocommit() as tx:
        return await queries.page_of_accounts(tx, call.actor.workspace_id, query, window)


@operation("GET", "/accounts/{id}", scopes=[Scope.ACCOUNTS_READ])
async def get_account(call: Call, id: RecordId) -> Versioned[AccountDetail]:
    """Gets one account with its contacts."""
    async with call.db.autocommit() as tx:
        return await queries.find_account(tx, call.actor.workspace_id, id, at_once=call.at_once)
