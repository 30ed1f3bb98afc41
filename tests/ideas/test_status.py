"""The workflow label of a new idea."""

import asyncio

from tests.ideas.acme import Acme, refused
from tests.waiting import until_blocked
from tests.world import World

DEFAULT = ["New", "Under review", "Approved", "Planned", "Delivered", "Declined"]


async def test_a_new_idea_has_the_first_label(acme: Acme) -> None:
    assert (await acme.create())["status"] == "New"


async def test_the_first_label_is_the_first_of_the_workflow_not_of_the_alphabet(world: World) -> None:
    await world.add(ideaStatuses=[{"label": "Zero"}, {"label": "Alpha"}], workspace={}, prune=["ideaStatuses"])
    answer = await world.client.post("/ideas", json={"description": "One"})
    assert answer.json()["status"] == "Zero"


async def test_a_new_workspace_has_six_labels(world: World) -> None:
    answer = await world.client.post("/ideas", json={"description": "One", "status": "?"})
    assert refused(answer, 400, "UNKNOWN_STATUS")["allowed"] == DEFAULT
    for label in DEFAULT:
        answer = await world.client.post("/ideas", json={"description": "One", "status": label})
        assert (answer.status_code, answer.json()["status"]) == (201, label)


async def test_the_requested_label_is_set(acme: Acme) -> None:
    assert (await acme.create(status="Under review"))["status"] == "Under review"


async def test_a_label_has_to_be_exact(acme: Acme) -> None:
    for label in ["new", "NEW", " New", "New ", "Under  review", "Nowhere", "x" * 120]:
        problem = refused(await acme.post(status=label), 400, "UNKNOWN_STATUS")
        assert set(problem["allowed"]) >= {"New", "Under review"}
        assert await acme.total() == 0


async def test_the_promotion_label_is_not_offered(acme: Acme) -> None:
    idea = await acme.create()
    move = {"status": "Nowhere"}
    answers = [await acme.post(status="Nowhere"), await acme.client.patch(f"/ideas/{idea['id']}/status", json=move)]
    for answer in answers:
        allowed = refused(answer, 400, "UNKNOWN_STATUS")["allowed"]
        assert "New" in allowed
        assert "Promoted" not in allowed
    filtered = refused(await acme.client.get("/ideas", params={"status": "Nowhere"}), 400, "UNKNOWN_STATUS")
    assert "Promoted" in filtered["allowed"], "ideas can be listed by it"


async def test_a_label_has_1_to_120_characters(acme: Acme) -> None:
    for label in ["", "x" * 121, 1, ["New"]]:
        refused(await acme.post(status=label), 400, "VALIDATION_FAILED", "status")


async def test_another_workspaces_label_is_unknown(acme: Acme) -> None:
    async with acme.world.stranger() as stranger:
        await stranger.add(ideaStatuses=[{"label": "Theirs"}])
    refused(await acme.post(status="Theirs"), 400, "UNKNOWN_STATUS")


async def test_the_promotion_label_is_reserved(acme: Acme) -> None:
    refused(await acme.post(status="Promoted"), 409, "PROMOTION_RESERVED")
    await acme.create(sourceKey="desk", externalId="1")
    refused(await acme.post(status="Promoted", sourceKey="desk", externalId="1"), 409, "PROMOTION_RESERVED")
    assert [idea["status"] for idea in await acme.list()] == ["New"]


async def test_every_writer_gives_a_new_idea_the_first_label_that_is_not_reserved(acme: Acme) -> None:
    labels = [{"label": "Promoted", "promotion": True}, {"label": "Draft"}, {"label": "Done"}]
    async with acme.world.stranger() as stranger:
        idea = {"key": "filed", "description": "From a file."}
        await stranger.add(ideaStatuses=labels, prune=["ideaStatuses"], ideas=[idea])
        await stranger.add(ideas=[idea | {"key": "filed again"}])
        await stranger.client.post("/ideas", json={"description": "From a request."})
        assert [one["status"] for one in (await stranger.client.get("/ideas")).json()] == ["Draft"] * 3


async def test_a_label_that_a_file_removes_during_a_request_is_unknown(world: World) -> None:
    kept = [{"label": "New"}, {"label": "Done"}]
    await world.add(ideaStatuses=[*kept, {"label": "Soon"}], prune=["ideaStatuses"])
    async with world.database.transaction() as tx:
        await tx.connection.execute("INSERT INTO public_numbers VALUES ($1, 'idea', 0)", world.workspace_id)
        body = {"description": "Export.", "status": "Soon"}
        posting = asyncio.create_task(world.client.post("/ideas", json=body))
        await until_blocked(world.database)  # it takes its number after it has looked at the label
        await world.add(ideaStatuses=kept, prune=["ideaStatuses"])
    answer = await posting
    assert (answer.status_code, answer.json()["code"]) == (400, "UNKNOWN_STATUS")
