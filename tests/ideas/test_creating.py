"""POST /ideas: what may be sent and what becomes of it."""

import json
import re
from typing import Any

import pytest

from tests.ideas.acme import EXPORT, Acme, refused

MIB = 1024 * 1024
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
OPTIONAL = (
    *("name", "status", "sourceKey", "externalId", "integrationId", "productId"),
    *("featureIds", "insightIds", "accountIds", "validateInsightLinks", "classifications"),
    *("portalVisible", "officialAnswer"),
)


async def test_a_description_is_all_that_is_needed(acme: Acme) -> None:
    answer = await acme.post({"description": EXPORT})
    assert answer.status_code == 201
    assert answer.json()["description"] == EXPORT


async def test_all_sent_fields_are_shown(acme: Acme) -> None:
    body = {
        "name": "Exports",
        "description": EXPORT,
        "status": "Under review",
        "sourceKey": "desk",
        "externalId": "4711",
        "integrationId": acme.integrations["forms"],
        "productId": acme.products["app"],
        "featureIds": [acme.features["export"]],
        "insightIds": [acme.insights["insight-1"]],
        "accountIds": [acme.accounts["globex"]],
        "portalVisible": True,
        "officialAnswer": "We build it in **May**.",
    }
    created = await acme.create(**body)
    assert {name: created[name] for name in body} == body


async def test_a_new_idea_has_no_links_but_those_sent(acme: Acme) -> None:
    created = await acme.create()
    assert created["projectId"] is created["productId"] is created["featureMatching"] is None
    links = ("featureIds", "insightIds", "accountIds", "opportunityIds")
    assert [created[name] for name in links] == [[], [], [], []]


async def test_null_means_omitted(acme: Acme) -> None:
    plain = await acme.create()
    nulls = await acme.create(**dict.fromkeys(OPTIONAL))
    changing = {"id", "publicId", "createdAt", "updatedAt"}
    assert {name: nulls[name] for name in nulls if name not in changing} == {
        name: plain[name] for name in plain if name not in changing
    }


async def test_a_null_description_is_refused(acme: Acme) -> None:
    refused(await acme.post({"description": None}), 400, "VALIDATION_FAILED", "description")


async def test_a_missing_description_is_refused(acme: Acme) -> None:
    refused(await acme.post({"name": "Exports"}), 400, "VALIDATION_FAILED", "description")


async def test_a_blank_description_is_refused(acme: Acme) -> None:
    for blank in ["", " ", "\n\t ", "\u00a0\u2003"]:
        refused(await acme.post(description=blank), 400, "VALIDATION_FAILED", "description")


async def test_a_description_is_stored_as_sent(acme: Acme) -> None:
    text = "  Two lines,\r\n\twith white space around \u2028 and \U0001f4a1.\n "
    created = await acme.create(description=text)
    assert created["description"] == (await acme.read(created))["description"] == text


@pytest.mark.parametrize("piece", ["x", "word ", "\U0001f4a1 ", "one\ttwo\n"])
async def test_a_description_may_fill_the_body(acme: Acme, piece: str) -> None:
    room = MIB - len(json.dumps({"description": "", "productId": acme.products["app"]}))
    text = piece * (room // len(json.dumps(piece)[1:-1]))
    body = json.dumps({"description": text, "productId": acme.products["app"]})
    assert MIB - 100 < len(body) <= MIB
    answer = await acme.client.post("/ideas", content=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["description"] == text


async def test_a_body_past_one_mebibyte_is_refused(acme: Acme) -> None:
    body = json.dumps({"description": "x"}).ljust(MIB + 1)
    problem = refused(await acme.client.post("/ideas", content=body), 413, "BODY_TOO_LARGE")
    assert problem["limit"] == MIB
    assert (await acme.client.post("/ideas", content=body[:-1])).status_code == 201


async def test_a_body_past_the_limit_is_refused_when_its_length_is_not_announced(acme: Acme) -> None:
    async def pieces() -> Any:
        for _ in range(17):
            yield b" " * 65536

    refused(await acme.client.post("/ideas", content=pieces()), 413, "BODY_TOO_LARGE")


async def test_a_name_is_trimmed(acme: Acme) -> None:
    assert (await acme.create(name="\t Exports for\nall \u3000"))["name"] == "Exports for\nall"


async def test_a_name_has_at_most_1000_characters_after_trimming(acme: Acme) -> None:
    assert (await acme.create(name=f"  {'n' * 1000}  "))["name"] == "n" * 1000
    refused(await acme.post(name="n" * 1001), 400, "VALIDATION_FAILED", "name")


async def test_a_blank_name_is_refused(acme: Acme) -> None:
    for blank in ["", "  ", "\n"]:
        refused(await acme.post(name=blank), 400, "VALIDATION_FAILED", "name")


async def test_every_fault_is_named_at_once(acme: Acme) -> None:
    answer = await acme.post({"name": " ", "productId": "app", "featureIds": ["export"], "votes": 3})
    problem = refused(answer, 400, "VALIDATION_FAILED")
    assert {fault["path"] for fault in problem["errors"]} == {
        *("description", "name", "productId", "featureIds[0]", "votes"),
    }


async def test_fields_set_by_the_server_are_refused(acme: Acme) -> None:
    for field in ["id", "publicId", "createdSource", "provenance", "createdAt", "projectId"]:
        refused(await acme.post(**{field: None}), 400, "VALIDATION_FAILED", field)


async def test_the_channel_is_api_and_the_origin_names_the_key(acme: Acme) -> None:
    created = await acme.create(sourceKey="desk", externalId="4711")
    context = (await acme.client.get("/auth/context")).json()
    assert created["createdSource"] == "api"
    assert created["provenance"] == {
        "method": "api",
        "credentialId": context["credential"]["id"],
        "sourceKey": "desk",
        "externalId": "4711",
    }


async def test_a_new_idea_was_updated_when_it_was_created(acme: Acme) -> None:
    created = await acme.create()
    assert MOMENT.fullmatch(created["createdAt"])
    assert created["createdAt"] == created["updatedAt"]


async def test_the_response_equals_the_stored_idea(acme: Acme) -> None:
    created = await acme.create(
        productId=acme.products["app"],
        insightIds=list(acme.insights.values()),
        accountIds=list(acme.accounts.values()),
    )
    assert await acme.read(created) == created
    assert await acme.list() == [created]


async def test_the_answer_carries_the_tag_of_the_first_version(acme: Acme) -> None:
    answer = await acme.post()
    read = await acme.client.get(f"/ideas/{answer.json()['id']}")
    assert answer.headers["etag"] == read.headers["etag"]


async def test_public_ids_count_up_and_every_refusal_adds_nothing(acme: Acme) -> None:
    first = await acme.create()
    refused(await acme.post(status="Nowhere"), 400, "UNKNOWN_STATUS")
    refused(await acme.post(status="Promoted"), 409, "PROMOTION_RESERVED")
    refused(await acme.post(insightIds=[acme.accounts["globex"]]), 400, "VALIDATION_FAILED", "insightIds")
    second = await acme.create()
    numbers = [int(idea["publicId"].removeprefix("IDEA-")) for idea in (first, second)]
    assert numbers[0] < numbers[1]
    assert [idea["id"] for idea in await acme.list()] == [second["id"], first["id"]]
    assert await acme.total() == 2


async def test_a_creation_is_in_the_trail(acme: Acme) -> None:
    created = await acme.create()
    action = "SELECT action FROM changes WHERE workspace_id = $1 AND public_id = $2 AND actor_kind = 'key'"
    assert await acme.value(action, created["publicId"]) == "created"
