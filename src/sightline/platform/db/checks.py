"""Whether the database can be used as it is."""

import asyncpg

from sightline.platform.checks import Check
from sightline.platform.db.database import Tx, first_line
from sightline.platform.db.notifications import find_fault
from sightline.platform.db.sql import sql

MOST_APART = 5.0  # seconds

_VERSION = sql("SHOW server_version")
_AFTER_NOW = sql("""
    SELECT extract(epoch FROM max(at) - :now)::float FROM changes
     WHERE workspace_id IN (SELECT id FROM workspaces) AND at > :now + :most_apart * interval '1 second'""")


async def check_version(tx: Tx) -> Check:
    return Check("database", True, f"PostgreSQL {(await tx.value(_VERSION)).split()[0]}")


async def check_clock(tx: Tx) -> Check:
    """Compares the clock of this machine with the database's, and that with the latest change."""
    difference = abs(tx.clock.ahead.total_seconds())
    if difference > MOST_APART:
        return Check("clock", False, f"This machine and the database are {difference:.0f} s apart: synchronise them.")
    if early := await tx.value(_AFTER_NOW, most_apart=MOST_APART):
        return Check("clock", False, f"The last change is {early:.0f} s in the future: start copies of lists again.")
    return Check("clock", True, f"{difference * 1000:.0f} ms from the database")


async def check_notifications(url: str, listen_url: str | None) -> Check:
    """Sends a notification through one address and waits for it at the other, see `find_fault`."""
    try:
        fault = await find_fault(url, listen_url)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        fault = f"{'SIGHTLINE_LISTEN_URL' if listen_url else 'The database'} cannot be used: {first_line(error)}."
    return Check("notifications", fault is None, fault or "arrive")
