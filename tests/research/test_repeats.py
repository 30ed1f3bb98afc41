"""A `prepare` with an Idempotency-Key is paid once, though no transaction is open while it works."""

import asyncio
from uuid import uuid4

import httpx2

from tests.research.lab import Json, Lab, code
from tests.waiting import until_blocked

QUESTION = "How do competitors forecast demand?"


async def prepare(lab: Lab, question: str = QUESTION) -> httpx2.Response:
    body: Json = {"command": {"action": "prepare", "question": question}}
    return await lab.client.post("/research/run", json=body, headers={"Idempotency-Key": "k"})


async def test_a_repeat_costs_nothing(lab: Lab) -> None:
    first, again = await prepare(lab), await prepare(lab)
    assert (first.status_code, again.content) == (200, first.content)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert await lab.credits() == 1


async def test_another_question_is_refused(lab: Lab) -> None:
    await prepare(lab)
    assert code(await prepare(lab, "Who exports reports each month?")) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert await lab.credits() == 1


async def test_of_two_at_once_one_is_charged_and_both_answer_the_same(lab: Lab) -> None:
    async with lab.world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM plans WHERE workspace_id = $1 FOR UPDATE", lab.workspace_id)
        both = [asyncio.create_task(prepare(lab)) for _ in range(2)]
        await until_blocked(lab.world.database, 2)  # both have drafted a plan and are about to charge for it
    answers = await asyncio.gather(*both)
    assert [code(answer) for answer in answers] == [(200, "")] * 2
    assert answers[0].content == answers[1].content
    assert ["Idempotent-Replayed" in answer.headers for answer in answers].count(True) == 1
    assert await lab.credits() == 1


async def test_another_command_at_once_under_the_same_key_is_refused(lab: Lab) -> None:
    plan = (await prepare(lab)).json()["preparedPlan"]
    start: Json = {"action": "start", "requestId": str(uuid4()), "name": "Demand", "definition": plan["definition"]}
    headers = {"Idempotency-Key": "other"}
    async with lab.world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM plans WHERE workspace_id = $1 FOR UPDATE", lab.workspace_id)
        both = []
        for command in (start, {"action": "prepare", "question": QUESTION}):
            request = lab.client.post("/research/run", json={"command": command}, headers=headers)
            both.append(asyncio.create_task(request))
            await until_blocked(lab.world.database, len(both))
    answers = await asyncio.gather(*both)
    assert [code(answer) for answer in answers] == [(200, ""), (422, "IDEMPOTENCY_KEY_REUSED")]


async def test_the_last_credit_serves_all_repeats(lab: Lab) -> None:
    await lab.world.add({"plan": {"aiCredits": 1}})
    answers = await asyncio.gather(*(prepare(lab) for _ in range(6)))
    assert [code(answer) for answer in answers] == [(200, "")] * 6
    assert len({answer.content for answer in answers}) == 1
    assert await lab.credits() == 1


async def test_a_refused_question_keeps_nothing(lab: Lab) -> None:
    await lab.world.add({"plan": {"aiCredits": 0}})
    assert code(await prepare(lab)) == (402, "CREDITS_EXHAUSTED")
    await lab.world.add({"plan": {"aiCredits": 1}})
    answer = await prepare(lab)
    assert (answer.status_code, "Idempotent-Replayed" in answer.headers) == (200, False)
