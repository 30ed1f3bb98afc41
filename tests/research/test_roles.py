"""Who may run research, and who may change when it runs by itself. Decisions: Writers."""

import httpx2
import pytest

from tests.research.lab import MISSING, Lab, code, of

ROLES = ("viewer", "editor", "admin", "owner")


async def client_of(lab: Lab, role: str) -> httpx2.AsyncClient:
    """A key whose creator has that role now; keys are made by owners and admins."""
    email = f"{role}@{lab.world.slug}.test"
    member = {"key": role, "email": email, "name": role}
    await lab.world.add(members=[{**member, "role": "admin"}])
    client = await lab.world.client_with("all", member=email)
    await lab.world.add(members=[{**member, "role": role}])
    return client


@pytest.mark.parametrize("role", ROLES)
async def test_editors_run_research_and_admins_schedule_it(lab: Lab, role: str) -> None:
    run = await lab.added()
    client = await client_of(lab, role)
    runs = {"action": "prepare", "question": "How do planners forecast demand?"}
    schedules = {"action": "keep", **of(run), "runPolicy": "daily"}
    for operation, command, allowed in (("run", runs, ROLES[1:]), ("updates", schedules, ROLES[2:])):
        expected = (200, "") if role in allowed else (403, "CREATOR_NOT_ALLOWED")
        assert code(await lab.ask(operation, command, client)) == expected, operation
    assert code(await client.get("/research")) == (200, "")


async def test_faults_and_missing_records_come_before_the_role_and_the_state_after_it(lab: Lab) -> None:
    run = await lab.searched()
    viewer = await client_of(lab, "viewer")
    unknown = {"action": "stop", "briefId": MISSING, "runId": MISSING}
    assert code(await lab.ask("run", unknown, viewer)) == (404, "NOT_FOUND")
    assert code(await lab.ask("run", {"action": "dig"}, viewer)) == (400, "VALIDATION_FAILED")
    assert code(await lab.ask("run", {"action": "stop", **of(run)}, viewer)) == (403, "CREATOR_NOT_ALLOWED")
    assert code(await lab.ask("run", {"action": "start", **lab.new()}, viewer)) == (403, "CREATOR_NOT_ALLOWED")
    assert (await lab.client.get("/research")).json()["pagination"]["total"] == 1


async def test_a_key_without_a_creator_reads_and_does_not_run(lab: Lab) -> None:
    run = await lab.searched()
    client = await lab.world.client_with("all", member=None)
    assert code(await client.get(f"/research/{run['briefId']}")) == (200, "")
    assert code(await lab.ask("run", {"action": "start", **lab.new()}, client)) == (403, "CREATOR_NOT_ALLOWED")


async def test_each_operation_needs_its_scope(lab: Lab) -> None:
    only = {scope: await lab.world.client_with(f"research:{scope}") for scope in ("read", "run", "manage")}
    for scope, client in only.items():
        statuses = {
            "read": (await client.get("/research")).status_code,
            "run": (await lab.ask("run", {"action": "start", **lab.new()}, client)).status_code,
            "manage": (await lab.ask("updates", {"action": "pause", "briefId": MISSING}, client)).status_code,
        }
        assert {name for name, status in statuses.items() if status != 403} == {scope}


async def test_the_trail_names_what_was_done(lab: Lab) -> None:
    run = await lab.added()
    await lab.update("keep", **of(run), runPolicy="daily")
    actions = await lab.sql(
        "SELECT array_agg(kind || ' ' || action ORDER BY at, id) FROM changes"
        " WHERE workspace_id = $1 AND kind LIKE 'research%'"
    )
    assert actions == [
        "research_brief created",
        "research_run queued",
        "research_run completed",
        "research_run addition_queued",
        "research_run added",
        "research_brief changed",
    ]
