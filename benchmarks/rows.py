"""The table of rows: what is measured, in this order."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks import operations as api
from benchmarks.client import ask
from benchmarks.limits import Ask, Limit
from benchmarks.mixed import beside_jobs
from benchmarks.portal import portal_list, portal_vote
from benchmarks.regenerations import regenerate
from benchmarks.research import pages, sections
from benchmarks.rounds import Case
from benchmarks.stage import Stage
from benchmarks.world import World

SAMPLED = 25  # answers, of which the one of median length is repeated
WARM_SECONDS = 0.1

AsksOf = Callable[[World], Sequence[Ask]]
RequestsOf = Callable[[World], Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Row:
    """`aims` are ratios to reach first and then. Rows that are not quick are left out when time is short.

    It has `rounds` rounds, or as many as the plan says, if those are fewer. Two commits are compared by `requests`.
    """

    name: str
    prepare: Callable[[Stage], Awaitable[Case]]
    connections: tuple[int, ...] = (1, 32)
    processes: int = 1
    asks: AsksOf | None = None
    requests: RequestsOf | None = None
    aims: tuple[float, float] | None = None
    is_quick: bool = True
    rounds: int = 5


async def _operation(asks_of: AsksOf, stage: Stage) -> Case:
    """Beside an operation are a constant answer of the same size, and the operation's statements."""
    asks = asks_of(stage.world)
    requests = [one.request for one in asks]
    answers = [await ask(stage.ours.port, request) for request in requests[:SAMPLED]]
    answer = sorted(answers, key=lambda one: len(one.body))[len(answers) // 2]
    await stage.repeat(answer)
    limit = Limit(stage.db, asks)
    details = {"statements": await limit.prepare(), "bytes": len(answer.body)}
    parts = {"constant": stage.send_to(stage.constant, requests), "statements": limit.measure}
    return await _warm_up(Case(stage.send_to(stage.ours, requests), parts, details))


async def _without_limit(requests_of: RequestsOf, stage: Stage) -> Case:
    return await _warm_up(Case(stage.send_to(stage.ours, requests_of(stage.world))))


async def _warm_up(case: Case) -> Case:
    for measure in (case.ours, *case.limit.values()):
        await measure(1, WARM_SECONDS)
    return case


READ, WRITE = (0.58, 0.70), (0.65, 0.70)


def _row(name: str, asks: AsksOf, aims: tuple[float, float] = WRITE, *, is_quick: bool = True) -> Row:
    requests = partial(_requests, asks)
    return Row(name, partial(_operation, asks), asks=asks, requests=requests, aims=aims, is_quick=is_quick)


def _requests(asks_of: AsksOf, world: World) -> Sequence[bytes]:
    return [ask.request for ask in asks_of(world)]


def _read(name: str, path: str, aims: tuple[float, float] = READ, *, is_quick: bool = True) -> Row:
    return _row(name, partial(api.read, path), aims, is_quick=is_quick)


def _alone(name: str, requests: RequestsOf, *, is_quick: bool = True) -> Row:
    """Without a limit: a page cannot be had from statements alone."""
    return Row(name, partial(_without_limit, requests), requests=requests, is_quick=is_quick)


_EFFORT = "metric=effort&submittedFrom=2024-01-02"

# First what needs idle workers, last what writes: the others find the workspace as it was loaded.
ROWS = (
    Row("regenerate_document_1_worker", partial(regenerate, workers=1), (8,), rounds=3),
    Row("regenerate_document_3_workers", partial(regenerate, workers=3), (8,), processes=3, rounds=3),
    _read("get_idea", "ideas/{idea}", (0.60, 0.75)),
    _read("list_ideas", "ideas?limit=20"),
    _read("list_ideas_filtered", "ideas?limit=20&sourceKey={source}"),
    _read("list_ideas_classified", "ideas?limit=20&include=classifications"),
    _read("list_ideas_deep", "ideas?limit=20&offset={deep}"),
    _read("list_ideas_after", "ideas?limit=20&after={late_idea}", is_quick=False),
    _read("list_initiatives", "initiatives?limit=20"),
    _read("list_signals", "signals?limit=100"),
    _read("list_study_feedback", "studies/feedback?limit=100"),
    _read("list_signals_filtered", "signals?limit=100&status=failed&sourceType=helpdesk", is_quick=False),
    _read("list_signals_of_account", "signals?limit=100&accountId={account}", is_quick=False),
    _read("list_signals_changed", "signals?limit=100&updatedSince=2024-01-01", is_quick=False),
    _read("list_signals_deep", "signals?limit=100&offset={late}", is_quick=False),
    _read("list_signals_after", "signals?limit=100&after={late_signal}", is_quick=False),
    _read("list_study_feedback_filtered", f"studies/feedback?limit=100&{_EFFORT}", is_quick=False),
    _read("list_study_feedback_deep", "studies/feedback?limit=100&offset={late}", is_quick=False),
    _read("list_study_feedback_after", "studies/feedback?limit=100&after={late_rating}", is_quick=False),
    _row("patch_idea", api.patch_idea),
    _row("set_idea_status", api.set_idea_status),
    _row("create_idea", api.create_idea),
    _row("create_idea_matched", api.create_idea_matched),
    _row("patch_initiative", api.patch_initiative),
    _row("create_initiative", api.create_initiative),
    _alone("create_idea_with_features", api.create_idea_with_features, is_quick=False),
    _alone("portal_list", portal_list),
    _alone("portal_vote", portal_vote),
    Row("requests_beside_jobs", beside_jobs, (8,), is_quick=False),
    Row("research_sections", lambda stage: sections(stage.plan.sections), (4,), is_quick=False, rounds=1),
    Row("research_pages", lambda stage: pages(stage.plan.pages), (4,), is_quick=False, rounds=1),
)
