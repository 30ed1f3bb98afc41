"""The time up to which no row can be added any more.

A client that follows a list by its latest `updated_at` must not see a row while a transaction is open that may still
write an earlier time. A writer takes its time after the database has registered its transaction: `Database.transaction`
after BEGIN, a statement that commits by itself from MOMENT. Both are times of the database's clock or later, whatever
the machine's clock says (see Clock). So no open transaction writes a time before its own start.
"""

from datetime import datetime, timedelta

from sightline.platform.db.database import OURS, Tx
from sightline.platform.db.sql import sql

# The time of writing of a statement that commits by itself: the caller's moment, or the database's clock if that is
# later. Not now(), which is taken before other sessions see the statement run: find_horizon could miss it.
MOMENT = "greatest(:now::timestamptz, date_trunc('milliseconds', clock_timestamp()) + :clock_offset::interval)"

# The start of the oldest transaction that may write: of our role's from its start, whatever a pooler names its session;
# of other roles, of ours that only read, and of programs with which people look, once it has a transaction id. A
# transaction that starts meanwhile writes a time after the start of this statement.
_OLDEST = sql(f"""
SELECT least(statement_timestamp(), min(xact_start))
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
   AND (backend_xid IS NOT NULL
        OR usename = session_user AND application_name NOT IN ('{OURS} reading', 'psql', 'pg_dump'))""")


async def find_horizon(tx: Tx) -> datetime:
    """The last time at which no row will be added. Call it in a statement before the one that reads the rows.

    A transaction that starts now may still write in the present millisecond.
    """
    oldest: datetime = await tx.value(_OLDEST)
    horizon = oldest + tx.clock.offset - timedelta(milliseconds=1)
    return horizon.replace(microsecond=horizon.microsecond // 1000 * 1000)
