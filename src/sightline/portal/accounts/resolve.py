"""Resolves the accounts of a person. Specification: account resolution order; decisions: Portal, Claims."""

from uuid import UUID

from sightline.catalog.accounts.matching import AccountClues, add_account, lock_accounts_and_counts
from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.portal.sign_in.tokens import AccountClaim, Claims

_BY_ID = sql("SELECT id FROM accounts WHERE workspace_id = :workspace_id AND id = :id")
_BY_EXTERNAL_ID = sql("SELECT id FROM accounts WHERE workspace_id = :workspace_id AND external_id = :external_id")
_BY_DOMAIN = sql("""
    SELECT id FROM accounts WHERE workspace_id = :workspace_id AND lower(domain) = lower(:domain) LIMIT 2""")
_OWN = sql("""
    SELECT a.id FROM accounts a
      JOIN portal_user_accounts l ON l.workspace_id = :workspace_id AND l.account_id = a.id
     WHERE a.workspace_id = :workspace_id AND l.user_id = :user_id
       AND (a.name = :name OR :name::text IS NULL) AND (lower(a.domain) = lower(:domain) OR :domain::text IS NULL)
     ORDER BY l.link LIMIT 1""")
_BY_CONTACT = sql("""
    SELECT account_id FROM account_contacts
     WHERE workspace_id = :workspace_id AND lower(email) = lower(:email)
     GROUP BY account_id ORDER BY account_id""")
_LINKED = sql("""
    SELECT account_id FROM portal_user_accounts
     WHERE workspace_id = :workspace_id AND user_id = :user_id ORDER BY link""")
_UNLINK = sql("""
    DELETE FROM portal_user_accounts
     WHERE workspace_id = :workspace_id AND user_id = :user_id AND account_id <> ALL(:account_ids)""")
_LINK = sql("""
    INSERT INTO portal_user_accounts (workspace_id, user_id, account_id)
    SELECT :workspace_id, :user_id, chosen.id
      FROM unnest(:account_ids::uuid[]) WITH ORDINALITY AS chosen (id, place) ORDER BY place
    ON CONFLICT DO NOTHING""")


async def accounts_of(tx: Tx, workspace_id: UUID, user_id: UUID) -> list[UUID]:
    """Returns the person's accounts, the first linked first."""
    rows = await tx.rows(_LINKED, workspace_id=workspace_id, user_id=user_id)
    return [row["account_id"] for row in rows]


async def link_accounts(tx: Tx, actor: Actor, user_id: UUID, claims: Claims) -> None:
    """Replaces the person's accounts with the token's accounts. A token without accounts leaves at least one linked.

    The first of these that exist: the token's accounts, those already linked, the account with the e-mail as a contact,
    a new account.
    """
    if claims.accounts:
        if any([await _find(tx, actor.workspace_id, claim) is None for claim in claims.accounts]):
            clues = [AccountClues(external_id=claim.external_id, domain=claim.domain) for claim in claims.accounts]
            await lock_accounts_and_counts(tx, actor.workspace_id, clues)
        found = [await _resolve(tx, actor, user_id, claim, claims.email) for claim in claims.accounts]
    elif await accounts_of(tx, actor.workspace_id, user_id):
        return
    else:
        rows = await tx.rows(_BY_CONTACT, workspace_id=actor.workspace_id, email=claims.email)
        found = [row["account_id"] for row in rows]
        found = found or [await add_account(tx, actor, claims.email)]
    chosen = {"user_id": user_id, "account_ids": list(dict.fromkeys(found))}
    await tx.run(_UNLINK, workspace_id=actor.workspace_id, **chosen)
    await tx.run(_LINK, workspace_id=actor.workspace_id, **chosen)


async def _resolve(tx: Tx, actor: Actor, user_id: UUID, claim: AccountClaim, email: str) -> UUID:
    """Finds the account by id, external id, or a domain that only one account has; else adds one.

    A name or a domain of several accounts identifies nothing: only the person's own account that has it is used again.
    The caller has locked the accounts that may be added, see lock_accounts_and_counts().
    """
    found = await _find(tx, actor.workspace_id, claim)
    if found is not None:
        return found
    if claim.external_id is None:
        name = claim.name if claim.domain else claim.name or email
        whose = {"workspace_id": actor.workspace_id, "user_id": user_id}
        own: UUID | None = await tx.value(_OWN, **whose, name=name, domain=claim.domain)
        if own is not None:
            return own
    return await add_account(tx, actor, claim.name or email, external_id=claim.external_id, domain=claim.domain)


async def _find(tx: Tx, workspace_id: UUID, claim: AccountClaim) -> UUID | None:
    found: UUID | None = None
    if claim.id is not None:
        found = await tx.value(_BY_ID, workspace_id=workspace_id, id=claim.id)
    if found is None and claim.external_id is not None:
        found = await tx.value(_BY_EXTERNAL_ID, workspace_id=workspace_id, external_id=claim.external_id)
    if found is None and claim.domain is not None:
        rows = await tx.rows(_BY_DOMAIN, workspace_id=workspace_id, domain=claim.domain)
        found = rows[0]["id"] if len(rows) == 1 else None
    return found
