"""What rooms declare: kinds of jobs, what is done with them, and what is done every minute."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sightline.platform.db import Database

Tools = Mapping[type, Any]
"""What the process made for its rooms when it started: engines, providers."""

Handler = Callable[[Database, Tools, UUID, UUID], Awaitable[None]]
Revive = Callable[[Database, UUID, UUID], Awaitable[None]]
OnDead = Callable[[Database, UUID, UUID, Exception], Awaitable[None]]


class JobFailed(Exception):
    """A job ended without its handler saying why; the message is one line for people."""


class WorkerDied(JobFailed):
    """Each attempt ended with the death of its worker, which the job may have caused."""


class TookTooLong(JobFailed):
    """An attempt went past the time limit of its kind."""


class JobStopped(JobFailed):
    """Somebody stopped it with `sightline jobs stop`."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job, named once and for ever: `documents.write`. At most one per record waits or runs."""

    name: str

    def key(self, workspace_id: UUID, record_id: UUID) -> str:
        return f"{self.name}:{workspace_id}:{record_id}"


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker does with the jobs of a kind.

    `handler(db, tools, workspace_id, record_id)` may run twice and must be harmless then; it looks at the record
    before it does anything. What it writes inside `db.write()` is written only while the job is still its own: else
    that raises HoldLost, which it lets pass. It must not write through `db.read()`. It is cancelled when the worker
    ends, and the job starts anew elsewhere.

    A handler that raises is called again after `first_wait`, then twice that, and so on up to five minutes, `attempts`
    times in all; an attempt whose worker died counts. Then `on_dead(db, workspace_id, record_id, error)` is called, for
    the record to say that it failed, unless it is done after all: its last worker may have died right after. That is
    called once, unless the worker dies meanwhile. An attempt that takes longer than `time_limit` is ended and counts
    as failed.

    `revive(db, workspace_id, record_id)` is called before the handler when somebody retries a failed job: where the
    record says that it failed it lets it wait again, unless something newer took its place; may be called twice.
    """

    kind: JobKind
    handler: Handler
    on_dead: OnDead
    attempts: int = 5
    first_wait: timedelta = timedelta(seconds=2)
    time_limit: timedelta = timedelta(hours=1)
    revive: Revive | None = None

    def wait_after(self, attempt: int) -> timedelta:
        """How long the next attempt waits after this one, counted from 1."""
        return min(self.first_wait * 2.0 ** min(attempt - 1, 20), timedelta(minutes=5))


@dataclass(frozen=True, slots=True)
class Tick:
    """What every worker does each minute, and when it starts: `act(db, tools)` finds what is due and starts it.

    Workers do it at the same time: rows are taken in batches with SKIP LOCKED, or with one statement that can only
    succeed once.
    """

    name: str
    act: Callable[[Database, Tools], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class JobsOfRoom:
    """All that one room leaves to a worker."""

    work: Sequence[Work] = ()
    ticks: Sequence[Tick] = ()
