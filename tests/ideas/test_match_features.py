"""POST /ideas/:id/match-features: which features of its product an idea is about."""

import asyncio
from typing import Any
from uuid import UUID

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import EXPORT, INVOICES, Acme, Json, refused
from tests.ideas.workroom import change, from_file, holding, trail
from tests.waiting import until_blocked

pytestmark = pytest.mark.one_workspace

LONG = " ".join(f"Sentence number {n} says nothing of interest." for n in range(150)) + f" {EXPORT}"
_keys = (f"feature-{n}" for n in range(1000))


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    """An idea that is not matched yet."""
    return await from_file(acme, product="app", description=EXPORT)


async def ask(acme: Acme, idea: Json, **headers: str) -> httpx2.Response:
    return await acme.client.post(f"/ideas/{idea['id']}/match-features", headers=headers)


async def match(acme: Acme, idea: Json) -> Json:
    """The receipt; the idea shows the same."""
    answer = await ask(acme, idea)
    assert answer.status_code == 201, answer.text
    receipt: Json = answer.json()
    assert receipt.keys() == {"ideaId", "ideaPublicId", "featureIds", "featureMatching"}
    assert (receipt["ideaId"], receipt["ideaPublicId"]) == (idea["id"], idea["publicId"])
    read = await acme.read(idea)
    assert (receipt["featureIds"], receipt["featureMatching"]) == (read["featureIds"], read["featureMatching"])
    return receipt


def status(receipt: Json) -> Any:
    return receipt["featureMatching"]["status"]


async def new_feature(acme: Acme, name: str = "Robot gardeners", product: str = "app") -> str:
    """Another feature of a product: its feature map moves."""
    key = next(_keys)
    await acme.world.add(products=[{"key": product, "features": [{"key": key, "name": name}]}])
    return (await acme.world.ids("features"))[key]


async def test_a_clear_match_is_applied_and_rests_on_the_ideas_own_words(acme: Acme, idea: Json) -> None:
    assert (idea["featureIds"], idea["featureMatching"]) == ([], None)
    receipt = await match(acme, idea)
    matching = receipt["featureMatching"]
    assert (receipt["featureIds"], matching["status"]) == ([acme.features["export"]], "matched")
    [found] = matching["matches"]
    assert found.keys() == {"featureId", "reasoning", "sourceQuote", "confidence"}
    assert found["featureId"] == acme.features["export"]
    assert found["sourceQuote"] in idea["description"]
    assert found["reasoning"].strip()
    assert 0 < found["confidence"] <= 1
    assert matching.keys() == {"status", "productId", "matches", "suggestions", "matchedAt", "matcher"}
    assert (matching["productId"], matching["matcher"].keys()) == (acme.products["app"], {"name", "version"})


async def test_what_is_uncertain_stays_a_suggestion(acme: Acme) -> None:
    receipt = await match(acme, await from_file(acme, product="app", description="Keep an invoice for years."))
    assert (receipt["featureIds"], status(receipt), receipt["featureMatching"]["matches"]) == ([], "needs_review", [])
    [suggestion] = receipt["featureMatching"]["suggestions"]
    assert suggestion["featureId"] == acme.features["billing"]
    assert suggestion["sourceQuote"] in "Keep an invoice for years."


async def test_every_quote_is_an_exact_part_of_the_description(acme: Acme) -> None:
    text = f"  \u00c4rger!\n\n{EXPORT}\n\t{INVOICES} \u2013 \U0001f600 and we search records by their words. "
    receipt = await match(acme, await from_file(acme, product="app", description=text))
    found = receipt["featureMatching"]["matches"] + receipt["featureMatching"]["suggestions"]
    assert {acme.features["export"], acme.features["billing"]} <= {each["featureId"] for each in found}
    assert all(each["sourceQuote"] and each["sourceQuote"] in text for each in found)


async def test_without_a_match_nothing_is_linked(acme: Acme) -> None:
    receipt = await match(acme, await from_file(acme, product="app", description="Paint the office green."))
    assert (receipt["featureIds"], status(receipt)) == ([], "no_match")


