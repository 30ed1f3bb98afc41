"""Background jobs: work that a worker does later, at least once.

    add_job(tx, kind, workspace, record)     in the transaction that causes it: a rollback removes the job too
    Work(kind, handler, on_dead)             how a worker handles jobs of that kind
    Tick(name, act)                          what a worker does each minute
    sightline.worker                         runs all rooms' work from one queue

A job means "advance this record" and nothing else: all state is kept in the record's own rows. Of one kind and record
at most one job waits or runs; adding one while it runs makes it run once more afterwards. The table `jobs` is
the queue.
"""

from sightline.platform.jobs.adding import add_job, add_missing_jobs
from sightline.platform.jobs.holding import HoldLost, ensure_held
from sightline.platform.jobs.kinds import (
    JobFailed,
    JobKind,
    JobsOfRoom,
    JobStopped,
    Tick,
    TookTooLong,
    Tools,
    Work,
    WorkerDied,
)

__all__ = [
    "HoldLost",
    "JobFailed",
    "JobKind",
    "JobStopped",
    "JobsOfRoom",
    "Tick",
    "TookTooLong",
    "Tools",
    "Work",
    "WorkerDied",
    "add_job",
    "add_missing_jobs",
    "ensure_held",
]
