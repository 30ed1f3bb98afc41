"""The statements of a request, run again on bare asyncpg with arguments as fresh as the operation's own.

What an argument is, is learnt by comparing the traces of many requests, place by place:

    the same in all                                 constant
    equal to a value an earlier statement returned  taken from what that statement returns now
    a UUID the request does not name                made by the operation: made anew, the same wherever it stood
    a moment                                        now
    a number that only grows                        counted on, far above what was seen
    anything else                                   sent by the caller: as it was in one trace after the other

Lists that are not of one length in all traces have no places to compare. In them, ids are told apart by their time:
a UUIDv7 younger than its request was made by it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count, pairwise
from typing import Any
from uuid import UUID

from asyncpg import Record

from sightline.bench.capture import Statement, Trace
from sightline.bench.failure import BenchFailed
from sightline.platform.ids import new_id

FAR_ABOVE = 1 << 40
TOLERATED_DIFFERENCE = 0.05


@dataclass(slots=True)
class Run:
    """One replay: of which trace, what was returned so far, which ids were made."""

    trace: int
    results: list[Any] = field(default_factory=list)
    made: dict[UUID, UUID] = field(default_factory=dict)  # by what they were in the trace


Make = Callable[[Run], Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One statement. `known` holds the arguments for each trace; those in `made` are made anew for each run.

    Whatever is spent here counts as time of the statements, so as much as possible is known before.
    """

    method: str
    query: str
    options: dict[str, Any]
    known: list[list[Any]]
    made: list[tuple[int, Make]]

    def arguments(self, run: Run) -> list[Any]:
        if not self.made:
            return self.known[run.trace]
        arguments = self.known[run.trace].copy()
        for place, make in self.made:
            arguments[place] = make(run)
        return arguments


@dataclass(frozen=True, slots=True)
class Replay:
    """`share`: the part of the traces that ran exactly these statements; the others are left out."""

    steps: list[Step]
    traces: int
    share: float
    expected: list[list[int]]

    async def once(self, connection: Any, trace: int) -> list[Any]:
        run = Run(trace)
        for step in self.steps:
            call = getattr(connection, step.method)
            run.results.append(await call(step.query, *step.arguments(run), **step.options))
        return run.results

    async def check(self, connection: Any) -> None:
        """Replays every trace once. Refuses with BenchFailed when that touches or finds other numbers of rows."""
        different = 0
        for trace in range(self.traces):
            results = await self.once(connection, trace)
            different += [rows_in(result) for result in results] != self.expected[trace]
        if different > TOLERATED_DIFFERENCE * self.traces:
            raise BenchFailed(f"{different} of {self.traces} replays found or touched other numbers of rows.")


def learn(traces: Sequence[Trace]) -> Replay:
    """Refuses with BenchFailed when no two traces ran the same statements."""
    shape, times = Counter(trace.shape for trace in traces).most_common(1)[0]
    if not shape:
        raise BenchFailed("The request ran no statement.")
    if times < 2:
        raise BenchFailed("No two requests ran the same statements: nothing can be learnt.")
    same = [trace for trace in traces if trace.shape == shape]
    learner = Learner(same)
    steps = [learner.step(place) for place in range(len(shape))]
    expected = [[rows_in(statement.result) for statement in trace.statements] for trace in same]
    return Replay(steps, len(same), times / len(traces), expected)


def rows_in(result: Any) -> int:
    """How many rows a statement found or touched."""
    match result:
        case None:
            return 0
        case list():
            return len(result)
        case str() if (touched := result.rpartition(" ")[2]).isdigit():
            return int(touched)
        case _:
            return 1


