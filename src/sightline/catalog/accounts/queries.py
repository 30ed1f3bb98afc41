"""The SQL of accounts."""

from uuid import UUID
from zlib import crc32

from sightline.catalog.accounts.records import Account, AccountDetail, AccountFilters
from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page, Versioned, versioned
from sightline.workspaces.changes import count_of

# The fields of an Account in order.
_ACCOUNT = "id, name, external_id, domain, iso(created_at) AS created_at, iso(updated_at) AS updated_at"
_LISTING = Listing(
    "accounts",
    Account,
    _ACCOUNT,
    Order("accounts.newest", "created_at", "id", UUID, is_descending=True),
    count_of("account"),
)
_CONTACTS = "FROM account_contacts AS c WHERE c.workspace_id = :workspace_id AND c.account_id = accounts.id"
# The fields of an AccountDetail in order, then the version.
_DETAIL = f"""
    {_ACCOUNT},
    (SELECT coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'email', c.email) ORDER BY c.position, c.id), '[]')
       {_CONTACTS}) AS contacts, version"""
_ONE = SingleRecord.of(
    "accounts WHERE workspace_id = :workspace_id AND id = :id",
    _DETAIL,
    f"(SELECT coalesce(sum(25 + {stored_size('c.name', 'c.email')}), 0) {_CONTACTS})",
)


async def find_account(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool) -> Versioned[AccountDetail]:
    """Returns an account. Its tag covers the contacts, which do not change the version.

    Raises NotFound, and LargeRecord for a large one that is read `at_once`.
    """
    row = await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, id=id)
    return versioned(AccountDetail, row, f".{crc32(row['contacts']):x}")


async def page_of_accounts(tx: Tx, workspace_id: UUID, filters: AccountFilters, window: Window) -> Page[Account]:
    """Returns a page, newest first; with `updated_since` the oldest change first."""
    where = Where(workspace_id).equals(external_id=filters.external_id)
    if filters.domain is not None:
        where.add("lower(domain) = lower(:domain)", domain=filters.domain)
    if filters.q is not None:
        where.add("search @@ plainto_tsquery('simple', :q)", q=filters.q)
    return await read_list(tx, _LISTING, where, window, filters.updated_since)
