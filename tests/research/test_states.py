"""Every cell of the two tables of states. Decisions: Research."""

from typing import Any

import pytest

from tests.research.lab import Json, Lab, code, exports, of, section

DENIED = (409, "SCHEDULE_NOT_ALLOWED")
INCOMPATIBLE = (409, "INCOMPATIBLE_RUN")
ACTIONS = ("start", "keep", "schedule", "pause", "resume", "archive")
# The state afterwards, or the refusal.
BRIEFS: dict[str, tuple[Any, ...]] = {
    #           start     keep      schedule  pause     resume    archive
    "draft": ("draft", "active", DENIED, DENIED, DENIED, DENIED),
    "active": ("active", "active", "active", "paused", "active", DENIED),
    "paused": ("paused", "active", DENIED, "paused", "active", "archived"),
    "archived": (DENIED, DENIED, DENIED, DENIED, DENIED, "archived"),
}
UNCHANGED = {("active", "resume"), ("paused", "pause"), ("archived", "archive")}
CELLS = [(state, action, row[n]) for state, row in BRIEFS.items() for n, action in enumerate(ACTIONS)]


async def brief_in(lab: Lab, state: str) -> Json:
    """A run that was added to a product, of a brief in that state with a daily cadence."""
    run = await lab.added()
    if state != "draft":
        await lab.update("keep", **of(run), runPolicy="daily", timezone="Europe/Berlin")
    for action in {"paused": ["pause"], "archived": ["pause", "archive"]}.get(state, []):
        await lab.update(action, briefId=run["briefId"])
    return run


async def act(lab: Lab, action: str, run: Json, version: int) -> Any:
    if action == "start":
        return await lab.run("start", **lab.new(), briefId=run["briefId"], expectedRowVersion=version)
    fields = {"keep": {"runId": run["id"], "runPolicy": "weekly"}, "schedule": {"runPolicy": "weekly"}}.get(action, {})
    return await lab.update(action, briefId=run["briefId"], **fields)


@pytest.mark.parametrize(("state", "action", "expected"), CELLS)
async def test_a_brief_changes_as_the_table_says(lab: Lab, state: str, action: str, expected: Any) -> None:
    run = await brief_in(lab, state)
    before = await lab.brief(run["briefId"])
    assert before["state"] == state
    answer = await act(lab, action, run, before["rowVersion"])
    after = await lab.brief(run["briefId"])
    if expected == DENIED:
        assert code(answer) == DENIED
        assert (after, answer.json()["currentState"]) == (before, state)
        return
    assert answer.status_code == 200, answer.text
    assert (after["state"], after["configuration"]["state"]) == (expected, expected)
    changed = 0 if (state, action) in UNCHANGED else 1
    assert after["rowVersion"] == before["rowVersion"] + changed
    if not changed:
        assert after == before
    if action in ("keep", "schedule"):
        assert after["cadence"]["runPolicy"] == "weekly"
    runs_by_itself = after["state"] == "active" and after["cadence"]["runPolicy"] != "on_demand"
    assert (after["nextRunAt"] is not None) is runs_by_itself


RUN_ACTIONS = ("add", "retry", "retry_addition", "stop")
OK = (200, "")
# With a section that failed beside a completed one, `partly` added or not.
RUNS: dict[str, tuple[Any, ...]] = {
    #                     add           retry         retry_addition stop
    "queued": (INCOMPATIBLE, INCOMPATIBLE, INCOMPATIBLE, OK),
    "running": (INCOMPATIBLE, INCOMPATIBLE, INCOMPATIBLE, OK),
    "completed": (OK, INCOMPATIBLE, INCOMPATIBLE, INCOMPATIBLE),
    "completed with failed sections": (OK, OK, INCOMPATIBLE, INCOMPATIBLE),
    "completed, addition failed": (OK, INCOMPATIBLE, OK, INCOMPATIBLE),
    "failed": (INCOMPATIBLE, OK, INCOMPATIBLE, OK),
    "failed with a sealed section": (OK, OK, INCOMPATIBLE, OK),
    "stopped": (INCOMPATIBLE, OK, INCOMPATIBLE, OK),
    "stopped with a sealed section": (OK, OK, INCOMPATIBLE, OK),
    "stopped, addition failed": (OK, OK, OK, OK),
}
RUN_CELLS = [(state, action, row[n]) for state, row in RUNS.items() for n, action in enumerate(RUN_ACTIONS)]
SET_SECTION = "UPDATE research_sections SET status = $3 WHERE workspace_id = $1 AND run_id = $2 AND position = 1"


async def run_in(lab: Lab, state: str) -> Json:
    """A run in that state. Where it needs an accident, the rows are written by the test."""
    status = state.split(" ")[0].rstrip(",")
    if status in ("queued", "running"):
        started = await lab.start()
        await set_run(lab, started["run"], status)
        return await lab.progress(started["briefId"])
    has_sealed = status == "completed" or "sealed" in state or "addition" in state
    run = await lab.searched(section(), exports()) if has_sealed else (await lab.start())["run"]
    await set_run(lab, run, status)
    if not has_sealed:
        await lab.sql(SET_SECTION.replace("= 1", "= 0"), run["id"], status)
    if "section" in state or status == "stopped":
        await lab.sql(SET_SECTION, run["id"], "failed" if status == "completed" else status)
    if "addition" in state:
        await lab.sql(
            "UPDATE research_runs SET addition_status = 'failed', addition_product_id = $3"
            " WHERE workspace_id = $1 AND id = $2",
            run["id"],
            (await lab.products())["app"],
        )
    return await lab.progress(run["briefId"])


async def set_run(lab: Lab, run: Json, status: str) -> None:
    await lab.sql("UPDATE research_runs SET status = $3 WHERE workspace_id = $1 AND id = $2", run["id"], status)


@pytest.mark.parametrize(("state", "action", "expected"), RUN_CELLS)
async def test_a_run_changes_as_the_table_says(lab: Lab, state: str, action: str, expected: tuple[int, str]) -> None:
    run = await run_in(lab, state)
    assert run["status"] == state.split(" ")[0].rstrip(",")
    answer = await (lab.add(run) if action == "add" else lab.run(action, **of(run)))
    assert code(answer) == expected, answer.text
    if expected == INCOMPATIBLE:
        assert (answer.json()["currentStatus"], await lab.progress(run["briefId"])) == (run["status"], run)
        return
    after = answer.json()["run"]
    assert after == await lab.progress(run["briefId"])
    if action == "stop":
        assert after["status"] == ("stopped" if run["status"] in ("queued", "running") else run["status"])
    elif action == "retry":
        assert (after["status"], after["sections"][-1]["status"]) == ("queued", "queued")
    else:
        is_kept = action == "add" and "addition" in state
        assert after["addition"]["status"] == ("failed" if is_kept else "queued")
