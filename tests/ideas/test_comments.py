"""Comments on an idea: listing, adding, deleting for good."""

from secrets import token_hex
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, from_file, trail

pytestmark = pytest.mark.one_workspace


async def test_a_large_page_is_sent_in_pieces(acme: Acme) -> None:
    idea = await acme.create()
    bodies = [token_hex(10_000) for _ in range(60)]
    for body in bodies:
        await said(acme, idea, body)
    answer = await acme.client.get(f"/ideas/{idea['id']}/comments", params={"limit": 100})
    assert "content-length" not in answer.headers
    assert [comment["body"] for comment in answer.json()] == bodies
    assert all(comment["author"]["name"] for comment in answer.json())


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await acme.create()


async def say(acme: Acme, idea: Json, body: Any = "Asked for twice.", **fields: Any) -> httpx2.Response:
    return await acme.client.post(f"/ideas/{idea['id']}/comments", json={"body": body, **fields})


async def said(acme: Acme, idea: Json, body: str = "Asked for twice.", **fields: Any) -> Json:
    answer = await say(acme, idea, body, **fields)
    assert answer.status_code == 201, answer.text
    comment: Json = answer.json()
    return comment


async def listed(acme: Acme, idea: Json, **query: Any) -> list[Json]:
    answer = await acme.client.get(f"/ideas/{idea['id']}/comments", params=query)
    assert answer.status_code == 200, answer.text
    comments: list[Json] = answer.json()
    return comments


async def test_a_comment_is_shown_as_it_was_added(acme: Acme, idea: Json) -> None:
    comment = await said(acme, idea, "  As sent,\n \u2013 always. ")
    owner_id = await acme.value("SELECT id::text FROM members WHERE workspace_id = $1 AND key = 'owner'")
    assert comment == {
        "id": comment["id"],
        "ideaId": idea["id"],
        "author": {"kind": "member", "id": owner_id, "name": "Olga Owner"},
        "body": "  As sent,\n \u2013 always. ",
        "visibility": "internal",
        "createdAt": comment["createdAt"],
        "updatedAt": comment["createdAt"],
    }
    assert await listed(acme, idea) == [comment]


async def test_a_comment_is_internal_by_default(acme: Acme, idea: Json) -> None:
    given: list[Json] = [{}, {"visibility": None}, {"visibility": "internal"}, {"visibility": "portal"}]
    shown = [(await said(acme, idea, **fields))["visibility"] for fields in given]
    assert shown == ["internal", "internal", "internal", "portal"]


async def test_invalid_values_are_refused(acme: Acme, idea: Json) -> None:
    for body in ("", " \n", None, 1, "x" * 20_001):
        refused(await say(acme, idea, body), 400, "VALIDATION_FAILED", "body")
    for visibility in ("public", "Internal", 1):
        refused(await say(acme, idea, visibility=visibility), 400, "VALIDATION_FAILED", "visibility")
    refused(await say(acme, idea, author="ada"), 400, "VALIDATION_FAILED", "author")
    refused(await acme.client.post(f"/ideas/{idea['id']}/comments", json={}), 400, "VALIDATION_FAILED", "body")
    assert await listed(acme, idea) == []
    assert len((await said(acme, idea, "x" * 20_000))["body"]) == 20_000


async def test_comments_are_listed_oldest_first_and_paged(acme: Acme) -> None:
    comments = [{"key": f"c{n}", "body": f"Comment {n}", "createdAt": f"2025-01-{n + 1:02}"} for n in range(25)]
    idea = await from_file(acme, comments=comments)
    newest = await said(acme, idea, "Now")
    answer = await acme.client.get(f"/ideas/{idea['id']}/comments")
    paging = [answer.headers[f"x-{name}"] for name in ("total-count", "limit", "offset", "has-more")]
    assert paging == ["26", "20", "0", "true"]
    assert [each["body"] for each in answer.json()] == [f"Comment {n}" for n in range(20)]
    assert (await listed(acme, idea, offset=20, limit=100))[-1] == newest
    same = [{"key": f"c{n}", "body": "Same", "createdAt": "2025-01-01"} for n in range(8)]
    ids = [each["id"] for each in await listed(acme, await from_file(acme, comments=same))]
    assert ids == sorted(ids)


async def test_the_receipt_of_a_deletion_has_no_text(acme: Acme, idea: Json) -> None:
    comment, kept = await said(acme, idea, "Never again."), await said(acme, idea, "Kept.")
    answer = await acme.client.delete(f"/ideas/{idea['publicId'].lower()}/comments/{comment['id'].upper()}")
    assert (answer.status_code, answer.json()) == (
        200,
        {"success": True, "ideaId": idea["id"], "ideaPublicId": idea["publicId"], "commentId": comment["id"]},
    )
    assert await listed(acme, idea) == [kept]


