"""What rooms declare: kinds of jobs, their handlers, and periodic work."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sightline.platform.db import Database

Tools = Mapping[type, Any]
"""What the process creates for its rooms at start: engines, providers."""

Handler = Callable[[Database, Tools, UUID, UUID], Awaitable[None]]
Revive = Callable[[Database, UUID, UUID], Awaitable[None]]
OnDead = Callable[[Database, UUID, UUID, Exception], Awaitable[None]]


class JobFailed(Exception):
    """A job failed for a reason other than its handler's own; the message is one line for people."""


class WorkerDied(JobFailed):
    """The worker died during each attempt, possibly because of the job."""


class TookTooLong(JobFailed):
    """An attempt exceeded the time limit of its kind."""


class JobStopped(JobFailed):
    """An operator stopped it with `sightline jobs stop`."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job; its name never changes: `documents.write`. At most one per record waits or runs."""

    name: str


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker does with the jobs of a kind.

    `handler(db, tools, workspace_id, record_id)` may run twice and must be harmless then; it reads the record first.
    It writes inside `db.transaction()` only, never through `db.autocommit()`: the transaction raises HoldLost, which
    the handler must not catch, once another worker has the job. It is cancelled when the worker ends, and the job
    starts again elsewhere.
    """

    kind: JobKind
    handler: Handler
    on_dead: OnDead
    attempts: int = 5
    first_wait: timedelta = timedelta(seconds=2)
    time_limit: timedelta = timedelta(hours=1)
    revive: Revive | None = None

    def wait_after(self, attempt: int) -> timedelta:
        """The wait before the attempt after this one; attempts are counted from 1."""
        return min(self.first_wait * 2.0 ** min(attempt - 1, 20), timedelta(minutes=5))


@dataclass(frozen=True, slots=True)
class Tick:
    """Work that every worker does at its start and then each minute: `act(db, tools)` finds what is due and starts it.

    Several workers do it at the same time: take rows in batches with SKIP LOCKED, or with one statement that can only
    succeed once.
    """

    name: str
    act: Callable[[Database, Tools], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class JobsOfRoom:
    """The jobs and periodic work of one room."""

    work: Sequence[Work] = ()
    ticks: Sequence[Tick] = ()
