"""Finds the accounts that evidence names, by an exact match; creates them only on request. Decisions: Signals."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from sightline.catalog.accounts.create import add_unknown_account
from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql


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
_LOCK_DOMAINS = sql("""
SELECT pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(:workspace_id::uuid::text || ':' || lower(domain), 7) AS key
          FROM unnest(:domains::text[]) AS domain ORDER BY key) AS locks""")


async def lock_domains(tx: Tx, workspace_id: UUID, domains: Iterable[str | None]) -> None:
    """Lets transactions that create accounts of the same domains wait for each other, and none in a circle."""
    if named := [domain for domain in domains if domain is not None]:
        await tx.rows(_LOCK_DOMAINS, workspace_id=workspace_id, domains=named)


async def find_only_match(tx: Tx, workspace_id: UUID, clues: AccountClues) -> UUID | None:
    """Returns the account that the clues name; None if they name none, or several."""
    found = await _find_matches(tx, workspace_id, clues)
    return found[0] if len(found) == 1 else None


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

    Returns None if several accounts match. The caller has locked the domain, see lock_domains().
    """
    found = await _find_matches(tx, actor.workspace_id, clues)
    name = clues.name or clues.domain or clues.external_id
    if not found and name is not None and clues.id is None:
        id = await add_unknown_account(tx, actor, name, clues.external_id, clues.domain)
        return id or await find_only_match(tx, actor.workspace_id, clues)
    return found[0] if len(found) == 1 else None
