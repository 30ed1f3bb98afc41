"""Runs are searched and added once, whatever happens to the workers. Each test ends what it started."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.conftest import Crew
from tests.research.lab import Json, Lab, exports, of, section
from tests.waiting import until

pytestmark = pytest.mark.slow

SECONDS = 60
HEARTBEAT = 2.0
COUNTS = """
SELECT ARRAY[(SELECT count(*) FROM research_sources WHERE workspace_id = $1),
             (SELECT count(*) FROM research_findings WHERE workspace_id = $1),
             (SELECT count(*) FROM signals WHERE workspace_id = $1)]::int[]"""


class Searchers(Crew):
    module = "tests.research.worker_process"


@pytest.fixture
def crew(database_url: str, tmp_path: Path) -> Iterator[Crew]:
    crew = Searchers(database_url, tmp_path)
    yield crew
    crew.end()


async def until_status(lab: Lab, brief_id: str, status: str) -> Json:
    async def has_it() -> bool:
        return bool((await lab.progress(brief_id))["status"] == status)

    await until(has_it, SECONDS)
    return await lab.progress(brief_id)


async def until_added(lab: Lab, brief_id: str) -> Json:
    async def is_added() -> bool:
        return bool((await lab.progress(brief_id))["addition"]["status"] == "completed")

    await until(is_added, SECONDS)
    return await lab.progress(brief_id)


async def test_when_its_worker_is_killed_another_searches_the_run_once(lab: Lab, crew: Crew) -> None:
    started = await lab.start(section(), exports())
    first = crew.worker(HEARTBEAT)
    await crew.until_started(first)
    second = crew.worker(HEARTBEAT)
    first.kill()
    await crew.until_started(first, second)
    assert (await lab.progress(started["briefId"]))["status"] == "running"
    crew.open_gate()
    run = await until_status(lab, started["briefId"], "completed")
    assert [one["findingCount"] for one in run["sections"]] == [2, 1]
    assert await lab.sql(COUNTS) == [3, 3, 0]
    await lab.add(run)
    run = await until_added(lab, started["briefId"])
    assert await lab.sql(COUNTS) == [3, 3, 3]
    assert (len(set(run["addition"]["signalIds"])), await lab.credits()) == (3, 13)


async def test_a_worker_frozen_past_its_heartbeat_stores_nothing(lab: Lab, crew: Crew) -> None:
    started = await lab.start()
    first = crew.worker(HEARTBEAT)
    await crew.until_started(first)
    first.send_signal(signal.SIGSTOP)
    second = crew.worker(HEARTBEAT)
    await crew.until_started(first, second)
    crew.open_gate()
    await until_status(lab, started["briefId"], "completed")
    first.send_signal(signal.SIGCONT)
    await crew.until_said("Job left to another worker")
    assert await lab.sql(COUNTS) == [2, 2, 0]
    assert await lab.credits() == 5


async def test_a_stop_reaches_a_worker_in_mid_search(lab: Lab, crew: Crew) -> None:
    started = await lab.start(section(), exports())
    worker = crew.worker(HEARTBEAT)
    await crew.until_started(worker)
    await lab.run("stop", **of(started["run"]))
    await crew.until_said("Job done")  # though the gate is closed
    run = await lab.progress(started["briefId"])
    assert (run["status"], await lab.sql(COUNTS), await lab.credits()) == ("stopped", [0, 0, 0], 0)
    await lab.run("retry", **of(started["run"]))
    crew.open_gate()
    await until_status(lab, started["briefId"], "completed")


async def test_several_workers_share_the_runs(lab: Lab, crew: Crew) -> None:
    crew.open_gate()
    briefs = [(await lab.start(section(), exports()))["briefId"] for _ in range(5)]
    for _ in range(2):
        crew.worker(HEARTBEAT)
    for brief_id in briefs:
        run = await until_status(lab, brief_id, "completed")
        assert [one["findingCount"] for one in run["sections"]] == [2, 1]
    assert await lab.sql(COUNTS) == [15, 15, 0]
