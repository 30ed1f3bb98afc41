"""Which statements a request runs: written down while the application serves it in this process.

The application opens its pools as always; they only get connections of another class, which note every statement
with its arguments and its result while a request is being recorded. So no SQL stands in the benchmark.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from sightline.bench.failure import BenchFailed
from sightline.bench.inprocess import InProcess
from sightline.bench.wire import Answer, Request

REPLAYABLE = ("execute", "executemany", "fetch", "fetchmany", "fetchrow", "fetchval")
NOT_REPLAYABLE = ("cursor", "prepare", "copy_records_to_table", "copy_to_table", "copy_from_query", "copy_from_table")


@dataclass(slots=True)
class Statement:
    """One call of a connection: `method` is the method's name, `result` what it returned."""

    method: str
    query: str
    arguments: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    result: Any = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One request, when it began, what was answered, and the statements that were run for it, in order."""

    request: Request
    started: int  # milliseconds since 1970
    answer: Answer
    statements: list[Statement]

    @property
    def shape(self) -> tuple[tuple[str, str], ...]:
        return tuple((statement.method, statement.query) for statement in self.statements)


@dataclass(frozen=True, slots=True)
class PoolWish:
    """How the application opened a pool."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def open_bare(self) -> "asyncpg.Pool[Any]":
        """The same pool, with asyncpg's own connections."""
        return asyncpg.create_pool(*self.arguments, **self.options)


_recorded: ContextVar[list[Statement] | None] = ContextVar("recorded", default=None)


def _noting(method: str) -> Callable[..., Any]:
    original = getattr(asyncpg.Connection, method)

    async def note(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
        statements = _recorded.get()
        if statements is None:
            return await original(self, query, *arguments, **options)
        if method in ("executemany", "fetchmany"):
            arguments = (list(arguments[0]),)
        statement = Statement(method, query, arguments, options)
        statements.append(statement)
        statement.result = await original(self, query, *arguments, **options)
        return statement.result

    return note


def _refusing(method: str) -> Callable[..., Any]:
    original = getattr(asyncpg.Connection, method)

    def refuse(self: Any, *arguments: Any, **options: Any) -> Any:
        if _recorded.get() is not None:
            raise BenchFailed(f"The benchmark cannot replay connection.{method}: teach it in bench/capture.py.")
        return original(self, *arguments, **options)

    return refuse


NotingConnection: type[Any] = type(
    "NotingConnection",
    (asyncpg.Connection,),
    {
        "__slots__": (),
        **{method: _noting(method) for method in REPLAYABLE},
        **{method: _refusing(method) for method in NOT_REPLAYABLE},
    },
)


@contextmanager
def noting_pools() -> Iterator[list[PoolWish]]:
    """Pools opened inside note what is run on them; gives how they were opened."""
    original = asyncpg.create_pool
    wishes: list[PoolWish] = []

    def create_pool(*arguments: Any, **options: Any) -> Any:
        wishes.append(PoolWish(arguments, options))
        return original(*arguments, **options, connection_class=NotingConnection)

    asyncpg.create_pool = create_pool
    try:
        yield wishes
    finally:
        asyncpg.create_pool = original


async def trace(app: InProcess, requests: Sequence[Request], key: str) -> list[Trace]:
    """Serves the requests one after another. Refuses with BenchFailed unless every answer is a 2xx."""
    traces = []
    for request in requests:
        statements: list[Statement] = []
        started = time.time_ns() // 1_000_000
        token = _recorded.set(statements)
        try:
            answer = await app.ask(request, key)
        finally:
            _recorded.reset(token)
        if not 200 <= answer.status < 300:
            raise BenchFailed(f"{request.method} {request.target} was answered {answer.status}: {answer.body[:300]!r}")
        # A copy: what a task left behind by the request runs later is not the request's.
        traces.append(Trace(request, started, answer, list(statements)))
    return traces
