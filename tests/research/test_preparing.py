"""Drafting a plan: from the question and what the workspace knows, in bounds, ready to start."""

from typing import Any

import pytest

from tests.research.lab import MISSING, Json, Lab, code, definition, faults

QUESTION = "How do competitors like Harvestly forecast demand for growers?"
APP: Json = {"connector": "mobile_store", "externalId": "1", "label": "App"}
GIVEN: Json = {"name": "Forecasts", "definition": definition(), "rationale": "Because."}


async def prepared(lab: Lab, question: str = QUESTION) -> Json:
    answer = await lab.run("prepare", question=question)
    assert answer.status_code == 200, answer.text
    body: Json = answer.json()
    return body


async def test_a_plan_can_be_started_as_it_is(lab: Lab) -> None:
    body = await prepared(lab)
    assert body.keys() == {"preparedPlan", "choices", "needsSelection"}
    assert (body["choices"], body["needsSelection"]) == ([], False)
    plan = body["preparedPlan"]
    assert plan.keys() == {"name", "definition", "rationale"}
    assert plan["definition"]["maxSourcesPerSection"] == 3
    assert plan["rationale"]
    new = {**lab.new(), "name": plan["name"], "definition": plan["definition"]}
    assert code(await lab.run("start", **new)) == (200, "")


async def test_preparing_saves_and_searches_nothing(lab: Lab) -> None:
    await prepared(lab)
    assert (await lab.client.get("/research")).json()["items"] == []
    assert lab.shelf.asked == []


async def test_the_plan_knows_rivals_that_signals_and_insights_name(lab: Lab) -> None:
    said = "We tried Harvestly for a year, and left you for Harvestly in spring."
    await lab.world.add(
        accounts=[{"key": "globex", "name": "Globex"}],
        signals=[{"key": "call", "name": "A call", "rawData": {"text": said}}],
        insights=[{"key": "rival", "title": "Compared with Harvestly the forecast is slow", "category": "problem"}],
    )
    plan = (await prepared(lab, "How do our competitors forecast demand for growers?"))["preparedPlan"]
    rivals = [rival["name"] for one in plan["definition"]["sections"] for rival in one["competitors"]]
    assert "Harvestly" in rivals, plan


@pytest.mark.parametrize("question", ["x" * 8, "How? " * 600])
async def test_a_question_has_eight_to_three_thousand_characters(lab: Lab, question: str) -> None:
    await prepared(lab, question[:3_000])
    too_far = question[:7] if len(question) == 8 else "x" * 3_001
    assert faults(await lab.run("prepare", question=too_far)) == ["question"]


async def test_a_selection_is_taken_from_the_choices_of_its_plan(lab: Lab) -> None:
    given: dict[str, Any] = {"question": QUESTION, "preparedPlan": GIVEN}
    assert faults(await lab.run("prepare", **given)) == ["selection"]
    assert faults(await lab.run("prepare", question=QUESTION, selection=[APP])) == ["preparedPlan"]
    assert faults(await lab.run("prepare", preparedPlan=GIVEN, selection=[APP])) == ["question"]
    assert faults(await lab.run("prepare", **given, selection=[APP, APP])) == ["selection[0]", "selection[1]"]
    assert faults(await lab.run("prepare", **given, selection=[APP] * 5)) == ["selection"]
    assert await lab.credits() == 0
    answer = await lab.run("prepare", **given, selection=[])
    assert (code(answer), answer.json()["preparedPlan"]["rationale"]) == ((200, ""), "Because.")


async def test_a_given_plan_is_checked_like_any_other(lab: Lab) -> None:
    wrong = {**GIVEN, "definition": definition(productId=MISSING)}
    answer = await lab.run("prepare", question=QUESTION, preparedPlan=wrong, selection=[])
    assert (code(answer), answer.json()["field"]) == (
        (404, "NOT_FOUND"),
        "command.preparedPlan.definition.productId",
    )
    wrong = {**GIVEN, "definition": {"sections": []}}
    answer = await lab.run("prepare", question=QUESTION, preparedPlan=wrong, selection=[])
    assert faults(answer) == ["preparedPlan.definition.sections"]


async def test_a_given_plan_without_a_target_gets_the_target_of_a_drafted_one(lab: Lab) -> None:
    answer = await lab.run("prepare", question=QUESTION, preparedPlan=GIVEN, selection=[])
    assert answer.json()["preparedPlan"]["definition"]["maxSourcesPerSection"] == 3
    stated = {**GIVEN, "definition": definition(maxSourcesPerSection=7)}
    answer = await lab.run("prepare", question=QUESTION, preparedPlan=stated, selection=[])
    assert answer.json()["preparedPlan"]["definition"]["maxSourcesPerSection"] == 7
