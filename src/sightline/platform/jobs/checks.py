"""Whether jobs are done in time."""

from sightline.platform.checks import Check
from sightline.platform.db import Tx
from sightline.platform.jobs import queries

LATE_SECONDS = 5


async def check_jobs(tx: Tx) -> Check:
    """Warns when jobs are late and no worker is connected to the database."""
    late = max((row["late_seconds"] for row in await tx.rows(queries.TOTALS)), default=0)
    workers = await tx.value(queries.COUNT_WORKERS, name=queries.WORKER)
    if late > LATE_SECONDS and not workers:
        message = f"The oldest has waited for {late:.0f} s and no worker runs: start `sightline worker`."
        return Check("jobs", True, message, warning=True)
    return Check("jobs", True, "a worker runs" if workers else "none is late")
