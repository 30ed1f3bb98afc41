"""The model, or the embedded engine: where none is configured, the workspace wants none, or it fails."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar
from uuid import UUID

import structlog
from msgspec.structs import replace

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.model.endpoint import Endpoint
from sightline.intelligence.model.session import Budget, ModelFailed, Session, Task
from sightline.intelligence.model.usage import ADD_USAGE, Prices, Usage, may_ask
from sightline.platform.beside import Beside
from sightline.platform.db import Database
from sightline.platform.db.retries import is_away, until_answered
from sightline.platform.ids import new_id
from sightline.platform.jobs import Tools

T = TypeVar("T")

ENGINE_JOBS = Beside("engine", threads=2)  # a long signal or document takes some seconds

_STORING: set[asyncio.Task[None]] = set()  # the loop itself keeps no reference

_log = structlog.get_logger()


@dataclass(frozen=True)
class LanguageModel:
    """A model. Results are stored with `name`, and with the version of the tasks as they are put here."""

    name: str
    endpoint: Endpoint
    budget: Budget
    prices: Prices
    version: ClassVar[str] = "1"

    def session(self, seconds: float | None = None) -> Session:
        """Returns a session that ends after so many seconds, if its budget does not end before."""
        bound = self.budget.seconds if seconds is None else min(seconds, self.budget.seconds)
        return Session(replace(self.budget, seconds=bound))


class Made(NamedTuple, Generic[T]):
    """A result, with the name and version of the engine that made it."""

    value: T
    engine: str
    version: str


async def make(
    db: Database,
    tools: Tools,
    task: Task,
    by_model: Callable[[LanguageModel, Session], Awaitable[T]],
    by_engine: Callable[[EmbeddedEngine], T],
) -> Made[T]:
    """Does a task outside any transaction, and keeps what the model took. The embedded engine works in a thread."""
    made = await make_by_model(db, tools, task, by_model)
    if made is not None:
        return made
    engine: EmbeddedEngine = tools[EmbeddedEngine]
    return Made(await ENGINE_JOBS.run_job(task.workspace_id, by_engine, engine), engine.name, engine.version)


async def make_by_model(
    db: Database, tools: Tools, task: Task, by_model: Callable[[LanguageModel, Session], Awaitable[T]]
) -> Made[T] | None:
    """Does a task as `make()` does. Returns None where the embedded engine has to do it."""
    model = await find_model(db, tools, task.workspace_id)
    if model is None:
        return None
    session = model.session()
    try:
        made = Made(await by_model(model, session), model.name, model.version)
    except ModelFailed as error:
        await keep_usage(db, task, model, session, str(error))
        return None
    await keep_usage(db, task, model, session, None)
    return made


async def find_model(db: Database, tools: Tools, workspace_id: UUID) -> LanguageModel | None:
    """Returns the model, unless none is configured, or the workspace wants none or has no tokens left."""
    model: LanguageModel | None = tools.get(LanguageModel)
    if model is None:
        return None
    async with db.snapshot() as tx:
        return model if await may_ask(tx, workspace_id) else None


async def keep_usage(db: Database, task: Task, model: LanguageModel, session: Session, failure: str | None) -> None:
    """Stores what a task took, if it asked anything or failed; logs a failure.

    If the database is away, raises its error at once, and stores the usage when the database answers again, unless the
    process ends before.
    """
    if failure is not None:
        _log.warning("A model failed; the embedded engine does its task", task=task.name, error=failure)
    if session.requests == 0 and failure is None:
        return
    usage = Usage(
        workspace_id=task.workspace_id,
        id=new_id(),
        task=task.name,
        record_id=task.record_id,
        model=model.name,
        failure=failure,
        requests=session.requests,
        unmeasured=session.unmeasured,
        input_tokens=session.input_tokens,
        output_tokens=session.output_tokens,
        seconds=session.seconds,
        cost=model.prices.cost_of(session),
    )
    try:
        await _store(db, usage)
    except Exception as error:
        if is_away(error):  # only this waits for the database
            storing = asyncio.create_task(until_answered(_store)(db, usage))
            _STORING.add(storing)
            storing.add_done_callback(_STORING.discard)
        raise


async def _store(db: Database, usage: Usage) -> None:
    """Not in a transaction of a job's database: it was paid whether or not another worker has the job now."""
    async with db.autocommit(writes=True) as tx:
        await tx.run(ADD_USAGE, **usage._asdict())
