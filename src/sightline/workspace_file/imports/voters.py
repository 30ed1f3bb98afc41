"""Voters of imported ideas: portal users known by their e-mail, and their votes."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sightline.platform.db import sql
from sightline.platform.file_section.entries import Entry
from sightline.platform.ids import derived_id
from sightline.workspace_file.lines import path_of
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.storing import Store
from sightline.workspace_file.values import check

# Of several people with an address, the one seen last.
_KNOWN = sql("""
    SELECT DISTINCT ON (email) * FROM (
        SELECT id, lower(email) AS email, last_seen_at FROM portal_users
         WHERE workspace_id = :workspace_id AND lower(email) = ANY(:emails)) AS known
     ORDER BY email, last_seen_at DESC NULLS LAST, id""")


async def store_votes(store: Store, voters: Mapping[UUID, tuple[int, Sequence[str]]]) -> None:
    """Stores the voters of ideas, by the idea's id with the line's number. A sign-in adopts such a user by e-mail."""
    emails = {email: number for number, each in voters.values() for email in each}
    if not emails:
        return
    run = store.run
    rows = await run.tx.rows(_KNOWN, workspace_id=run.workspace_id, emails=list(emails))
    users = {row["email"]: row["id"] for row in rows}
    new = []
    for email, number in emails.items():
        if email not in users:
            users[email] = derived_id(run.workspace_id, "portal.users", email)
            new.append((number, {"id": str(users[email]), "email": email}))
    await _store(store, "portal.users", new)
    votes = [
        (number, {"idea": str(idea), "user": str(users[email])})
        for idea, (number, each) in voters.items()
        for email in each
    ]
    if not run.faults.count:
        await _store(store, "portal.votes", votes)


async def _store(store: Store, path: str, records: Sequence[tuple[int, dict[str, str]]]) -> None:
    table = all_tables()[path]
    checked = [(n, given, check(given, table.record, path_of(n), store.run.faults)) for n, given in records]
    entries = [Entry(path_of(n), given, record) for n, given, record in checked if record is not None]
    if entries:
        await store.store(table, entries)
