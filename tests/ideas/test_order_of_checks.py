"""Which refusal comes first when a new idea is wrong in more than one way."""

from typing import Any
from uuid import uuid4

from tests.ideas.acme import Acme, refused

WRONG_BODY = {"description": ""}
FOREIGN = {"description": "d", "productId": str(uuid4())}
CONFLICT = {"description": "d", "status": "Promoted"}
FINE = {"description": "d"}


async def code(client: Any, body: dict[str, str]) -> str:
    return str((await client.post("/ideas", json=body)).json().get("code"))


async def test_key_then_scope_then_body_then_references_then_creator_then_conflict(acme: Acme) -> None:
    reader = await acme.world.client_with("ideas:read")
    creatorless = await acme.world.client_with("ideas:write", member=None)
    nobody = acme.world.client_of(None)
    bodies = (WRONG_BODY, FOREIGN, CONFLICT, FINE)
    assert [await code(nobody, body) for body in bodies] == ["INVALID_API_KEY"] * 4
    assert [await code(reader, body) for body in bodies] == ["INSUFFICIENT_SCOPE"] * 4
    refusals = ["VALIDATION_FAILED", "NOT_FOUND", "CREATOR_NOT_ALLOWED", "CREATOR_NOT_ALLOWED"]
    assert [await code(creatorless, body) for body in bodies] == refusals
    refusals = ["VALIDATION_FAILED", "NOT_FOUND", "PROMOTION_RESERVED", "None"]
    assert [await code(acme.client, body) for body in bodies] == refusals


async def test_members_of_sets_and_labels_come_before_single_records(acme: Acme) -> None:
    refused(await acme.post(insightIds=[str(uuid4())], productId=str(uuid4())), 400, "VALIDATION_FAILED", "insightIds")
    refused(await acme.post(status="Soon", productId=str(uuid4())), 400, "UNKNOWN_STATUS")


async def test_the_scope_is_checked_before_the_reference(acme: Acme) -> None:
    writer = await acme.world.client_with("ideas:write")
    for ref in ("shapeless", "IDEA-999"):
        refused(await writer.get(f"/ideas/{ref}"), 403, "INSUFFICIENT_SCOPE")


async def test_a_malformed_reference_is_refused_before_a_wrong_query(acme: Acme) -> None:
    refused(await acme.client.get("/ideas/shapeless?include=raw"), 400, "INVALID_REFERENCE")
    refused(await acme.client.get("/ideas/IDEA-999?include=raw"), 400, "VALIDATION_FAILED", "include")
