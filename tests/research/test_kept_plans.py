"""Scheduled runs keep to the plan that was kept last, whatever is edited meanwhile."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.research.lab import EXPORTS, Json, Lab, code, definition, exports, of, section
from tests.workspace_file.files import exported


async def keep(lab: Lab, run: Json, policy: str = "daily") -> Any:
    return await lab.update("keep", **of(run), runPolicy=policy)


async def edit(lab: Lab, brief_id: str, plan: Json) -> Json:
    """The run of an edited plan, searched."""
    version = (await lab.brief(brief_id))["rowVersion"]
    body = lab.new() | {"definition": plan}
    answer = await lab.run("start", **body, briefId=brief_id, expectedRowVersion=version)
    assert answer.status_code == 200, answer.text
    await lab.search(answer.json()["run"])
    return await lab.progress(brief_id)


async def scheduled(lab: Lab, brief_id: str) -> Json:
    """The plan with which the next scheduled run works."""
    due = datetime.fromisoformat((await lab.brief(brief_id))["nextRunAt"])
    await lab.tick(due + timedelta(seconds=1))
    run = await lab.progress(brief_id)
    assert run["trigger"] == "schedule"
    plan: Json = (await lab.view(brief_id, "run", runId=run["id"]))["definition"]
    return plan


async def test_a_draft_has_no_kept_plan(lab: Lab) -> None:
    run = await lab.added()
    assert (await lab.brief(run["briefId"]))["configuration"]["kept"] is None
    kept = (await keep(lab, run)).json()["brief"]["configuration"]
    assert kept["kept"] == kept["draft"]


async def test_an_edit_of_active_research_waits_for_its_review(lab: Lab) -> None:
    run = await lab.added()
    await keep(lab, run)
    before = (await lab.brief(run["briefId"]))["configuration"]
    edited = await edit(lab, run["briefId"], definition(exports()))
    after = (await lab.brief(run["briefId"]))["configuration"]
    assert (after["state"], after["kept"]) == ("active", before["kept"])
    assert after["draft"]["definition"]["sections"][0]["id"] == EXPORTS
    assert await scheduled(lab, run["briefId"]) == before["kept"]["definition"]
    assert code(await keep(lab, edited)) == (409, "INCOMPATIBLE_RUN")


async def test_a_reviewed_edit_is_kept_and_then_runs(lab: Lab) -> None:
    run = await lab.added()
    await keep(lab, run)
    edited = await edit(lab, run["briefId"], definition(exports()))
    await lab.add(edited)
    await lab.deliver(edited)
    kept = (await keep(lab, edited, "weekly")).json()["brief"]["configuration"]
    assert kept["kept"] == kept["draft"]
    assert await scheduled(lab, run["briefId"]) == kept["draft"]["definition"]


async def test_pause_and_resume_keep_the_kept_plan(lab: Lab) -> None:
    run = await lab.added()
    await keep(lab, run)
    kept = (await lab.brief(run["briefId"]))["configuration"]["kept"]
    await lab.update("pause", briefId=run["briefId"])
    await edit(lab, run["briefId"], definition(exports()))
    await lab.update("resume", briefId=run["briefId"])
    assert await scheduled(lab, run["briefId"]) == kept["definition"]


async def test_keep_needs_every_finding_that_the_run_has_now(lab: Lab) -> None:
    """A retry finds more after the addition."""
    run = await lab.searched(section(), exports())
    unsealed = (
        "UPDATE research_sections SET status = 'failed', sealed_at = NULL"
        " WHERE workspace_id = $1 AND run_id = $2 AND position = 1"
    )
    await lab.sql(unsealed, run["id"])
    await lab.sql("DELETE FROM research_findings WHERE workspace_id = $1 AND section_id = $2", UUID(EXPORTS))
    await lab.sql("DELETE FROM research_sources WHERE workspace_id = $1 AND url LIKE '%ships%'")
    await lab.add(run)
    await lab.deliver(run)
    await lab.run("retry", **of(run))
    await lab.search(run)
    assert code(await keep(lab, run)) == (409, "INCOMPATIBLE_RUN")
    await lab.add(run)
    await lab.deliver(run)
    assert code(await keep(lab, run)) == (200, "")


async def test_a_file_shows_the_kept_plan_and_brings_it_along(lab: Lab) -> None:
    run = await lab.added()
    await keep(lab, run)
    await edit(lab, run["briefId"], definition(exports()))
    shown = (await lab.brief(run["briefId"]))["configuration"]
    [brief] = (await exported(lab.world.database, lab.world.slug))["research"]
    assert (brief["keptRevision"], brief["keptDefinition"]) == (1, shown["kept"]["definition"])
    await lab.world.add(research=[{"key": "given", "name": "Given", "state": "paused", "definition": definition()}])
    given = await lab.brief((await lab.world.ids("research_briefs"))["given"])
    assert given["configuration"]["kept"] == given["configuration"]["draft"]
