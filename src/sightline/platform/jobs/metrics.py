"""What `/metrics` tells of jobs: of all workers together, as the database knows it."""

import asyncio

import asyncpg
from prometheus_client import Gauge

from sightline.platform.db import Database
from sightline.platform.jobs import queries

LONGEST_SECONDS = 2.0

# Each is set when it is asked for, by the process that is asked: of several values the newest counts.
_STATES = Gauge(
    "sightline_jobs", "Jobs that wait, run or have failed.", ["kind", "state"], multiprocess_mode="mostrecent"
)
_LATE = Gauge(
    "sightline_jobs_late_seconds", "How long the oldest job is due.", ["kind"], multiprocess_mode="mostrecent"
)
_FINISHED = Gauge(
    "sightline_jobs_finished", "Attempts that ended; only grows.", ["kind", "outcome"], multiprocess_mode="mostrecent"
)
_SECONDS = Gauge(
    "sightline_jobs_seconds", "How long they took together; only grows.", ["kind"], multiprocess_mode="mostrecent"
)
_known: set[str] = set()  # kinds that were seen


async def tell_jobs(db: Database) -> None:
    """Brings the gauges to what the database says. While it cannot be asked they stay as they are."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS), db.read() as tx:
            waiting, finished = await tx.rows(queries.TOTALS), await tx.rows(queries.FINISHED)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return
    _known.update(row[0] for row in (*waiting, *finished))
    _tell_states({(row[0], row[1]): (row[2], row[3]) for row in waiting})
    seconds = dict.fromkeys(_known, 0.0)
    for kind, outcome, jobs, took in finished:
        _FINISHED.labels(kind, outcome).set(jobs)
        seconds[kind] += took
    for kind, took in seconds.items():
        _SECONDS.labels(kind).set(took)


def _tell_states(found: dict[tuple[str, str], tuple[int, float]]) -> None:
    """A state that no job is in is told as 0."""
    for kind in _known:
        for state in ("waiting", "running", "failed"):
            _STATES.labels(kind, state).set(found.get((kind, state), (0, 0.0))[0])
        _LATE.labels(kind).set(max(found.get((kind, "waiting"), (0, 0.0))[1], 0))
