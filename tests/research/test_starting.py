"""Starting research: once per request id, one active run per brief, only with the version that was read."""

import asyncio
from collections import Counter
from uuid import uuid4

from tests.research.lab import EXPORTS, FORECASTS, MISSING, Lab, code, definition, exports, faults, of, section


async def test_a_start_saves_a_draft_with_a_queued_run(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    brief, run = await lab.brief(started["briefId"]), started["run"]
    assert (brief["state"], brief["configuration"]["state"], brief["rowVersion"]) == ("draft", "draft", 1)
    assert brief["configuration"]["draft"]["revision"] == 1
    assert (brief["cadence"], brief["nextRunAt"]) == ({"runPolicy": "on_demand", "timezone": "UTC"}, None)
    assert brief["lastRun"] == {"id": run["id"], "status": "queued", "finishedAt": None}
    assert [(one["id"], one["status"], one["findingCount"]) for one in run["sections"]] == [
        (FORECASTS, "queued", 0),
        (EXPORTS, "queued", 0),
    ]
    shown = {name: run[name] for name in ("status", "trigger", "addition", "failure", "nativeReadCount", "startedAt")}
    assert shown == {
        "status": "queued",
        "trigger": "manual",
        "addition": None,
        "failure": None,
        "nativeReadCount": 0,
        "startedAt": None,
    }
    assert {run["briefId"], started["briefId"]} == {brief["id"]}
    assert run["operationId"]


async def test_the_same_request_again_returns_its_run_in_its_present_state(lab: Lab) -> None:
    new = lab.new()
    first = (await lab.run("start", **new)).json()
    await lab.search(first["run"])
    again = (await lab.run("start", **new, briefId=None)).json()
    assert (again["briefId"], again["run"]["id"]) == (first["briefId"], first["run"]["id"])
    assert again["run"]["status"] == "completed"
    assert await lab.credits() == 5


async def test_defaults_and_white_space_around_names_do_not_make_another_request(lab: Lab) -> None:
    new = lab.new()
    first = (await lab.run("start", **new)).json()
    same = {**new, "name": " Forecasts ", "definition": definition(section(competitors=[]), maxSourcesPerSection=5)}
    assert (await lab.run("start", **same)).json()["run"]["id"] == first["run"]["id"]


async def test_another_body_under_the_same_request_id_is_refused(lab: Lab) -> None:
    new = lab.new()
    await lab.run("start", **new)
    for other in ({"name": "Other"}, {"definition": definition(section(), initialLookbackDays=7)}):
        assert code(await lab.run("start", **{**new, **other})) == (409, "REQUEST_ID_REUSED")


async def test_concurrent_requests_with_one_id_make_one_run(lab: Lab) -> None:
    new = lab.new()
    answers = await asyncio.gather(*(lab.run("start", **new) for _ in range(6)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["run"]["id"] for answer in answers}) == 1
    assert (await lab.client.get("/research")).json()["pagination"]["total"] == 1
    assert await lab.credits() == 5


async def test_an_edit_makes_a_new_run_and_leaves_the_earlier_one_as_it_was(lab: Lab) -> None:
    first = await lab.searched()
    edit = {**lab.new(exports()), "name": "Exports", "briefId": first["briefId"], "expectedRowVersion": 1}
    second = (await lab.run("start", **edit)).json()["run"]
    brief = await lab.brief(first["briefId"])
    draft = brief["configuration"]["draft"]
    assert (brief["name"], brief["rowVersion"], draft["revision"]) == ("Exports", 2, 2)
    assert [one["id"] for one in draft["definition"]["sections"]] == [EXPORTS]
    before = await lab.view(first["briefId"], "run", runId=first["id"])
    assert [one["id"] for one in before["definition"]["sections"]] == [FORECASTS]
    after = await lab.view(first["briefId"], "run", runId=second["id"])
    assert [one["id"] for one in after["definition"]["sections"]] == [EXPORTS]
    assert (before["run"], after["fromDateTime"]) == (first, None)


async def test_the_same_plan_again_is_no_new_revision(lab: Lab) -> None:
    run = await lab.searched()
    await lab.run("start", **lab.new(), briefId=run["briefId"], expectedRowVersion=1)
    brief = await lab.brief(run["briefId"])
    assert (brief["rowVersion"], brief["configuration"]["draft"]["revision"]) == (2, 1)


async def test_the_same_edit_again_returns_its_run(lab: Lab) -> None:
    run = await lab.searched()
    edit = {**lab.new(exports()), "briefId": run["briefId"], "expectedRowVersion": 1}
    first, again = [(await lab.run("start", **edit)).json() for _ in range(2)]
    assert first["run"]["id"] == again["run"]["id"] != run["id"]
    assert (await lab.brief(run["briefId"]))["rowVersion"] == 2


async def test_an_edit_of_a_version_that_was_changed_is_stale(lab: Lab) -> None:
    run = await lab.searched()
    edit = {"briefId": run["briefId"], "expectedRowVersion": 2}
    answer = await lab.run("start", **lab.new(), **edit)
    assert (code(answer), answer.json()["currentRowVersion"]) == ((409, "STALE_PLAN"), 1)


async def test_of_concurrent_edits_one_wins(lab: Lab) -> None:
    run = await lab.searched()
    edit = {"briefId": run["briefId"], "expectedRowVersion": 1}
    answers = await asyncio.gather(*(lab.run("start", **lab.new(), **edit) for _ in range(5)))
    counted = Counter(code(answer) for answer in answers)
    assert counted[200, ""] == 1
    assert counted[409, "STALE_PLAN"] == 4
    assert await lab.credits() == 10


async def test_a_brief_has_one_active_run(lab: Lab) -> None:
    started = await lab.start()
    answer = await lab.run("start", **lab.new(), briefId=started["briefId"], expectedRowVersion=1)
    assert (code(answer), answer.json()["runId"]) == ((409, "RUN_ACTIVE"), started["run"]["id"])
    await lab.search(started["run"])
    assert code(await lab.run("start", **lab.new(), briefId=started["briefId"], expectedRowVersion=1)) == (200, "")


async def test_a_brief_and_its_expected_version_are_named_together(lab: Lab) -> None:
    assert faults(await lab.run("start", **lab.new(), briefId=MISSING)) == ["expectedRowVersion"]
    assert faults(await lab.run("start", **lab.new(), expectedRowVersion=1)) == ["briefId"]
    answer = await lab.run("start", **lab.new(section(topic="")), expectedRowVersion=1)
    assert sorted(faults(answer)) == ["briefId", "sections[0].topic"]


async def test_an_unknown_brief_is_not_found(lab: Lab) -> None:
    answer = await lab.run("start", **lab.new(), briefId=MISSING, expectedRowVersion=1)
    assert (code(answer), answer.json()["field"]) == ((404, "NOT_FOUND"), "command.briefId")


async def test_a_plan_may_name_a_product_of_the_workspace(lab: Lab) -> None:
    product = (await lab.products())["app"]
    started = await lab.start(productId=product.upper())
    kept = (await lab.brief(started["briefId"]))["configuration"]["draft"]["definition"]
    assert kept["productId"] == product


async def test_start_needs_a_request_id_a_name_and_a_plan(lab: Lab) -> None:
    assert faults(await lab.run("start")) == ["requestId", "name", "definition"]
    for name in ("", " ", "x" * 121):
        assert faults(await lab.run("start", **{**lab.new(), "name": name})) == ["name"]
    assert code(await lab.run("start", **{**lab.new(), "name": "x" * 120})) == (200, "")
    assert faults(await lab.run("start", **{**lab.new(), "requestId": "1"})) == ["requestId"]


async def test_a_command_is_known_and_takes_its_own_fields_only(lab: Lab) -> None:
    assert faults(await lab.run("dig", depth=2)) == ["action"]
    assert faults(await lab.update("start")) == ["action"]
    answer = await lab.client.post("/research/run", json={"command": {"requestId": str(uuid4())}, "more": 1})
    assert faults(answer) == ["more", "action"]
    assert faults(await lab.run("stop", briefId=MISSING, runId="1", force=True)) == ["force", "runId"]
    assert faults(await lab.client.post("/research/run", json={})) == ["command"]
    assert faults(await lab.client.post("/research/run", json={"command": "start"})) == ["command"]
    run = await lab.searched()
    assert faults(await lab.run("retry", **of(run), productId=MISSING)) == ["productId"]


async def test_a_product_of_another_workspace_is_not_found(lab: Lab) -> None:
    for id in (MISSING, str(uuid4())):
        answer = await lab.run("start", **lab.new(productId=id))
        assert (code(answer), answer.json()["field"]) == ((404, "NOT_FOUND"), "command.definition.productId")
    wrong = lab.new(productId=MISSING, maxSourcesPerSection=11)
    assert faults(await lab.run("start", **wrong)) == ["maxSourcesPerSection"]
