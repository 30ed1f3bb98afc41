"""Commands that come together: whatever wins, credits and states agree afterwards."""

import asyncio
import random

import pytest

from tests.research.lab import Json, Lab, code, exports, of, section
from tests.waiting import linger

RESERVED = "SELECT ai_credits_reserved FROM plans WHERE workspace_id = $1"
OF_RUNS = "SELECT coalesce(sum(credits_reserved), 0) FROM research_runs WHERE workspace_id = $1"
OPEN = """
SELECT count(*) FROM research_sections AS s
  JOIN research_runs AS r ON r.workspace_id = $1 AND r.id = s.run_id
 WHERE s.workspace_id = $1 AND s.status IN ('queued', 'running') AND r.status NOT IN ('queued', 'running')"""


async def holds(lab: Lab) -> None:
    """Nothing is reserved that no run accounts for, and no section is open in a run that has ended."""
    assert await lab.sql(RESERVED) == await lab.sql(OF_RUNS)
    assert await lab.sql(OPEN) == 0


async def test_one_addition_comes_of_many_requests(lab: Lab) -> None:
    run = await lab.searched()
    answers = await asyncio.gather(*(lab.add(run, product) for product in ("app", "site") * 4))
    codes = sorted(code(answer) for answer in answers)
    assert codes == [(200, "")] * 4 + [(409, "DESTINATION_UNAVAILABLE")] * 4
    assert await lab.credits() == 7
    await lab.deliver(run)
    await holds(lab)


async def test_one_retry_comes_of_many_requests(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.run("stop", **of(started["run"]))
    answers = await asyncio.gather(*(lab.run("retry", **of(started["run"])) for _ in range(6)))
    assert sorted(code(answer) for answer in answers) == [(200, "")] + [(409, "INCOMPATIBLE_RUN")] * 5
    assert await lab.credits() == 10
    await holds(lab)


async def test_one_change_of_state_comes_of_many_requests(lab: Lab) -> None:
    run = await lab.added()
    await lab.update("keep", **of(run), runPolicy="daily")
    answers = await asyncio.gather(*(lab.update("pause", briefId=run["briefId"]) for _ in range(6)))
    assert {answer.json()["brief"]["rowVersion"] for answer in answers} == {3}


@pytest.mark.parametrize("seed", range(4))
async def test_credits_and_states_agree_after_any_order(lab: Lab, seed: int) -> None:
    """Searching, stopping, retrying, adding and ticking at the same time; no request fails for another reason."""
    dice = random.Random(seed)
    run = (await lab.start(section(), exports()))["run"]

    async def act(action: str) -> None:
        await linger(dice, 0.1)
        if action == "search":
            await lab.search(run)
        elif action == "deliver":
            await lab.deliver(run)
        else:
            answer = await (lab.add(run) if action == "add" else lab.run(action, **of(run)))
            assert answer.status_code in (200, 409), answer.text

    actions = ["search", "stop", "retry", "add", "deliver"] * 3
    await asyncio.gather(*(act(action) for action in dice.sample(actions, len(actions))))
    await holds(lab)
    await settle(lab, run)
    await holds(lab)
    assert await lab.sql(RESERVED) == 0


async def settle(lab: Lab, run: Json) -> None:
    """Does what is left of the jobs."""
    await lab.search(run)
    await lab.deliver(run)
