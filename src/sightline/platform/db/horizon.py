"""The time up to which no row can be added any more.

A client that follows a list by its latest `updated_at` must not see a row while a transaction is open that may still
write an earlier time. A writer takes its time after the database has registered its transaction: `Database.transaction`
after BEGIN, a statement that commits by itself from MOMENT. Both are times of the database's clock or later, whatever
the machine's clock says (see Clock). So no open transaction writes a time before its own start.
"""

from datetime import datetime, timedelta

from sightline.platform.checks import Check
from sightline.platform.db.database import OURS, Tx
from sightline.platform.db.sql import sql

# The time of writing of a statement that commits by itself: the caller's moment, or the database's clock if that is
# later. Not now(), which is taken before other sessions see the statement run: find_horizon could miss it.
MOMENT = "greatest(:now::timestamptz, date_trunc('milliseconds', clock_timestamp()) + :clock_offset::interval)"

# The start of the oldest transaction that may write: of our role's from its start, also in a session that a pooler
# lends; of other roles, of ours that only read, and of programs with which people look, once it has a transaction id.
# A transaction that starts meanwhile writes a time after the start of this statement.
_OPEN = f"""
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
   AND (backend_xid IS NOT NULL
        OR usename = session_user AND application_name NOT IN ('{OURS} reading', 'psql', 'pg_dump'))"""
_OLDEST = sql(f"SELECT least(statement_timestamp(), min(xact_start)) {_OPEN}")
_LONGEST = sql(f"""
SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::float AS seconds {_OPEN}
   AND xact_start < clock_timestamp() - :seconds * interval '1 second'
 ORDER BY xact_start LIMIT 1""")
LONG_SECONDS = 60.0


async def find_horizon(tx: Tx) -> datetime:
    """The last time at which no row will be added. Call it in a statement before the one that reads the rows.

    A transaction that starts now may still write in the present millisecond.
    """
    oldest: datetime = await tx.value(_OLDEST)
    horizon = oldest + tx.clock.offset - timedelta(milliseconds=1)
    return horizon.replace(microsecond=horizon.microsecond // 1000 * 1000)


async def check_open_transactions(tx: Tx) -> Check:
    """Warns of a transaction that has held up the lists of changes for a minute."""
    found = await tx.row(_LONGEST, seconds=LONG_SECONDS)
    if found is None:
        return Check("changes", True, "listed up to the present")
    pid, name, seconds = found
    message = f"Not listed for {seconds:.0f} s: session {pid} ({name or 'no name'}) keeps a transaction open."
    return Check("changes", True, message, warning=True)
