"""Voters of imported ideas: portal users known by their e-mail, and their votes."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sightline.platform.db import sql
from sightline.platform.ids import derived_id
from sightline.workspace_file.imports.further import add_records
from sightline.workspace_file.storing import Store

# Of several people with an address, the one seen last.
_KNOWN = sql("""
    SELECT DISTINCT ON (lower(email)) id, lower(email) AS email FROM portal_users
     WHERE workspace_id = :workspace_id AND lower(email) = ANY(:emails)
     ORDER BY lower(email), last_seen_at DESC NULLS LAST, id""")


async def store_votes(store: Store, voters: Mapping[UUID, tuple[int, Sequence[str]]]) -> None:
    """Stores the voters of ideas, by the idea's id with the line's number. A sign-in adopts such a user by e-mail."""
    emails = {email: number for number, each in voters.values() for email in each}
    if not emails:
        return
    run = store.run
    rows = await run.tx.rows(_KNOWN, workspace_id=run.workspace_id, emails=list(emails))
    known = {row["email"]: row["id"] for row in rows}
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
