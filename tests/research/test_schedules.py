"""Research that runs by itself: each slot once, one late run after an outage, none without credits."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.research.lab import Json, Lab, code, faults, of

DAY = timedelta(days=1)
SLOTS = """
SELECT array_agg(slot ORDER BY slot) FROM research_runs
 WHERE workspace_id = $1 AND brief_id = $2 AND slot IS NOT NULL"""


async def kept(lab: Lab, policy: str = "daily", **fields: Any) -> Json:
    """A run of a brief that is active with that cadence."""
    run = await lab.added()
    answer = await lab.update("keep", **of(run), runPolicy=policy, **fields)
    assert answer.status_code == 200, answer.text
    return run


async def due_at(lab: Lab, run: Json) -> datetime:
    return datetime.fromisoformat((await lab.brief(run["briefId"]))["nextRunAt"])


async def due_from(lab: Lab, run: Json, moment: datetime) -> None:
    move = "UPDATE research_briefs SET next_run_at = $3 WHERE workspace_id = $1 AND id = $2"
    await lab.sql(move, run["briefId"], moment)


async def runs(lab: Lab, run: Json) -> list[Json]:
    """The newest first."""
    found: list[Json] = (await lab.view(run["briefId"], "runs", limit=50))["items"]
    return found


async def test_a_brief_that_is_due_runs_once_and_waits_for_its_next_slot(lab: Lab) -> None:
    run = await kept(lab, timezone="Europe/Berlin")
    slot = await due_at(lab, run)
    await lab.tick(slot - timedelta(minutes=1))
    assert len(await runs(lab, run)) == 1
    for _ in range(3):
        await lab.tick(slot + timedelta(seconds=30))
    scheduled, _ = await runs(lab, run)
    assert (scheduled["trigger"], scheduled["status"]) == ("schedule", "queued")
    assert timedelta(hours=23) <= await due_at(lab, run) - slot <= timedelta(hours=25)
    assert await lab.credits() == 7 + 5


async def test_workers_that_tick_together_start_one_run(lab: Lab) -> None:
    run = await kept(lab)
    slot = await due_at(lab, run)
    await asyncio.gather(*(lab.tick(slot + timedelta(seconds=1)) for _ in range(6)))
    assert len(await runs(lab, run)) == 2


async def test_after_an_outage_there_is_one_late_run(lab: Lab) -> None:
    run = await kept(lab, "daily")
    late = await due_at(lab, run) + 5 * DAY + timedelta(hours=3)
    await lab.tick(late)
    scheduled, _ = await runs(lab, run)
    await lab.search(scheduled, lab.at(late))
    await lab.tick(late + timedelta(minutes=1))
    assert len(await runs(lab, run)) == 2
    assert late < await due_at(lab, run) <= late + DAY


async def test_a_clock_that_is_set_back_repeats_no_slot(lab: Lab) -> None:
    run = await kept(lab)
    slot = await due_at(lab, run)
    await lab.tick(slot)
    await lab.search((await runs(lab, run))[0], lab.at(slot))
    await lab.sql(
        "UPDATE research_briefs SET next_run_at = $3 WHERE workspace_id = $1 AND id = $2", run["briefId"], slot
    )
    await lab.tick(slot + timedelta(minutes=2))
    assert len(await runs(lab, run)) == 2
    assert await due_at(lab, run) > slot


async def test_while_a_run_is_active_the_slot_waits(lab: Lab) -> None:
    run = await kept(lab)
    slot = await due_at(lab, run)
    version = (await lab.brief(run["briefId"]))["rowVersion"]
    started = (await lab.run("start", **lab.new(), briefId=run["briefId"], expectedRowVersion=version)).json()["run"]
    await lab.tick(slot + timedelta(minutes=1))
    assert len(await runs(lab, run)) == 2
    await lab.search(started)
    await lab.tick(slot + timedelta(minutes=2))
    assert [one["trigger"] for one in await runs(lab, run)] == ["schedule", "manual", "manual"]


async def test_a_scheduled_run_goes_on_where_the_last_one_ended(lab: Lab) -> None:
    run = await kept(lab)
    slot = await due_at(lab, run)
    await lab.tick(slot)
    scheduled, before = await runs(lab, run)
    await lab.search(scheduled, lab.at(slot))
    last, this = [await lab.view(run["briefId"], "run", runId=one["id"]) for one in (before, scheduled)]
    assert this["fromDateTime"][:10] == last["toDateTime"][:10]
    assert this["fromDateTime"].endswith("T00:00:00.000Z")
    assert timedelta(0) <= datetime.fromisoformat(this["toDateTime"]) - slot < timedelta(minutes=5)


async def test_a_scheduled_run_without_credits_is_failed_and_says_so(lab: Lab) -> None:
    run = await kept(lab)
    await lab.world.add({"plan": {"aiCredits": 7}})
    slot = await due_at(lab, run)
    await lab.tick(slot)
    scheduled, _ = await runs(lab, run)
    assert (scheduled["status"], [one["status"] for one in scheduled["sections"]]) == ("failed", ["failed"])
    assert "AI credits" in scheduled["failure"]
    assert scheduled["finishedAt"]
    assert await due_at(lab, run) == slot + DAY
    assert await lab.credits() == 7
    await lab.world.add({"plan": {"aiCredits": None}})
    await lab.run("retry", **of(scheduled))
    await lab.search(scheduled)
    assert (await runs(lab, run))[0]["status"] == "completed"


async def test_a_plan_that_is_not_valid_fails_its_run_and_no_other(lab: Lab) -> None:
    wrong, run = await kept(lab), await kept(lab)
    await lab.sql(
        "UPDATE research_briefs SET kept_definition = '{}' WHERE workspace_id = $1 AND id = $2", wrong["briefId"]
    )
    await lab.tick(await due_at(lab, run))
    assert "not valid" in (await runs(lab, wrong))[0]["failure"]
    assert (await runs(lab, run))[0]["status"] == "queued"


async def test_paused_research_and_research_on_demand_does_not_run(lab: Lab) -> None:
    paused, on_demand = await kept(lab), await kept(lab, "on_demand")
    slot = await due_at(lab, paused)
    await lab.update("pause", briefId=paused["briefId"])
    await lab.tick(slot + 30 * DAY)
    assert (len(await runs(lab, paused)), len(await runs(lab, on_demand))) == (1, 1)


async def test_resume_restores_the_cadence_and_its_zone(lab: Lab) -> None:
    run = await kept(lab, "weekly", timezone="Pacific/Auckland")
    before = await lab.brief(run["briefId"])
    await lab.update("pause", briefId=run["briefId"])
    paused = await lab.brief(run["briefId"])
    assert (paused["cadence"], paused["nextRunAt"]) == (before["cadence"], None)
    await lab.update("resume", briefId=run["briefId"])
    after = await lab.brief(run["briefId"])
    assert (after["cadence"], after["nextRunAt"]) == (before["cadence"], before["nextRunAt"])


async def test_a_cadence_without_a_zone_keeps_the_briefs_zone(lab: Lab) -> None:
    run = await kept(lab, "weekly", timezone="Asia/Tokyo")
    changed = (await lab.update("schedule", briefId=run["briefId"], runPolicy="daily")).json()["brief"]
    assert changed["cadence"] == {"runPolicy": "daily", "timezone": "Asia/Tokyo"}
    assert datetime.fromisoformat(changed["nextRunAt"]).hour == 21  # 06:00 in Tokyo
    changed = (await lab.update("schedule", briefId=run["briefId"], runPolicy="daily", timezone="UTC")).json()["brief"]
    assert (changed["cadence"]["timezone"], datetime.fromisoformat(changed["nextRunAt"]).hour) == ("UTC", 6)


async def test_a_policy_and_a_zone_are_known(lab: Lab) -> None:
    run = await kept(lab)
    for zone in ("Mars/Olympus", "", "../UTC", "utc offset", "localtime"):
        answer = await lab.update("schedule", briefId=run["briefId"], runPolicy="daily", timezone=zone)
        assert faults(answer) == ["timezone"]
    assert faults(await lab.update("schedule", briefId=run["briefId"], runPolicy="hourly")) == ["runPolicy"]
    assert faults(await lab.update("keep", **of(run))) == ["runPolicy"]
    assert faults(await lab.update("pause", briefId=run["briefId"], runPolicy="daily")) == ["runPolicy"]


async def test_the_plan_of_the_workspace_allows_policies(lab: Lab) -> None:
    run = await kept(lab, "daily")
    slot = await due_at(lab, run)
    await lab.world.add({"plan": {"researchPolicies": ["on_demand", "weekly"]}})
    answer = await lab.update("schedule", briefId=run["briefId"], runPolicy="daily")
    assert (code(answer), answer.json()["allowed"]) == ((409, "SCHEDULE_NOT_ALLOWED"), ["on_demand", "weekly"])
    assert code(await lab.update("keep", **of(run), runPolicy="daily")) == (409, "SCHEDULE_NOT_ALLOWED")
    await lab.tick(slot + timedelta(minutes=1))
    assert len(await runs(lab, run)) == 1
    await lab.update("pause", briefId=run["briefId"])
    assert code(await lab.update("resume", briefId=run["briefId"])) == (409, "SCHEDULE_NOT_ALLOWED")
    assert code(await lab.update("keep", **of(run), runPolicy="weekly")) == (200, "")


async def test_a_managed_schedule_is_not_changed_but_may_rest(lab: Lab) -> None:
    run = await kept(lab)
    await lab.world.add({"plan": {"managedSchedule": True}})
    assert code(await lab.update("keep", **of(run), runPolicy="weekly")) == (409, "SCHEDULE_NOT_ALLOWED")
    changed = await lab.update("schedule", briefId=run["briefId"], runPolicy="weekly")
    assert code(changed) == (409, "SCHEDULE_NOT_ALLOWED")
    for action in ("pause", "resume", "pause", "archive"):
        assert code(await lab.update(action, briefId=run["briefId"])) == (200, ""), action


async def test_only_the_plan_that_was_added_is_kept(lab: Lab) -> None:
    run = await lab.searched()
    assert code(await lab.update("keep", **of(run), runPolicy="daily")) == (409, "INCOMPATIBLE_RUN")
    await lab.add(run)
    assert code(await lab.update("keep", **of(run), runPolicy="daily")) == (409, "INCOMPATIBLE_RUN")
    await lab.deliver(run)
    edit = lab.new(initialLookbackDays=7)
    edited = (await lab.run("start", **edit, briefId=run["briefId"], expectedRowVersion=1)).json()["run"]
    answer = await lab.update("keep", **of(run), runPolicy="daily")
    assert (code(answer), answer.json()["currentRowVersion"]) == ((409, "STALE_PLAN"), 2)
    await lab.search(edited)
    await lab.add(edited)
    await lab.deliver(edited)
    assert code(await lab.update("keep", **of(edited), runPolicy="daily")) == (200, "")


async def test_keep_takes_a_run_of_its_brief(lab: Lab) -> None:
    run, other = await lab.added(), await lab.added()
    answer = await lab.update("keep", briefId=run["briefId"], runId=other["id"], runPolicy="daily")
    assert (code(answer), answer.json()["field"]) == ((404, "NOT_FOUND"), "command.runId")


async def test_a_file_that_activates_research_gives_it_a_next_slot(lab: Lab) -> None:
    brief = {"key": "file", "name": "From a file", "state": "active", "runPolicy": "weekly", "timezone": "Asia/Tokyo"}
    await lab.world.add(research=[brief])
    [shown] = (await lab.client.get("/research")).json()["items"]
    slot = datetime.fromisoformat(shown["nextRunAt"])
    assert (slot.weekday(), slot.hour) == (6, 21)  # Monday 06:00 in Tokyo
    await lab.world.add(research=[{**brief, "runPolicy": "daily"}])
    [daily] = (await lab.client.get("/research")).json()["items"]
    assert datetime.fromisoformat(daily["nextRunAt"]).hour == 21
    assert daily["nextRunAt"] <= shown["nextRunAt"]
    await lab.world.add(research=[{**brief, "state": "paused"}])
    [paused] = (await lab.client.get("/research")).json()["items"]
    assert (paused["state"], paused["nextRunAt"]) == ("paused", None)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Sydney"])
@pytest.mark.parametrize("start", [datetime(2027, 3, 15, tzinfo=UTC), datetime(2027, 9, 20, tzinfo=UTC)])
async def test_across_a_clock_change_each_monday_has_one_run(lab: Lab, zone: str, start: datetime) -> None:
    """Both zones change their clocks within the seven weeks."""
    run = await kept(lab, "weekly", timezone=zone)
    await due_from(lab, run, start)
    for n in range(7 * 7):
        await lab.tick(start + n * DAY)
        await lab.sql("UPDATE research_runs SET status = 'completed' WHERE workspace_id = $1 AND status = 'queued'")
    slots = [slot.astimezone(ZoneInfo(zone)) for slot in await lab.sql(SLOTS, run["briefId"])][1:]
    assert {(slot.weekday(), slot.hour, slot.minute) for slot in slots} == {(0, 6, 0)}
    days = [slot.date() for slot in slots]
    assert days == [days[0] + week * 7 * DAY for week in range(len(days))]
    assert len(days) >= 6
    assert len({slot.utcoffset() for slot in slots}) == 2
