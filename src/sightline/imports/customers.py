"""Accounts and voters that imported lines name: found, or created with them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from sightline.catalog.accounts.matching import AccountClues, lock_accounts
from sightline.imports.lines import path_of
from sightline.imports.reading import Line
from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run
from sightline.platform.file_parts.tables import Table
from sightline.platform.ids import derived_id
from sightline.portal.sign_in.users import lock_addresses
from sightline.workspace_file.parts import TABLES
from sightline.workspace_file.storing import Store
from sightline.workspace_file.values import check


async def add_records(store: Store, path: str, records: Sequence[tuple[int, dict[str, Any]]]) -> None:
    """Stores records of a list, each with the number of its line. Adds their faults."""
    table = TABLES[path]
    checked = [(n, given, check(given, table.record, path_of(n), store.run.faults)) for n, given in records]
    entries = [Entry(path_of(n), given, record) for n, given, record in checked if record is not None]
    if entries:
        await store.store(table, entries)


UnknownAccounts = Literal["create", "skip", "refuse"]

_KNOWN = sql("""
    SELECT named.text, coalesce(
           (SELECT min(account_id::text)::uuid FROM account_contacts
             WHERE workspace_id = :workspace_id AND lower(email) = lower(named.text)
            HAVING count(DISTINCT account_id) = 1),
           (SELECT min(id::text)::uuid FROM accounts
             WHERE workspace_id = :workspace_id AND lower(domain) = lower(regexp_replace(named.text, '^.*@', ''))
            HAVING count(*) = 1)) AS id,
           lower(named.text) IN (SELECT lower(name) FROM accounts WHERE workspace_id = :workspace_id) AS is_name
      FROM unnest(:texts::text[]) AS named (text)""")


class NamedAccounts:
    """Settles the accounts of lines in one transaction: also by domain, and by the address of a contact.

    `created`, `left_out`: the texts for which there was no account. `namesakes`: created ones that name one.
    """

    def __init__(self, table: Table, how: UnknownAccounts) -> None:
        self.how = how
        self.created: set[str] = set()
        self.namesakes: set[str] = set()
        self.left_out: set[str] = set()
        links = (field for field, links in table.links if links.target == "accounts")
        single = (field for field in table.fields if getattr(field.marker, "target", None) == "accounts")
        self._fields = [field.name for field in (*single, *links)]

    async def settle(self, store: Store, lines: Sequence[Line]) -> Sequence[Line]:
        """Has references find accounts by their domain too. Returns the lines without the accounts to leave out."""
        named: dict[str, int] = {}
        for line in lines:
            for value in map(line.given.get, self._fields):
                for text in [value] if isinstance(value, str) else value or ():
                    named.setdefault(text, line.number)
        unknown = await self._find_unknown(store, named)
        if unknown and self.how == "create":
            clues = (AccountClues(external_id=text, domain=text.rpartition("@")[2]) for text in unknown)
            await lock_accounts(store.run.tx, store.run.workspace_id, clues)
            store.lookup.forget("accounts")
            unknown = await self._find_unknown(store, named)
        if not unknown:
            return lines
        rows = await store.run.tx.rows(_KNOWN, workspace_id=store.run.workspace_id, texts=unknown)
        left = {row["text"] for row in rows if row["id"] is None}
        if self.how == "create":
            await add_records(store, "accounts", [(named[text], _described(text)) for text in unknown if text in left])
            store.lookup.forget("accounts")
            self.created |= left
            self.namesakes |= {row["text"] for row in rows if row["is_name"]} & left
        for row in rows:
            if row["id"]:
                store.lookup.know("accounts", row["text"], row["id"])
        if self.how != "skip":
            return lines
        self.left_out |= left
        return [line._replace(given=self._without(line.given, left)) for line in lines]

    async def _find_unknown(self, store: Store, named: Iterable[str]) -> list[str]:
        await store.lookup.load("accounts", named)
        return [text for text in named if store.lookup.find("accounts", text) is None]

    def _without(self, given: dict[str, Any], left: set[str]) -> dict[str, Any]:
        given = dict(given)
        for name in self._fields:
            value = given.get(name)
            if isinstance(value, list):
                given[name] = [text for text in value if text not in left]
            elif value in left:
                del given[name]
        return given


def _described(text: str) -> dict[str, str]:
    """Returns an account that is known by the text, as an externalId; one that looks like a domain gets it."""
    is_domain = "." in text and not set(text) & set(" @/")
    return {"externalId": text, "name": text} | ({"domain": text.lower()} if is_domain else {})


# Of several people with an address, the one seen last.
_KNOWN_VOTERS = sql("""
    SELECT DISTINCT ON (lower(email)) id, lower(email) AS email FROM portal_users
     WHERE workspace_id = :workspace_id AND lower(email) = ANY(:emails)
     ORDER BY lower(email), last_seen_at DESC NULLS LAST, id""")


async def lock_new_voters(run: Run, lines: Sequence[Line]) -> None:
    """Keeps sign-ins from adding the voters meanwhile. Call it before accounts are locked, as a sign-in does both."""
    emails = {email for line in lines for email in line.voters}
    if emails and (unknown := emails - (await _find_voters(run, emails)).keys()):
        await lock_addresses(run.tx, run.workspace_id, unknown)


async def store_votes(store: Store, voters: Mapping[UUID, tuple[int, Sequence[str]]]) -> None:
    """Stores the voters of ideas, by the idea's id with the line's number. A sign-in adopts such a user by e-mail."""
    emails = {email: number for number, each in voters.values() for email in each}
    if not emails:
        return
    run = store.run
    known = await _find_voters(run, emails)
    users = {email: str(known.get(email) or derived_id(run.workspace_id, "portal.users", email)) for email in emails}
    new = [(number, {"id": users[email], "email": email}) for email, number in emails.items() if email not in known]
    await add_records(store, "portal.users", new)
    if not run.faults.count:
        given = [
            (number, {"idea": str(idea), "user": users[email]})
            for idea, (number, each) in voters.items()
            for email in each
        ]
        await add_records(store, "portal.votes", given)


async def _find_voters(run: Run, emails: Iterable[str]) -> dict[str, UUID]:
    rows = await run.tx.rows(_KNOWN_VOTERS, workspace_id=run.workspace_id, emails=list(emails))
    return {row["email"]: row["id"] for row in rows}