async def test_a_product_without_features_says_so(acme: Acme) -> None:
    receipt = await match(acme, await from_file(acme, product="bare"))
    assert (receipt["featureIds"], status(receipt)) == ([], "no_features")
    assert receipt["featureMatching"]["productId"] == acme.products["bare"]


async def test_without_a_product_there_is_no_matching(acme: Acme) -> None:
    idea = await from_file(acme)
    assert await match(acme, idea) == {
        **{"ideaId": idea["id"], "ideaPublicId": idea["publicId"], "featureIds": [], "featureMatching": None},
    }
    assert await acme.read(idea) == idea


async def test_a_manual_selection_is_preserved(acme: Acme, idea: Json) -> None:
    for expected in ([acme.features["search"]], []):
        before = await change(acme, idea, featureIds=expected)
        assert (await match(acme, idea))["featureIds"] == expected
        assert await acme.read(idea) == before


async def test_a_manual_selection_of_a_file_is_preserved_and_says_so(acme: Acme) -> None:
    chosen = {"product": "app", "features": ["search"], "featureOwnership": "manual", "description": EXPORT}
    receipt = await match(acme, await from_file(acme, **chosen))
    assert (receipt["featureIds"], status(receipt)) == ([acme.features["search"]], "manual")
    assert receipt["featureMatching"]["matches"] == []
    empty = await match(acme, await from_file(acme, **{**chosen, "features": []}))
    assert (empty["featureIds"], status(empty)) == ([], "manual")


async def test_an_unchanged_result_is_used_again(acme: Acme, idea: Json) -> None:
    first = await match(acme, idea)
    before = await acme.read(idea)
    assert await match(acme, idea) == first
    assert await acme.read(idea) == before
    assert [action for action, _ in await trail(acme, idea["id"])].count("features_matched") == 1


async def test_what_was_matched_on_creation_is_used_again(acme: Acme) -> None:
    created = await acme.create(productId=acme.products["app"])
    assert (await match(acme, created))["featureMatching"] == created["featureMatching"]


async def test_another_name_does_not_change_the_result(acme: Acme, idea: Json) -> None:
    first = await match(acme, idea)
    await change(acme, idea, name="Invoice archive", accountIds=[acme.accounts["globex"]])
    assert await match(acme, idea) == first


async def test_another_description_is_matched_again(acme: Acme, idea: Json) -> None:
    await match(acme, idea)
    await change(acme, idea, description=INVOICES)
    receipt = await match(acme, idea)
    assert receipt["featureIds"] == [acme.features["billing"]]
    assert all(each["sourceQuote"] in INVOICES for each in receipt["featureMatching"]["matches"])


async def test_another_feature_map_is_matched_again(acme: Acme) -> None:
    idea = await from_file(acme, product="app", description="We need robot gardeners.")
    assert status(await match(acme, idea)) == "no_match"
    feature_id = await new_feature(acme)
    assert (await match(acme, idea))["featureIds"] == [feature_id]
    await acme.run("DELETE FROM features WHERE workspace_id = $1 AND id = $2", UUID(feature_id))
    receipt = await match(acme, idea)
    assert (receipt["featureIds"], status(receipt)) == ([], "no_match")


async def test_a_feature_of_another_products_map_changes_nothing(acme: Acme, idea: Json) -> None:
    first = await match(acme, idea)
    await new_feature(acme, "CSV export", product="desk")
    assert await match(acme, idea) == first


async def test_a_feature_that_no_longer_matches_is_unlinked(acme: Acme) -> None:
    idea = await from_file(acme, product="app", description=EXPORT, features=["search", "export"])
    assert (await match(acme, idea))["featureIds"] == [acme.features["export"]]


async def test_matching_never_touches_the_insights(acme: Acme, idea: Json) -> None:
    linked = await change(acme, idea, insightIds=[acme.insights["insight-1"]], validateInsightLinks=True)
    await match(acme, idea)
    assert (await acme.read(idea))["insightIds"] == linked["insightIds"]
    assert await acme.validated_insights(idea) == {"insight-1"}


