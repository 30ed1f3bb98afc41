"""Finds the accounts that evidence names, by an exact match, and adds accounts. Decisions: Signals."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from asyncpg import UniqueViolationError

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.errors import NotFound
from sightline.platform.ids import new_id
from sightline.platform.refs import parse_uuid
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import hold_counts, log_change


class AccountClues(NamedTuple):
    """The details of an account in a source."""

    id: UUID | None = None
    external_id: str | None = None
    domain: str | None = None
    name: str | None = None
    email: str | None = None


_MATCHES = sql("""
SELECT id FROM accounts WHERE workspace_id = :workspace_id AND id = :id
UNION SELECT id FROM accounts WHERE workspace_id = :workspace_id AND external_id = :external_id
UNION SELECT id FROM accounts WHERE workspace_id = :workspace_id AND lower(domain) = lower(:domain)
LIMIT 2""")
_BY_CONTACT = sql("""
SELECT DISTINCT account_id AS id FROM account_contacts
 WHERE workspace_id = :workspace_id AND lower(email) = lower(:email) LIMIT 2""")
# Names share 64 locks of the workspace: an import may name very many accounts, and the server has room for few locks.
_LOCK_ACCOUNTS = sql("""
SELECT pg_advisory_xact_lock(hashtextextended(:workspace_id::uuid::text, 7) + place)
  FROM (SELECT DISTINCT hashtext(name) & 63 AS place FROM unnest(:names::text[]) AS name ORDER BY place) AS locks""")


async def lock_accounts(tx: Tx, workspace_id: UUID, clues: Iterable[AccountClues]) -> bool:
    """Lets transactions that may create the same accounts wait for each other, and none in a circle.

    Returns whether the clues have a domain or an external id.
    """
    named = list(clues)
    names = [f"domain {one.domain.lower()}" for one in named if one.domain is not None]
    names += [f"external id {one.external_id}" for one in named if one.external_id is not None]
    if names:
        await tx.rows(_LOCK_ACCOUNTS, workspace_id=workspace_id, names=names)
    return bool(names)


async def lock_accounts_and_counts(tx: Tx, workspace_id: UUID, clues: Iterable[AccountClues]) -> None:
    """Likewise for a short transaction, which then also adds accounts and signals one by one."""
    if await lock_accounts(tx, workspace_id, clues):
        await hold_counts(tx, workspace_id, ["account", "signal"])


async def find_only_match(tx: Tx, workspace_id: UUID, clues: AccountClues) -> UUID | None:
    """Returns the account that the clues name; None if they name none, or several."""
    found = await _find_matches(tx, workspace_id, clues)
    return found[0] if len(found) == 1 else None


async def find_account(tx: Tx, workspace_id: UUID, text: str) -> UUID:
    """Returns the account with this id, external id, domain or e-mail. Raises NotFound unless there is exactly one."""
    email = text if "@" in text else None
    clues = AccountClues(parse_uuid(text), text, text.rpartition("@")[2], email=email)
    if (found := await find_only_match(tx, workspace_id, clues)) is None:
        raise NotFound(f"No account, or more than one, has the id, externalId, domain or e-mail {text!r}.")
    return found


async def _find_matches(tx: Tx, workspace_id: UUID, clues: AccountClues) -> list[UUID]:
    """Returns the accounts with this id, external id or domain, at most two.

    An address names the accounts with such a contact, or else the accounts with its domain.
    """
    domain = clues.domain
    if clues.email is not None:
        if rows := await tx.rows(_BY_CONTACT, workspace_id=workspace_id, email=clues.email):
            return [row["id"] for row in rows]
        domain = domain or clues.email.rpartition("@")[2]
    rows = await tx.rows(_MATCHES, workspace_id=workspace_id, id=clues.id, external_id=clues.external_id, domain=domain)
    return [row["id"] for row in rows]


async def find_or_add_account(tx: Tx, actor: Actor, clues: AccountClues) -> UUID | None:
    """Returns the only matching account, or adds one if none matches and the clues have a name.

    Returns None if several accounts match. The caller has locked the names, see lock_accounts().
    """
    found = await _find_matches(tx, actor.workspace_id, clues)
    name = clues.name or clues.domain or clues.external_id
    if not found and name is not None and clues.id is None:
        id = await _add_unknown(tx, actor, name, clues.external_id, clues.domain)
        return id or await find_only_match(tx, actor.workspace_id, clues)
    return found[0] if len(found) == 1 else None


_ADD = sql("""
    INSERT INTO accounts (workspace_id, id, external_id, name, domain, created_at, updated_at)
    VALUES (:workspace_id, :id, :external_id, :name, :domain, :now, :now) ON CONFLICT DO NOTHING""")


async def add_account(
    tx: Tx, actor: Actor, name: str, *, external_id: str | None = None, domain: str | None = None
) -> UUID:
    """Adds an account and returns its id. Raises UniqueViolationError if another account has the external id."""
    id = await _add_unknown(tx, actor, name, external_id, domain)
    if id is None:
        raise UniqueViolationError(f"Another account has the external id {external_id}")
    return id


async def _add_unknown(tx: Tx, actor: Actor, name: str, external_id: str | None, domain: str | None) -> UUID | None:
    """Adds an account and returns its id. Returns None if another account has the external id."""
    id = new_id()
    values = {"external_id": external_id, "name": name, "domain": domain}
    if not await tx.run(_ADD, workspace_id=actor.workspace_id, id=id, **values):
        return None
    await log_change(tx, actor, "account", id, None, "created")
    await add_to_counts(tx, actor.workspace_id, {"account": 1})
    return id
