"""AI credits: reserved when work is queued, used when it is done, returned when it is not. Decisions: Research."""

import asyncio
from collections import Counter

import pytest

from sightline.workspace_file import FileRefused
from tests.research.lab import Lab, code, exports, of, section
from tests.workspace_file.files import exported

USED = "SELECT ai_credits_used FROM plans WHERE workspace_id = $1"
RESERVED = "SELECT ai_credits_reserved FROM plans WHERE workspace_id = $1"
OF_RUNS = "SELECT sum(credits_reserved) FROM research_runs WHERE workspace_id = $1"
QUESTION = "How do competitors forecast demand?"


async def account(lab: Lab) -> tuple[int, int]:
    """Used and reserved; what runs have reserved is what the plan has."""
    reserved = await lab.sql(RESERVED)
    assert (await lab.sql(OF_RUNS) or 0) == reserved
    return await lab.sql(USED), reserved


async def limit(lab: Lab, credits: int | None) -> None:
    await lab.world.add({"plan": {"aiCredits": credits}})


async def test_each_section_costs_five_and_each_source_one(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    assert await account(lab) == (0, 10)
    await lab.search(started["run"])
    assert await account(lab) == (10, 0)
    await lab.add(started["run"])
    assert await account(lab) == (10, 3)
    await lab.deliver(started["run"])
    assert await account(lab) == (13, 0)


async def test_a_failed_section_costs_nothing_until_it_is_retried(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.fail_all()
    await lab.search(started["run"])
    assert await account(lab) == (0, 0)
    await lab.run("retry", **of(started["run"]))
    assert await account(lab) == (0, 10)
    lab.shelf.failures = []
    await lab.search(started["run"])
    assert await account(lab) == (10, 0)


async def test_a_stop_returns_what_is_not_sealed(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.run("stop", **of(started["run"]))
    assert await account(lab) == (0, 0)
    await lab.run("stop", **of(started["run"]))
    assert await account(lab) == (0, 0)


async def test_a_plan_costs_one(lab: Lab) -> None:
    assert code(await lab.run("prepare", question=QUESTION)) == (200, "")
    assert await account(lab) == (1, 0)


async def test_without_credits_nothing_is_queued(lab: Lab) -> None:
    run = await lab.searched()
    await lab.sql("UPDATE research_sections SET status = 'failed' WHERE workspace_id = $1 AND run_id = $2", run["id"])
    await limit(lab, 5)
    for answer in (
        await lab.run("prepare", question=QUESTION),
        await lab.run("start", **lab.new()),
        await lab.run("retry", **of(run)),
    ):
        problem = answer.json()
        assert (code(answer), problem["used"], problem["limit"]) == ((402, "CREDITS_EXHAUSTED"), 5, 5)
    assert await account(lab) == (5, 0)
    assert (await lab.client.get("/research")).json()["pagination"]["total"] == 1
    await limit(lab, 10)
    assert code(await lab.run("start", **lab.new())) == (200, "")


async def test_an_addition_needs_a_credit_for_each_source(lab: Lab) -> None:
    run = await lab.searched()
    await limit(lab, 6)
    answer = await lab.add(run)
    assert (code(answer), answer.json()["used"]) == ((402, "CREDITS_EXHAUSTED"), 5)
    assert (await lab.progress(run["briefId"]))["addition"] is None
    await limit(lab, 7)
    assert code(await lab.add(run)) == (200, "")


async def test_the_request_id_is_looked_at_before_the_credits_and_the_version_after_them(lab: Lab) -> None:
    new = lab.new()
    started = (await lab.run("start", **new)).json()
    await limit(lab, 5)
    assert code(await lab.run("start", **new)) == (200, "")
    assert code(await lab.run("start", **{**new, "name": "Other"})) == (409, "REQUEST_ID_REUSED")
    stale = {"briefId": started["briefId"], "expectedRowVersion": 7}
    assert code(await lab.run("start", **lab.new(), **stale)) == (402, "CREDITS_EXHAUSTED")


async def test_concurrent_starts_never_spend_more_than_there_is(lab: Lab) -> None:
    await limit(lab, 17)
    answers = await asyncio.gather(*(lab.run("start", **lab.new()) for _ in range(8)))
    counted = Counter(code(answer) for answer in answers)
    assert counted == {(200, ""): 3, (402, "CREDITS_EXHAUSTED"): 5}
    assert await account(lab) == (0, 15)


async def test_credits_come_back_when_research_is_removed_while_it_runs(lab: Lab) -> None:
    await lab.start(section(), exports())
    added = await lab.searched()
    await lab.add(added)
    assert await lab.credits() == 10 + 5 + 2
    await lab.world.add(research=[], prune=["research"])
    assert await lab.credits() == 5


async def test_a_file_changes_no_run_that_a_worker_is_at(lab: Lab) -> None:
    """Otherwise what the run has reserved would stay reserved."""
    run = await lab.searched(section(), exports())
    await lab.sql(
        "UPDATE research_sections SET status = 'failed', sealed_at = NULL"
        " WHERE workspace_id = $1 AND run_id = $2 AND position = 1",
        run["id"],
    )
    before = await exported(lab.world.database, lab.world.slug)
    await lab.run("retry", **of(run))
    with pytest.raises(FileRefused, match="Has not ended here"):
        await lab.world.add(research=before["research"])
    await lab.search(run)
    await lab.add(run)
    with pytest.raises(FileRefused, match="are being added"):
        await lab.world.add(research=before["research"])
    await lab.deliver(run)
    await lab.world.add(research=before["research"])
    assert (await account(lab))[1] == 0
