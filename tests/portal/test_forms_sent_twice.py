"""A form that is sent twice writes once. Decisions: Portal, and Idempotency-Key."""

import asyncio
import re
from uuid import uuid4

import pytest

from tests.portal.product import Browser, PortalWorld
from tests.portal.test_pages import fill, signed_in

REQUESTS = "SELECT count(*) FROM ideas WHERE workspace_id = $1 AND created_source = 'portal'"
EVIDENCE = "SELECT count(*) FROM idea_evidence WHERE workspace_id = $1 AND origin = 'portal'"
COMMENTS = "SELECT count(*) FROM idea_comments WHERE workspace_id = $1 AND portal_user_id IS NOT NULL"
CHANGES = """
SELECT count(*) FROM changes
 WHERE workspace_id = $1 AND actor_kind = 'portal_user' AND action = 'created' AND kind IN ('idea', 'idea_comment')"""
TIMES = 6


async def form_of(browser: Browser, path: str) -> dict[str, str]:
    """The hidden fields of the page's form that writes."""
    page = (await browser.get(path)).text
    return {name: re.findall(rf'name="{name}" value="([^"]+)"', page)[-1] for name in ("csrf", "form_id")}


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_comment_that_is_sent_twice_is_written_once(world: PortalWorld, at_once: bool) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = {**await form_of(browser, "/ideas/IDEA-1"), "body": "Please do it."}
    sending = [browser.post("/ideas/IDEA-1/comments", fields) for _ in range(TIMES)]
    answers = await asyncio.gather(*sending) if at_once else [await each for each in sending]
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert await world.value(COMMENTS) == await world.value(CHANGES) == 1


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_request_that_is_sent_twice_is_written_once(world: PortalWorld, at_once: bool) -> None:
    browser = await signed_in(world)
    fields = {**await form_of(browser, "/request"), "title": "Teleport reports", "text": "Into any room."}
    sending = [browser.post("/request", fields) for _ in range(TIMES)]
    answers = await asyncio.gather(*sending) if at_once else [await each for each in sending]
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert (await browser.get(answers[0].headers["location"].removeprefix(browser.root))).status_code == 200
    assert await world.value(REQUESTS) == await world.value(EVIDENCE) == await world.value(CHANGES) == 1


async def test_another_text_in_the_same_form_is_written_too(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = await form_of(browser, "/ideas/IDEA-1")
    for body in ("Please do it.", "Please do it soon.", "Please do it."):
        await browser.post("/ideas/IDEA-1/comments", {**fields, "body": body})
    assert await world.value(COMMENTS) == 2


async def test_the_same_text_in_a_new_form_is_written_again(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    for _ in range(2):
        fields = await form_of(browser, "/ideas/IDEA-1")
        await browser.post("/ideas/IDEA-1/comments", {**fields, "body": "+1"})
    assert await world.value(COMMENTS) == 2


async def test_a_form_that_is_shown_again_keeps_its_id(world: PortalWorld) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = await form_of(browser, "/request")
    similar = await browser.post("/request", {**fields, "title": "CSV export", "text": ""})
    faulty = await browser.post("/request", {**fields, "title": "", "text": ""})
    assert (similar.status_code, faulty.status_code) == (200, 422)
    for page in (similar.text, faulty.text):
        assert f'name="form_id" value="{fields["form_id"]}"' in page


async def test_one_form_of_two_people_is_two_comments(world: PortalWorld) -> None:
    await fill(world)
    form_id = str(uuid4())
    for _ in range(2):
        browser = await signed_in(world)
        answer = await browser.post("/ideas/IDEA-1/comments", {"form_id": form_id, "body": "+1"})
        assert answer.status_code == 303
    assert await world.value(COMMENTS) == 2


@pytest.mark.parametrize("form_id", ["", "nonsense", "'; --"])
async def test_a_form_without_an_id_is_written(world: PortalWorld, form_id: str) -> None:
    await fill(world)
    browser = await signed_in(world)
    for _ in range(2):
        answer = await browser.post("/ideas/IDEA-1/comments", {"form_id": form_id, "body": "+1"})
        assert answer.status_code == 303
    assert await world.value(COMMENTS) == 2


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_request_that_is_sent_again_after_it_was_deleted_is_not_written(
    world: PortalWorld, at_once: bool
) -> None:
    browser = await signed_in(world)
    fields = {**await form_of(browser, "/request"), "title": "Teleport reports", "text": "Into any room."}
    await browser.post("/request", fields)
    assert (await world.client.delete("/ideas/IDEA-1")).status_code == 200
    sending = [browser.post("/request", fields) for _ in range(TIMES)]
    answers = await asyncio.gather(*sending) if at_once else [await each for each in sending]
    assert {answer.status_code for answer in answers} == {410}
    assert all("it was deleted since" in answer.text and "Into any room." in answer.text for answer in answers)
    assert await world.value(REQUESTS) == await world.value(EVIDENCE) == 0
    assert await world.value(CHANGES) == 1
    assert (await browser.post("/request", {**fields, "form_id": str(uuid4())})).status_code == 303


@pytest.mark.parametrize("by", ["team", "author"])
async def test_a_comment_that_is_sent_again_after_it_was_deleted_is_not_written(world: PortalWorld, by: str) -> None:
    await fill(world)
    browser = await signed_in(world)
    fields = {**await form_of(browser, "/ideas/IDEA-1"), "body": "Please do it."}
    answer = await browser.post("/ideas/IDEA-1/comments", fields)
    path = f"/ideas/IDEA-1/comments/{answer.headers['location'].partition('#comment-')[2]}"
    deleted = await (world.client.delete(path) if by == "team" else browser.post(f"{path}/delete", {}))
    assert deleted.status_code == (200 if by == "team" else 303)
    again = await browser.post("/ideas/IDEA-1/comments", fields)
    assert again.status_code == 410
    assert "it was deleted since" in again.text
    assert await world.value(COMMENTS) == 0
    assert await world.value(CHANGES) == 1
