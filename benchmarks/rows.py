"""The table of rows: what is measured, in this order."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks import operations as api
from benchmarks.client import ask
from benchmarks.limits import Ask, Limit
from benchmarks.portal import portal_list, portal_vote
from benchmarks.regenerations import regenerate
from benchmarks.research import pages, sections
from benchmarks.rounds import Case
from benchmarks.stage import Stage
from benchmarks.world import World

SAMPLED = 25  # answers, of which the one of median length is repeated
WARM_SECONDS = 0.2

AsksOf = Callable[[World], Sequence[Ask]]


@dataclass(frozen=True, slots=True)
class Row:
    """`aims` are ratios to reach first and then. Rows that are not quick are left out when time is short."""

    name: str
    prepare: Callable[[Stage], Awaitable[Case]]
    connections: tuple[int, ...] = (1, 32)
    processes: int = 1
    asks: AsksOf | None = None
    aims: tuple[float, float] | None = None
    is_quick: bool = True


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


async def _portal(requests_of: Callable[[World], Sequence[bytes]], stage: Stage) -> Case:
    """There is no limit beside a page: it cannot be had from statements alone."""
    return await _warm_up(Case(stage.send_to(stage.ours, requests_of(stage.world))))


async def _warm_up(case: Case) -> Case:
    for measure in (case.ours, *case.limit.values()):
        await measure(1, WARM_SECONDS)
    return case


READ, WRITE = (0.58, 0.70), (0.65, 0.70)


def _row(asks: AsksOf, aims: tuple[float, float] = READ, *, is_quick: bool = True) -> Row:
    return Row(asks.__name__, partial(_operation, asks), asks=asks, aims=aims, is_quick=is_quick)


# First what needs idle workers, last what writes: the others find the workspace as it was loaded.
ROWS = (
    Row("regenerate_document_1_worker", partial(regenerate, workers=1), (8,)),
    Row("regenerate_document_3_workers", partial(regenerate, workers=3), (8,), processes=3),
    _row(api.get_idea, (0.60, 0.75)),
    _row(api.list_ideas),
    _row(api.list_ideas_filtered),
    _row(api.list_ideas_classified),
    _row(api.list_ideas_deep),
    _row(api.list_initiatives),
    _row(api.list_signals),
    _row(api.list_study_feedback),
    _row(api.list_signals_filtered, is_quick=False),
    _row(api.list_signals_of_account, is_quick=False),
    _row(api.list_signals_changed, is_quick=False),
    _row(api.list_signals_deep, is_quick=False),
    _row(api.list_signals_after, is_quick=False),
    _row(api.list_study_feedback_filtered, is_quick=False),
    _row(api.list_study_feedback_deep, is_quick=False),
    _row(api.list_study_feedback_after, is_quick=False),
    _row(api.patch_idea, WRITE),
    _row(api.set_idea_status, WRITE),
    _row(api.create_idea, WRITE),
    _row(api.create_idea_matched, WRITE),
    _row(api.patch_initiative, WRITE),
    _row(api.create_initiative, WRITE),
    Row("portal_list", partial(_portal, portal_list)),
    Row("portal_vote", partial(_portal, portal_vote)),
    Row("research_sections", lambda stage: sections(stage.plan.sections), (4,), is_quick=False),
    Row("research_pages", lambda stage: pages(stage.plan.pages), (4,), is_quick=False),
)
