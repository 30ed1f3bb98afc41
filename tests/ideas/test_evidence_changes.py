"""PATCH /ideas/:id/evidence/:evidenceId: what a piece of evidence means, and what became of it."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, from_file, trail

pytestmark = pytest.mark.one_workspace


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await from_file(acme, evidence=[{"key": "e", "title": "A call", "category": "problem"}])


@pytest_asyncio.fixture
async def piece(acme: Acme, idea: Json) -> Json:
    """The idea's one piece of evidence."""
    [found] = (await acme.client.get(f"/ideas/{idea['id']}/evidence")).json()
    return {**found, "path": f"/ideas/{idea['id']}/evidence/{found['id']}"}


async def change(acme: Acme, piece: Json, body: Any = None, **fields: Any) -> httpx2.Response:
    return await acme.client.patch(piece["path"], json=fields if body is None else body)


async def changed(acme: Acme, piece: Json, **fields: Any) -> Json:
    answer = await change(acme, piece, **fields)
    assert answer.status_code == 200, answer.text
    shown: Json = answer.json()
    return shown


async def shown(acme: Acme, idea: Json, visibility: str = "all") -> list[Json]:
    answer = await acme.client.get(f"/ideas/{idea['id']}/evidence", params={"visibility": visibility})
    pieces: list[Json] = answer.json()
    return pieces


async def test_a_role_is_changed_and_the_rest_stays(acme: Acme, idea: Json, piece: Json) -> None:
    for role in ("qualifies", "contradicts", "context", "supports"):
        after = await changed(acme, piece, role=role)
        assert {**after, "path": piece["path"]} == {**piece, "role": role}
        assert await shown(acme, idea) == [after]


async def test_resolving_records_when_by_whom_and_how(acme: Acme, idea: Json, piece: Json) -> None:
    after = await changed(acme, piece, resolved=True, resolution="Fixed in May.")
    owner_id = await acme.value("SELECT id::text FROM members WHERE workspace_id = $1 AND key = 'owner'")
    assert (after["resolution"], after["resolvedByUserId"]) == ("Fixed in May.", owner_id)
    assert after["resolvedAt"].endswith("Z")
    assert (await shown(acme, idea, "active"), await shown(acme, idea)) == ([], [after])


async def test_resolving_again_keeps_the_first_time(acme: Acme, piece: Json) -> None:
    first = await changed(acme, piece, resolved=True)
    assert await changed(acme, piece, resolved=True) == first
    worded = await changed(acme, piece, resolved=True, resolution="Fixed in May.")
    assert worded == {**first, "resolution": "Fixed in May."}


async def test_unresolving_takes_everything_about_it_back(acme: Acme, idea: Json, piece: Json) -> None:
    await changed(acme, piece, resolved=True, resolution="Fixed in May.")
    after = await changed(acme, piece, resolved=False)
    assert (after["resolvedAt"], after["resolvedByUserId"], after["resolution"]) == (None, None, None)
    assert await shown(acme, idea, "active") == [after]


async def test_a_resolution_resolves(acme: Acme, idea: Json, piece: Json) -> None:
    after = await changed(acme, piece, resolution="Fixed in May.")
    assert (after["resolution"], after["resolvedByUserId"] is None) == ("Fixed in May.", False)
    assert after["resolvedAt"].endswith("Z")
    assert await changed(acme, piece, resolution="Fixed in June.") == {**after, "resolution": "Fixed in June."}
    assert await shown(acme, idea, "active") == []


async def test_a_resolution_taken_back_opens_the_evidence(acme: Acme, idea: Json, piece: Json) -> None:
    await changed(acme, piece, resolution="Fixed in May.")
    after = await changed(acme, piece, resolution=None)
    assert (after["resolvedAt"], after["resolvedByUserId"], after["resolution"]) == (None, None, None)
    assert await shown(acme, idea, "active") == [after]


async def test_the_wording_alone_can_be_removed(acme: Acme, piece: Json) -> None:
    first = await changed(acme, piece, resolved=True, resolution="Fixed in May.")
    assert await changed(acme, piece, resolved=True, resolution=None) == {**first, "resolution": None}


