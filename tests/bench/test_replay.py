"""What is learnt of the arguments of statements. A connection here only notes what it is asked to run."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from sightline.bench.capture import Statement, Trace
from sightline.bench.failure import BenchFailed
from sightline.bench.replay import FAR_ABOVE, Replay, learn, rows_in
from sightline.bench.wire import Answer, Request
from sightline.platform.ids import new_id

ANSWER = Answer(200, [], b"")
STARTED = 0
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)


class Connection:
    """Returns the next of a list of results."""

    def __init__(self, *results: Any) -> None:
        self._results = iter(results)
        self.ran: list[tuple[str, tuple[Any, ...]]] = []

    async def fetchval(self, query: str, *arguments: Any, **_: Any) -> Any:
        self.ran.append((query, arguments))
        return next(self._results)

    fetch = fetchrow = execute = fetchval


def a_trace(*statements: Statement, target: str = "/ideas") -> Trace:
    return Trace(Request("POST", target), STARTED, ANSWER, list(statements))


def ran(*arguments: Any, result: Any = None, query: str = "SELECT", method: str = "fetchval") -> Statement:
    return Statement(method, query, arguments, {}, result)


async def arguments_of(replay: Replay, trace: int = 0, *results: Any) -> list[tuple[Any, ...]]:
    connection = Connection(*results, *[None] * len(replay.steps))
    await replay.once(connection, trace)
    return [tuple(arguments) for _, arguments in connection.ran]


async def test_what_is_the_same_in_all_traces_stays() -> None:
    workspace = uuid4()
    replay = learn([a_trace(ran(workspace, "idea", None, [1, 2])) for _ in range(3)])
    assert await arguments_of(replay) == [(workspace, "idea", None, [1, 2])]
    assert replay.steps[0].made == []


async def test_what_the_caller_sent_stays_with_its_trace() -> None:
    ids = [uuid4() for _ in range(3)]
    replay = learn([a_trace(ran(id, f"text {id}"), target=f"/ideas/{id}") for id in ids])
    assert await arguments_of(replay, 1) == [(ids[1], f"text {ids[1]}")]


async def test_an_id_the_operation_made_is_made_anew_once_a_replay() -> None:
    made = [uuid4() for _ in range(3)]
    replay = learn([a_trace(ran(id), ran(id, [id, uuid4()], query="INSERT")) for id in made])
    (first,), (second, nested) = await arguments_of(replay)
    assert isinstance(first, UUID)
    assert first not in made
    assert first == second == nested[0] != nested[1]
    assert (await arguments_of(replay))[0] != (first,)


async def test_in_lists_of_any_length_young_ids_are_made_anew() -> None:
    old, young = uuid4(), [new_id() for _ in range(3)]
    replay = learn([a_trace(ran([(id, old)] * times)) for times, id in enumerate(young)])
    ((pairs,),) = await arguments_of(replay, 2)
    assert pairs[0] == pairs[1] != (young[2], old)
    assert pairs[0][1] == old
    assert await arguments_of(replay, 0) == [([],)]


async def test_what_an_earlier_statement_returned_is_taken_from_what_it_returns_now() -> None:
    replay = learn([a_trace(ran(result=number), ran(number, query="INSERT")) for number in (7, 9, 8)])
    assert await arguments_of(replay, 0, 4711) == [(), (4711,)]


async def test_a_list_is_taken_from_the_rows_of_an_earlier_statement() -> None:
    pages = [[uuid4(), uuid4()] for _ in range(3)]
    replay = learn([a_trace(ran(result=page, method="fetch"), ran(list(page), query="ROWS")) for page in pages])
    now = [uuid4(), uuid4()]
    assert await arguments_of(replay, 0, now) == [(), (now,)]


async def test_a_moment_is_now_and_a_growing_number_is_counted_on() -> None:
    moments = [FIRST_DAY + timedelta(seconds=number) for number in range(3)]
    replay = learn([a_trace(ran(moment, number)) for number, moment in enumerate(moments)])
    ((moment, number),) = await arguments_of(replay)
    assert datetime.now(UTC) - moment < timedelta(minutes=1)
    assert number >= FAR_ABOVE
    assert (await arguments_of(replay))[0][1] == number + 1


async def test_a_number_that_does_not_grow_stays_with_its_trace() -> None:
    replay = learn([a_trace(ran(slot)) for slot in (3, 15, 0)])
    assert await arguments_of(replay, 2) == [(0,)]


async def test_traces_of_other_statements_are_left_out() -> None:
    rare = a_trace(ran(query="SELECT key"), ran())
    replay = learn([a_trace(ran()), rare, a_trace(ran()), a_trace(ran())])
    assert (len(replay.steps), replay.traces, replay.share) == (1, 3, 0.75)


@pytest.mark.parametrize(
    "traces", [[a_trace(), a_trace()], [a_trace(ran())], [a_trace(ran()), a_trace(ran(query="B"))]]
)
def test_nothing_is_learnt_from_too_little(traces: list[Trace]) -> None:
    with pytest.raises(BenchFailed):
        learn(traces)


async def test_a_replay_that_does_other_work_is_refused() -> None:
    replay = learn([a_trace(ran(number, result="UPDATE 1", method="execute")) for number in (5, 3, 4)])
    await replay.check(Connection(*["UPDATE 1"] * 3))
    with pytest.raises(BenchFailed, match="3 of 3 replays"):
        await replay.check(Connection(*["UPDATE 0"] * 3))


@pytest.mark.parametrize(
    ("result", "rows"), [(None, 0), ([], 0), ([1, 2], 2), ("INSERT 0 3", 3), ("UPDATE 0", 0), ("COMMIT", 1), (17, 1)]
)
def test_rows_are_counted_from_any_result(result: Any, rows: int) -> None:
    assert rows_in(result) == rows