async def test_a_deleted_comment_is_not_found_again(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['id']}/comments/{(await said(acme, idea))['id']}"
    assert (await acme.client.delete(path)).status_code == 200
    refused(await acme.client.delete(path), 404, "NOT_FOUND")


async def test_a_comment_is_found_only_under_its_idea(acme: Acme, idea: Json) -> None:
    comment, other = await said(acme, idea), await acme.create()
    refused(await acme.client.delete(f"/ideas/{other['id']}/comments/{comment['id']}"), 404, "NOT_FOUND")
    refused(await acme.client.delete(f"/ideas/{uuid4()}/comments/{comment['id']}"), 404, "NOT_FOUND")
    async with acme.world.stranger() as stranger:
        refused(await stranger.client.delete(f"/ideas/{idea['id']}/comments/{comment['id']}"), 404, "NOT_FOUND")
    assert await listed(acme, idea) == [comment]


async def test_a_comment_id_that_is_no_uuid_is_not_found(acme: Acme, idea: Json) -> None:
    for id in ("1", "first", str(uuid4()), "a" * 32, "IDEA-1"):
        refused(await acme.client.delete(f"/ideas/{idea['id']}/comments/{id}"), 404, "NOT_FOUND")
    refused(await acme.client.delete(f"/ideas/nothing/comments/{uuid4()}"), 400, "INVALID_REFERENCE")


async def test_of_concurrent_deletions_one_finds_the_comment(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['id']}/comments/{(await said(acme, idea))['id']}"
    answers = await at_once(acme.client.delete(path) for _ in range(10))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 9


async def test_the_trail_has_comments_without_their_text(acme: Acme, idea: Json) -> None:
    comment = await said(acme, idea, "Secret.")
    await acme.client.delete(f"/ideas/{idea['id']}/comments/{comment['id']}")
    assert await trail(acme, comment["id"]) == [
        ("created", {"ideaId": idea["id"]}),
        ("deleted", {"ideaId": idea["id"]}),
    ]


async def test_commenting_does_not_touch_the_idea(acme: Acme, idea: Json) -> None:
    comment = await said(acme, idea)
    await acme.client.delete(f"/ideas/{idea['id']}/comments/{comment['id']}")
    assert await acme.read(idea) == idea


async def test_a_comment_stays_when_its_author_is_removed(acme: Acme) -> None:
    ada = {"key": "ada", "email": "ada@acme.test", "name": "Ada Park", "role": "editor"}
    await acme.world.add(members=[ada])
    idea = await from_file(acme, comments=[{"key": "c", "author": "ada", "body": "Mine."}])
    [comment] = await listed(acme, idea)
    assert (comment["author"]["kind"], comment["author"]["name"]) == ("member", "Ada Park")
    await acme.run("DELETE FROM members WHERE workspace_id = $1 AND id = $2", UUID(comment["author"]["id"]))
    [left] = await listed(acme, idea)
    assert (left["body"], left["author"]["id"], left["author"]["name"]) == ("Mine.", None, None)


async def test_a_new_comment_has_no_version_to_compare(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['id']}/comments"
    for tag in ("*", '"other"'):
        answer = await acme.client.post(path, json={"body": "Words."}, headers={"If-Match": tag})
        refused(answer, 412, "PRECONDITION_FAILED")
    added = await say(acme, idea)
    comment = f"{path}/{added.json()['id']}"
    refused(await acme.client.delete(comment, headers={"If-Match": '"other"'}), 412, "PRECONDITION_FAILED")
    assert (await acme.client.delete(comment, headers={"If-Match": added.headers["etag"]})).status_code == 200


async def test_deleting_a_comment_is_a_scope_of_its_own(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['id']}/comments/{(await said(acme, idea))['id']}"
    writer = await acme.world.client_with("ideas:read", "ideas:write")
    assert refused(await writer.delete(path), 403, "INSUFFICIENT_SCOPE")["requiredScopes"] == ["ideas:delete"]
    deleter = await acme.world.client_with("ideas:delete")
    refused(await deleter.post(f"/ideas/{idea['id']}/comments", json={"body": "x"}), 403, "INSUFFICIENT_SCOPE")
    assert (await deleter.delete(path)).status_code == 200


async def test_a_comment_that_a_file_changed_has_another_tag(acme: Acme, idea: Json) -> None:
    added = await say(acme, idea)
    changed = {"id": added.json()["id"], "body": "Changed."}
    await acme.world.add(ideas=[{"id": idea["id"], "comments": [changed]}])
    at = f"/ideas/{idea['id']}/comments/{changed['id']}"
    refused(await acme.client.delete(at, headers={"If-Match": added.headers["ETag"]}), 412, "PRECONDITION_FAILED")
    assert [comment["body"] for comment in await listed(acme, idea)] == ["Changed."]
