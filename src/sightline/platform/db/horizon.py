"""Up to which moment everything that will ever be written is there to be read.

Who follows a list by its latest `updated_at` must not be shown a row as long as a transaction is open that may still
write an earlier moment. Writers take their moment when the database knows of their transaction: `Database.write`
after BEGIN, a statement that commits by itself by MOMENT. So no open transaction's moment precedes its own start.
"""

from datetime import datetime, timedelta

from sightline.platform.db.database import OURS, Tx

# For statements that may commit by themselves: the caller's moment, but not one before the database heard of it.
MOMENT = "greatest({now}::timestamptz, date_trunc('milliseconds', now()) + {offset}::interval)"

# Foreign sessions count once they have written; ours from their start, except those that only read.
_AGE = f"""
SELECT max(clock_timestamp() - xact_start)
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
   AND (backend_xid IS NOT NULL OR application_name IN ('{OURS}', ''))"""


async def find_horizon(tx: Tx) -> datetime:
    """No row that is not there yet will get an earlier moment. To be asked in a statement before that of the rows."""
    age: timedelta | None = await tx.value(_AGE)
    if age is None:
        return tx.now
    horizon = tx.now - age - timedelta(milliseconds=1)
    return horizon.replace(microsecond=horizon.microsecond // 1000 * 1000)
