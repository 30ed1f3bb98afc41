"""Which refusal comes first when a write to an idea or to a part of it is wrong in more than one way."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json
from tests.ideas.workroom import from_file

pytestmark = pytest.mark.one_workspace

ID = str(uuid4())
WRONG: Json = {"unknown": 1}
# Method, part of the idea, a body that fits. DELETE and POST match-features take none.
WRITES: list[tuple[str, str, Any]] = [
    ("PATCH", "", {"name": "Renamed"}),
    ("PATCH", "/status", {"status": "Under review"}),
    ("PATCH", "/evidence/{evidence}", {"role": "context"}),
    ("PATCH", "/questions/{question}", {"status": "skipped"}),
    ("PATCH", "/questions/{question}/answer", {"answer": "Yes."}),
    ("POST", "/comments", {"body": "Words."}),
    ("DELETE", "/comments/{comment}", None),
    ("PATCH", "/classifications", {"updates": [{"groupKey": "theme", "action": "mark_unassigned"}]}),
    ("POST", "/match-features", None),
    ("DELETE", "", None),
]
ALL = ("ideas:write", "ideas:delete", "ideas:read", "signals:read")


@pytest_asyncio.fixture
async def parts(acme: Acme) -> dict[str, str]:
    """An idea with a part of every kind: their ids."""
    idea = await from_file(
        acme,
        product="app",
        questions=[{"key": "q", "question": "For whom?"}],
        comments=[{"key": "c", "author": "owner", "body": "Twice."}],
        evidence=[{"key": "e", "title": "A call", "category": "problem"}],
    )
    found = {"idea": idea["id"]}
    for kind in ("evidence", "questions", "comments"):
        [part] = (await acme.client.get(f"/ideas/{idea['id']}/{kind}")).json()
        found[kind.removesuffix("s")] = part["id"]
    return found


async def code(client: httpx2.AsyncClient, method: str, path: str, body: Any, **headers: str) -> str:
    answer = await client.request(method, path, json=body, headers=headers)
    return str(answer.json().get("code", answer.status_code))


@pytest.mark.parametrize(("method", "part", "fine"), WRITES, ids=lambda value: value if isinstance(value, str) else "")
async def test_key_then_scope_then_reference_and_body_then_existence_then_creator(
    acme: Acme, parts: dict[str, str], method: str, part: str, fine: Any
) -> None:
    here, nowhere = f"/ideas/{parts['idea']}{part}".format(**parts), f"/ideas/{ID}{part}".format(**parts)
    shapeless = f"/ideas/shapeless{part}".format(**parts)
    wrong = WRONG if fine is not None else None
    refusals: dict[str | None, list[str]] = {
        None: ["INVALID_API_KEY"] * 4,
        "initiatives:read": ["INSUFFICIENT_SCOPE"] * 4,
        "nobody": [
            "INVALID_REFERENCE",
            "VALIDATION_FAILED" if wrong else "NOT_FOUND",
            "NOT_FOUND",
            "CREATOR_NOT_ALLOWED",
        ],
    }
    clients = {
        None: acme.world.client_of(None),
        "initiatives:read": await acme.world.client_with("initiatives:read"),
        "nobody": await acme.world.client_with(*ALL, member=None),
    }
    for who, expected in refusals.items():
        asked = [(shapeless, wrong), (nowhere, wrong), (nowhere, fine), (here, fine)]
        assert [await code(clients[who], method, path, body, **{"If-Match": '"x"'}) for path, body in asked] == expected
    assert await code(acme.client, method, here, fine, **{"If-Match": '"x"'}) == "PRECONDITION_FAILED"
    status = {"POST": "201", "PATCH": "200", "DELETE": "200"}[method]
    assert await code(acme.client, method, here, fine) == status


async def test_the_creators_role_comes_before_every_conflict(acme: Acme) -> None:
    rejected = [{"key": "q", "question": "For whom?", "status": "rejected"}]
    idea = await from_file(acme, integration="jira", externalId=ID, questions=rejected)
    [question] = (await acme.client.get(f"/ideas/{idea['id']}/questions")).json()
    nobody = await acme.world.client_with(*ALL, member=None)
    path = f"/ideas/{idea['id']}"
    for part, body, conflict in [
        ("/status", {"status": "Under review"}, "SOURCE_MANAGED"),
        ("/status", {"status": "Promoted", "expectedCurrentStatus": "Old"}, "STATUS_CHANGED"),
        (f"/questions/{question['id']}/answer", {"answer": "Yes."}, "QUESTION_REJECTED"),
    ]:
        assert await code(nobody, "PATCH", path + part, body) == "CREATOR_NOT_ALLOWED"
        assert await code(acme.client, "PATCH", path + part, body) == conflict
        assert await code(acme.client, "PATCH", path + part, body, **{"If-Match": '"x"'}) == "PRECONDITION_FAILED"


async def test_an_unknown_label_is_refused_before_an_unknown_idea(acme: Acme) -> None:
    assert await code(acme.client, "PATCH", f"/ideas/{ID}/status", {"status": "Nowhere"}) == "UNKNOWN_STATUS"


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("editor", 200), ("admin", 200), ("owner", 200)])
async def test_writing_needs_a_creator_who_is_an_editor_or_above(acme: Acme, role: str, status: int) -> None:
    member = {"key": f"a-{role}", "email": f"{role}@acme.test", "name": role, "role": "admin"}
    await acme.world.add(members=[member])
    client = await acme.world.client_with(*ALL, member=f"{role}@acme.test")
    path = f"/ideas/{(await acme.create())['id']}"
    await acme.world.add(members=[{**member, "role": role}])
    await answers_in_time(client, path, status)
    await acme.world.add(members=[{**member, "role": role, "active": False}])
    await answers_in_time(client, path, 403)
    assert (await client.get(path)).status_code == 200


async def answers_in_time(client: httpx2.AsyncClient, path: str, status: int) -> None:
    """A process is notified of a member's change shortly after it."""
    async with asyncio.timeout(20):
        while (await client.patch(path, json={})).status_code != status:
            pass


@pytest.mark.parametrize("representation", ["", "?include=classifications", "/classifications"])
async def test_the_tag_of_every_representation_stands_for_its_version(acme: Acme, representation: str) -> None:
    idea = await acme.create(productId=acme.products["app"])
    path = f"/ideas/{idea['id']}"
    for method, part, body in [write for write in WRITES if "{" not in write[1] and write[1] != "/comments"]:
        tag = (await acme.client.get(path + representation)).headers["etag"]
        given = f'"other", {tag}'
        assert await code(acme.client, method, path + part, body, **{"If-Match": given}) in ("200", "201")
        if body is not None:
            assert await code(acme.client, method, path + part, body, **{"If-Match": tag}) == "PRECONDITION_FAILED"
            assert await code(acme.client, "PATCH", path, {}, **{"If-Match": "*"}) == "200"


async def test_the_tag_of_another_idea_is_none_of_this_one(acme: Acme) -> None:
    one, other = await acme.create(), await acme.create()
    tag = (await acme.client.get(f"/ideas/{other['id']}")).headers["etag"]
    assert await code(acme.client, "PATCH", f"/ideas/{one['id']}", {}, **{"If-Match": tag}) == "PRECONDITION_FAILED"