async def test_a_long_text_is_matched_as_well(acme: Acme) -> None:
    receipt = await match(acme, await from_file(acme, product="app", description=LONG))
    assert receipt["featureIds"] == [acme.features["export"]]


async def test_an_idea_that_changes_during_matching_has_to_be_read_again(acme: Acme) -> None:
    for text in (EXPORT, LONG):
        idea = await from_file(acme, product="app", description=text)
        for column, value in [("description", "'Moved.'"), ("feature_ownership", "'manual'"), ("product_id", "NULL")]:
            async with holding(acme, idea) as tx:
                asking = asyncio.create_task(ask(acme, idea))
                await until_blocked(acme.world.database)
                statement = f"UPDATE ideas SET {column} = {value} WHERE workspace_id = $1 AND id = $2"  # noqa: S608
                await tx.connection.execute(statement, acme.world.workspace_id, UUID(idea["id"]))
            refused(await asking, 409, "MATCHING_STALE")
            assert (await acme.read(idea))["featureIds"] == []
            idea = await from_file(acme, product="app", description=text)


async def test_a_feature_map_that_changes_during_matching_has_to_be_read_again(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea):
        asking = asyncio.create_task(ask(acme, idea))
        await until_blocked(acme.world.database)
        await new_feature(acme, "Weather reports")
    refused(await asking, 409, "MATCHING_STALE")
    assert await acme.read(idea) == idea
    assert (await match(acme, idea))["featureIds"] == [acme.features["export"]]


async def test_an_idea_that_is_deleted_during_matching_is_gone(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea) as tx:
        asking = asyncio.create_task(ask(acme, idea))
        await until_blocked(acme.world.database)
        await tx.connection.execute(
            "DELETE FROM ideas WHERE workspace_id = $1 AND id = $2", acme.world.workspace_id, UUID(idea["id"])
        )
    refused(await asking, 409, "MATCHING_STALE")
    refused(await ask(acme, idea), 404, "NOT_FOUND")


async def test_an_unrelated_change_may_come_during_matching(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea) as tx:
        asking = asyncio.create_task(ask(acme, idea))
        await until_blocked(acme.world.database)
        renamed = "UPDATE ideas SET name = 'Renamed', version = version + 1 WHERE workspace_id = $1 AND id = $2"
        await tx.connection.execute(renamed, acme.world.workspace_id, UUID(idea["id"]))
    assert (await asking).status_code == 201
    read = await acme.read(idea)
    assert (read["name"], read["featureIds"]) == ("Renamed", [acme.features["export"]])


async def test_a_tag_has_to_be_true_also_after_matching(acme: Acme, idea: Json) -> None:
    tag = (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    async with holding(acme, idea) as tx:
        asking = asyncio.create_task(ask(acme, idea, **{"If-Match": tag}))
        await until_blocked(acme.world.database)
        moved = "UPDATE ideas SET version = version + 1 WHERE workspace_id = $1 AND id = $2"
        await tx.connection.execute(moved, acme.world.workspace_id, UUID(idea["id"]))
    refused(await asking, 412, "PRECONDITION_FAILED")
    refused(await ask(acme, idea, **{"If-Match": tag}), 412, "PRECONDITION_FAILED")


async def test_concurrent_requests_get_one_result(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea):
        asking = [asyncio.create_task(ask(acme, idea)) for _ in range(4)]
        await until_blocked(acme.world.database, 4)
    answers = await asyncio.gather(*asking)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert [action for action, _ in await trail(acme, idea["id"])].count("features_matched") == 1


async def test_a_body_is_ignored(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['publicId'].lower()}/match-features"
    answer = await acme.client.post(path, content=b"{;", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["ideaId"]) == (201, idea["id"])


async def test_an_unknown_idea_is_not_matched(acme: Acme) -> None:
    refused(await acme.client.post("/ideas/IDEA-999999/match-features"), 404, "NOT_FOUND")
    refused(await acme.client.post("/ideas/nothing/match-features"), 400, "INVALID_REFERENCE")
