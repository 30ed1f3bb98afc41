"""The gauges of jobs in `/metrics`: of all workers together, as stored in the database."""

import asyncio
from functools import partial

import asyncpg
from prometheus_client import Gauge

from sightline.platform.db import Database
from sightline.platform.jobs import queries

LONGEST_SECONDS = 2.0

# Each is set on request, by the process that answers it: of several values the newest counts.
_gauge = partial(Gauge, multiprocess_mode="mostrecent")
_STATES = _gauge("sightline_jobs", "Jobs that wait, run or have failed.", ["kind", "state"])
_LATE = _gauge("sightline_jobs_late_seconds", "For how long the oldest waiting job has been due.", ["kind"])
_FINISHED = _gauge("sightline_jobs_finished", "Attempts that ended; only increases.", ["kind", "outcome"])
_SECONDS = _gauge("sightline_jobs_seconds", "Total duration of attempts; only increases.", ["kind"])
_known: set[str] = set()  # kinds of which there was a job


async def refresh_job_gauges(db: Database) -> None:
    """Reads the gauges from the database. They keep their values while the database does not answer within 2 s."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS), db.autocommit() as tx:
            waiting, finished = await tx.rows(queries.TOTALS), await tx.rows(queries.FINISHED)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return
    _known.update(row["kind"] for row in (*waiting, *finished))
    for kind in _known:
        jobs = {row["state"]: row for row in waiting if row["kind"] == kind}
        for state in ("waiting", "running", "failed"):
            _STATES.labels(kind, state).set(jobs[state]["jobs"] if state in jobs else 0)
        _LATE.labels(kind).set(max(jobs["waiting"]["late_seconds"], 0) if "waiting" in jobs else 0)
        _SECONDS.labels(kind).set(sum(row["seconds"] for row in finished if row["kind"] == kind))
    for row in finished:
        _FINISHED.labels(row["kind"], row["outcome"]).set(row["jobs"])
