"""Work that is done later, by a worker, at least once.

    add_job(tx, kind, workspace, record)     in the transaction that causes it: a rollback leaves no job
    Work(kind, handler, on_dead)             what a worker does with jobs of that kind
    Tick(name, act)                          what a worker does every minute
    sightline.worker                         puts every room's work on one queue and runs it

A job says "advance this record", nothing else: what must survive stands in the record's own rows. Of one kind and
record at most one job waits or runs; what is added meanwhile makes a running one run once more afterwards. The queue
is PgQueuer's, which only a worker imports: adding a job is one statement of our own.
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
