"""POST /ideas/:id/evidence: evidence that people add, with exact quotes from signals."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import from_file, trail

pytestmark = pytest.mark.one_workspace

TEXT = "We copy every table by hand.\nIt takes a day \u2013 each week."
TURNS = [{"speaker": "Ada", "text": "Exports would help."}, {"speaker": "Bo", "text": "Every week?"}]


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await from_file(acme)


async def signal(acme: Acme, **fields: Any) -> str:
    """A new signal with that content; its id."""
    body = {"name": "A call", "sourceKey": "desk", "externalId": str(uuid4()), **fields}
    answer = await acme.client.post("/signals", json=body)
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["id"]
    return id


async def add(acme: Acme, idea: Json, **fields: Any) -> httpx2.Response:
    return await acme.client.post(f"/ideas/{idea['id']}/evidence", json={"title": "Copied by hand", **fields})


async def added(acme: Acme, idea: Json, **fields: Any) -> Json:
    answer = await add(acme, idea, **fields)
    assert answer.status_code == 201, answer.text
    evidence: Json = answer.json()
    return evidence


async def shown(acme: Acme, idea: Json) -> list[Json]:
    evidence: list[Json] = (await acme.client.get(f"/ideas/{idea['id']}/evidence")).json()
    return evidence


async def test_a_title_is_all_that_is_needed(acme: Acme, idea: Json) -> None:
    evidence = await added(acme, idea)
    assert [evidence[name] for name in ("title", "description", "category", "role", "origin")] == [
        *("Copied by hand", "", "observation", "supports", "manual")
    ]
    assert (evidence["extracts"], evidence["signalId"], evidence["resolvedAt"]) == (None, None, None)
    assert await shown(acme, idea) == [evidence]


async def test_all_sent_fields_are_shown(acme: Acme, idea: Json) -> None:
    id = await signal(acme, text=TEXT)
    sent = {"description": "In an interview.", "category": "problem", "role": "qualifies"}
    extracts = [{"text": "table by hand.\nIt takes a day \u2013 each", "signalId": id}, {"text": TEXT, "signalId": id}]
    evidence = await added(acme, idea, **sent, extracts=extracts)
    assert {name: evidence[name] for name in sent} == sent
    assert (evidence["extracts"], evidence["signalId"]) == (extracts, id)
    assert evidence["signalPublicId"].startswith("SIGNAL-")


async def test_a_signal_is_named_by_its_public_id_too_and_the_description_may_be_empty(acme: Acme, idea: Json) -> None:
    id = await signal(acme, text=TEXT)
    public_id = (await acme.client.get(f"/signals/{id}")).json()["publicId"]
    for name in (public_id, public_id.lower(), id.upper()):
        evidence = await added(acme, idea, description="", extracts=[{"text": "by hand", "signalId": name}])
        assert (evidence["description"], evidence["signalId"], evidence["signalPublicId"]) == ("", id, public_id)
        assert evidence["extracts"] == [{"text": "by hand", "signalId": id}]
    for name in ("SIGNAL-999999", "IDEA-1", "SIGNAL-0", "signal", 7):
        answer = await add(acme, idea, extracts=[{"text": "by hand", "signalId": name}])
        refused(answer, 400, "VALIDATION_FAILED", "extracts[0].signalId")
    foreign = await add(acme, idea, extracts=[{"text": "another", "signalId": public_id}])
    refused(foreign, 400, "VALIDATION_FAILED", "extracts[0].text")


async def test_a_quote_may_be_part_of_a_turn(acme: Acme, idea: Json) -> None:
    id = await signal(acme, transcript={"turns": TURNS})
    evidence = await added(acme, idea, extracts=[{"text": "would help", "signalId": id}])
    assert evidence["extracts"] == [{"text": "would help", "signalId": id}]
    over_two_turns = await add(acme, idea, extracts=[{"text": "help.Every", "signalId": id}])
    refused(over_two_turns, 400, "VALIDATION_FAILED", "extracts[0].text")


async def test_a_quote_that_is_not_in_the_signal_is_refused(acme: Acme, idea: Json) -> None:
    id = await signal(acme, text=TEXT)
    for text in ("we copy", "We  copy", "by hand. It", "a day - each", "speaker"):
        answer = await add(acme, idea, extracts=[{"text": TEXT, "signalId": id}, {"text": text, "signalId": id}])
        assert refused(answer, 400, "VALIDATION_FAILED", "extracts[1].text")["field"] == "extracts[1].text"
    assert await shown(acme, idea) == []


async def test_every_wrong_extract_is_named(acme: Acme, idea: Json) -> None:
    id = await signal(acme, text=TEXT)
    wrong = [{"text": "No.", "signalId": id}, {"text": TEXT, "signalId": str(uuid4())}]
    problem = refused(await add(acme, idea, extracts=wrong), 400, "VALIDATION_FAILED")
    assert [fault["path"] for fault in problem["errors"]] == ["extracts[0].text", "extracts[1].signalId"]


async def test_a_signal_of_another_workspace_is_not_found(acme: Acme, idea: Json) -> None:
    async with acme.world.stranger() as stranger:
        made = await stranger.client.post("/signals", json={"name": "Theirs", "text": TEXT})
        assert made.status_code == 201, made.text
        answer = await add(acme, idea, extracts=[{"text": TEXT, "signalId": made.json()["id"]}])
    refused(answer, 400, "VALIDATION_FAILED", "extracts[0].signalId")


async def test_invalid_values_are_refused(acme: Acme, idea: Json) -> None:
    for field, wrong in [
        ("title", None),
        ("title", " "),
        ("title", "x" * 1001),
        ("category", ""),
        ("role", "proves"),
        ("description", 1),
        ("extracts", [{"text": ""}] * 21),
        ("origin", "import"),
    ]:
        refused(await add(acme, idea, **{field: wrong}), 400, "VALIDATION_FAILED", field)


async def test_null_means_omitted(acme: Acme, idea: Json) -> None:
    plain = await added(acme, idea)
    nulls = await added(acme, idea, **dict.fromkeys(("description", "category", "role", "extracts")))
    assert {**plain, "id": None} == {**nulls, "id": None}


async def test_the_idea_does_not_change_and_the_trail_has_the_addition(acme: Acme, idea: Json) -> None:
    evidence = await added(acme, idea)
    assert await acme.read(idea) == idea
    assert await trail(acme, evidence["id"]) == [("created", {"ideaId": idea["id"]})]


async def test_the_tag_is_that_of_the_first_version(acme: Acme, idea: Json) -> None:
    answer = await add(acme, idea)
    path = f"/ideas/{idea['id']}/evidence/{answer.json()['id']}"
    headers = {"If-Match": answer.headers["etag"]}
    assert (await acme.client.patch(path, json={"role": "context"}, headers=headers)).status_code == 200
    refused(await acme.client.patch(path, json={"role": "supports"}, headers=headers), 412, "PRECONDITION_FAILED")


async def test_a_signal_deleted_at_the_same_time_never_breaks_an_addition(acme: Acme, idea: Json) -> None:
    for _ in range(8):
        id = await signal(acme, text=TEXT)
        answer, _ = await asyncio.gather(
            add(acme, idea, extracts=[{"text": TEXT, "signalId": id}]), acme.client.delete(f"/signals/{id}")
        )
        assert answer.status_code in (201, 400), answer.text
