"""Accounts that imported lines name: matched by domain too, and created or left out if there are none."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from sightline.platform.db import sql
from sightline.platform.file_section.entries import Entry
from sightline.platform.file_section.fields import Field
from sightline.platform.file_section.tables import Table
from sightline.workspace_file.lines import path_of
from sightline.workspace_file.reading import Line
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.storing import Store
from sightline.workspace_file.values import check

UnknownAccounts = Literal["create", "skip", "refuse"]

_BY_DOMAIN = sql("""
    SELECT lower(domain) AS domain, (array_agg(id))[1] AS id FROM accounts
     WHERE workspace_id = :workspace_id AND lower(domain) = ANY(:domains)
     GROUP BY lower(domain) HAVING count(*) = 1""")

_BY_ADDRESS = sql("""
    SELECT lower(email) AS email, (array_agg(account_id))[1] AS id FROM account_contacts
     WHERE workspace_id = :workspace_id AND lower(email) = ANY(:emails)
     GROUP BY lower(email) HAVING count(DISTINCT account_id) = 1""")


class NamedAccounts:
    """Settles the accounts of lines in one transaction: also by domain, and by the address of a contact.

    `created`, `left_out`: the texts for which there was no account.
    """

    def __init__(self, table: Table, how: UnknownAccounts) -> None:
        self.how = how
        self.created: set[str] = set()
        self.left_out: set[str] = set()
        links = (field for field, links in table.links if links.target == "accounts")
        single = (field for field in table.fields if getattr(field.marker, "target", None) == "accounts")
        self._fields: Sequence[Field] = [*single, *links]

    async def settle(self, store: Store, lines: Sequence[Line]) -> Sequence[Line]:
        """Fills in the ids of accounts that are known by their domain, and drops the accounts to leave out."""
        texts = dict.fromkeys(text for line in lines for field in self._fields for text in _texts(line, field))
        await store.lookup.load("accounts", texts)
        unknown = [text for text in texts if store.lookup.find("accounts", text) is None]
        if not unknown:
            return lines
        settled: dict[str, str | None] = {**await _find(store, unknown)}
        left = [text for text in unknown if text not in settled]
        if self.how == "create":
            await self._create(store, left, lines)
        elif self.how == "skip":
            settled |= dict.fromkeys(left)
            self.left_out.update(left)
        return [_replaced(line, self._fields, settled) for line in lines] if settled else lines

    async def _create(self, store: Store, texts: Sequence[str], lines: Sequence[Line]) -> None:
        """Creates accounts that are known by the text, as an externalId; one that looks like a domain gets it."""
        entries = []
        table = all_tables()["accounts"]
        for text in texts:
            number = next(line.number for line in lines for field in self._fields if text in _texts(line, field))
            given = {"externalId": text, "name": text}
            if "." in text and not set(text) & set(" @/"):
                given["domain"] = text.lower()
            record = check(given, table.record, path_of(number), store.run.faults)
            if record is not None:
                entries.append(Entry(path_of(number), given, record))
        await store.store(table, entries)
        store.lookup.forget("accounts")
        self.created.update(entry.given["externalId"] for entry in entries)


async def _find(store: Store, texts: Sequence[str]) -> dict[str, str]:
    """Returns the ids of accounts by the address of a contact, and by the domain of a text or an address."""
    values = {"workspace_id": store.run.workspace_id}
    emails = [text.lower() for text in texts if "@" in text]
    rows = await store.run.tx.rows(_BY_ADDRESS, **values, emails=emails) if emails else []
    by_email = {row["email"]: str(row["id"]) for row in rows}
    domains = [text.lower().rpartition("@")[2] for text in texts]
    rows = await store.run.tx.rows(_BY_DOMAIN, **values, domains=domains)
    by_domain = {row["domain"]: str(row["id"]) for row in rows}
    found = {text: by_email.get(text.lower()) or by_domain.get(text.lower().rpartition("@")[2]) for text in texts}
    return {text: id for text, id in found.items() if id is not None}


def _texts(line: Line, field: Field) -> list[str]:
    value = line.given.get(field.name)
    return [value] if isinstance(value, str) else [one for one in value or () if isinstance(one, str)]


def _replaced(line: Line, fields: Sequence[Field], settled: dict[str, str | None]) -> Line:
    given, changes = dict(line.given), {}
    for field in fields:
        if not any(text in settled for text in _texts(line, field)):
            continue
        found = [new for text in _texts(line, field) if (new := settled.get(text, text)) is not None]
        value: Any = found if isinstance(given[field.name], list) else next(iter(found), None)
        given[field.name] = changes[field.attribute] = value
        if value is None:
            del given[field.name]
    return line._replace(given=given, record=msgspec.structs.replace(line.record, **changes))
