"""Whether the database is migrated."""

from sightline.migrations import HEAD, pending_on, refuse_unseen
from sightline.platform.checks import Check
from sightline.platform.db import Connection, DatabaseUnavailable


async def check_schema(connection: Connection) -> Check:
    try:
        missing = await pending_on(connection)
        await refuse_unseen(connection)
    except DatabaseUnavailable as error:
        return Check("schema", False, str(error))
    return Check("schema", not missing, "Not up to date: run `sightline migrate`." if missing else f"revision {HEAD}")