async def test_dismissed_evidence_can_be_restored(acme: Acme, idea: Json, piece: Json) -> None:
    after = await changed(acme, piece, dismissed=True)
    assert after["dismissedAt"].endswith("Z")
    assert await shown(acme, idea, "active") == []
    assert await changed(acme, piece, dismissed=True) == after
    assert (await changed(acme, piece, dismissed=False))["dismissedAt"] is None
    assert len(await shown(acme, idea, "active")) == 1


async def test_an_empty_change_is_refused(acme: Acme, idea: Json, piece: Json) -> None:
    refused(await change(acme, piece, {}), 400, "VALIDATION_FAILED")


async def test_invalid_values_are_refused(acme: Acme, idea: Json, piece: Json) -> None:
    for field, wrong in [
        ("role", "proves"),
        ("role", "Supports"),
        ("role", None),
        ("resolved", None),
        ("resolved", "yes"),
        ("dismissed", None),
        ("dismissed", 1),
        ("resolution", ""),
        ("resolution", " \n"),
        ("resolution", "x" * 10_001),
        ("title", "Another"),
        ("origin", "import"),
        ("resolvedAt", None),
    ]:
        refused(await change(acme, piece, {field: wrong}), 400, "VALIDATION_FAILED", field)
    refused(await change(acme, piece, resolved=False, resolution="Open."), 400, "VALIDATION_FAILED", "resolution")
    [left] = await shown(acme, idea)
    assert left == {name: value for name, value in piece.items() if name != "path"}


async def test_the_ideas_own_fields_do_not_move(acme: Acme, idea: Json, piece: Json) -> None:
    await changed(acme, piece, role="context", dismissed=True)
    assert await acme.read(idea) == idea


async def test_a_change_is_in_the_trail(acme: Acme, idea: Json, piece: Json) -> None:
    await changed(acme, piece, role="context")
    await changed(acme, piece, role="context")
    done = [entry for entry in await trail(acme, piece["id"]) if entry[0] == "updated"]
    assert done == [("updated", {"ideaId": idea["id"]})]


async def test_evidence_of_another_idea_is_not_found(acme: Acme, piece: Json) -> None:
    other = await from_file(acme)
    for path in (f"/ideas/{other['id']}/evidence/{piece['id']}", piece["path"][:-36] + str(uuid4())):
        refused(await acme.client.patch(path, json={"role": "context"}), 404, "NOT_FOUND")
    refused(await acme.client.patch(piece["path"][:-36] + "first", json={}), 400, "INVALID_REFERENCE")


async def test_a_stale_tag_is_refused(acme: Acme, piece: Json) -> None:
    tag = (await change(acme, piece, role="context")).headers["etag"]
    headers = {"If-Match": tag}
    assert (await acme.client.patch(piece["path"], json={"resolved": True}, headers=headers)).status_code == 200
    answer = await acme.client.patch(piece["path"], json={"resolved": False}, headers=headers)
    refused(answer, 412, "PRECONDITION_FAILED")


async def test_of_many_that_resolve_it_at_once_all_get_the_first(acme: Acme, piece: Json) -> None:
    answers = await at_once(change(acme, piece, resolved=True) for _ in range(8))
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].status_code == 200


async def test_concurrent_changes_of_different_fields_are_all_kept(acme: Acme, idea: Json, piece: Json) -> None:
    bodies: list[Json] = [{"role": "context"}, {"dismissed": True}, {"resolved": True}, {"resolution": "Done."}]
    assert {answer.status_code for answer in await at_once(change(acme, piece, body) for body in bodies)} == {200}
    [left] = await shown(acme, idea)
    assert (left["role"], left["resolution"]) == ("context", "Done.")
    assert None not in (left["dismissedAt"], left["resolvedAt"])


async def test_changing_evidence_needs_to_read_it_and_to_write_ideas(acme: Acme, piece: Json) -> None:
    for scopes, status in [
        (("ideas:write", "signals:read"), 200),
        (("ideas:write", "signal-evidence:read"), 200),
        (("ideas:read", "ideas:write"), 403),
        (("ideas:read", "signals:read"), 403),
    ]:
        client = await acme.world.client_with(*scopes)
        assert (await client.patch(piece["path"], json={"role": "context"})).status_code == status