class Learner:
    def __init__(self, traces: list[Trace]) -> None:
        self._traces = traces
        self._requests = [f"{trace.request.target} {trace.request.body!r}".lower() for trace in traces]
        self._numbers = count(FAR_ABOVE)

    def step(self, place: int) -> Step:
        statements = [trace.statements[place] for trace in self._traces]
        self._earlier = [_returned(trace.statements[:place]) for trace in self._traces]
        known = [list(statement.arguments) for statement in statements]
        made = []
        for at, values in enumerate(zip(*known, strict=True)):
            self._is_known = True
            make = self._argument(list(values))
            if not self._is_known:
                made.append((at, make))
        return Step(statements[0].method, statements[0].query, statements[0].options, known, made)

    def _argument(self, values: list[Any]) -> Make:
        first = values[0]
        if all(type(value) is type(first) and value == first for value in values):
            return lambda run: first
        for kind in (list, tuple):
            if all(isinstance(value, kind) for value in values):
                is_even = all(len(value) == len(first) for value in values)
                return self._sequence(values, kind) if is_even else self._uneven(values)
        return self._changing(values)

    def _sequence(self, values: list[Any], kind: type[list[Any]] | type[tuple[Any, ...]]) -> Make:
        parts = [self._argument(list(part)) for part in zip(*values, strict=True)]
        return lambda run: kind([part(run) for part in parts])

    def _uneven(self, values: list[Any]) -> Make:
        makes = [self._of_one(trace, value) for trace, value in enumerate(values)]
        return lambda run: makes[run.trace](run)

    def _of_one(self, trace: int, value: Any) -> Make:
        """One trace alone: ids that it made, and ids that an earlier statement returned."""
        if isinstance(value, list | tuple):
            kind, parts = type(value), [self._of_one(trace, part) for part in value]
            return lambda run: kind([part(run) for part in parts])
        if not isinstance(value, UUID):
            return lambda run: value
        place = next((at for at, found in self._earlier[trace].items() if _is_same(found, value)), None)
        is_made = _is_younger(value, self._traces[trace].started)
        if place is None and not is_made:
            return lambda run: value
        self._is_known = False
        return partial(_returned_now, *place) if place else lambda run: _made_now(value, run)

    def _changing(self, values: list[Any]) -> Make:
        found = self._find_returned(values)
        fresh = partial(_returned_now, *found) if found else self._fresh(values)
        if fresh is None:
            return lambda run: values[run.trace]
        self._is_known = False
        return fresh

    def _find_returned(self, values: list[Any]) -> tuple[int, int, int] | None:
        """Statement, row and column that returned this value in every trace."""
        for place, value in self._earlier[0].items():
            if _is_same(value, values[0]) and all(
                _is_same(earlier.get(place), wanted) for earlier, wanted in zip(self._earlier, values, strict=True)
            ):
                return place
        return None

    def _fresh(self, values: list[Any]) -> Make | None:
        if all(isinstance(value, datetime) for value in values):
            return lambda run: datetime.now(UTC)
        if any(str(value).lower() in sent for value, sent in zip(values, self._requests, strict=True)):
            return None
        if all(isinstance(value, UUID) for value in values):
            return lambda run: _made_now(values[run.trace], run)
        if all(type(value) is int for value in values) and all(one < other for one, other in pairwise(values)):
            return lambda run: next(self._numbers)
        return None


def _is_same(one: Any, other: Any) -> bool:
    is_alike = type(one) is type(other) or (isinstance(one, UUID) and isinstance(other, UUID))
    return is_alike and bool(one == other)


def _made_now(before: UUID, run: Run) -> UUID:
    if before not in run.made:
        run.made[before] = new_id()
    return run.made[before]


def _is_younger(id: UUID, milliseconds: int) -> bool:
    return id.version == 7 and id.int >> 80 >= milliseconds


def _returned(statements: Sequence[Statement]) -> dict[tuple[int, int, int], Any]:
    """Every value the statements returned, by statement, row and column (row -1: not in a list; column -1: alone)."""
    return {
        (place, row, column): value
        for place, statement in enumerate(statements)
        if not statement.method.startswith("execute")
        for row, column, value in _cells(statement.result)
    }


def _cells(result: Any) -> Iterator[tuple[int, int, Any]]:
    rows = enumerate(result) if isinstance(result, list) else [(-1, result)]
    for row, found in rows:
        if isinstance(found, Record):
            yield from ((row, column, value) for column, value in enumerate(found.values()))
        else:
            yield row, -1, found


def _returned_now(statement: int, row: int, column: int, run: Run) -> Any:
    found = run.results[statement]
    if row >= 0:
        found = found[row]
    return found if column < 0 else found[column]
