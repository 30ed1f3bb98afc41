"""A stored matching belongs to the stored description: every change of the text matches again, or drops the quotes."""

import asyncio
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from sightline.platform.errors import ValidationFailed
from tests.ideas.acme import EXPORT, INVOICES, Acme, Json
from tests.ideas.workroom import at_once, change, from_file, holding, patch
from tests.waiting import until_blocked

pytestmark = pytest.mark.one_workspace

CROWD = 12


@pytest_asyncio.fixture
async def matched(acme: Acme) -> Json:
    """An idea whose feature was found in its text."""
    return await acme.create(productId=acme.products["app"])


def quotes(idea: Json) -> list[str]:
    matching = idea["featureMatching"] or {"matches": [], "suggestions": []}
    return [each["sourceQuote"] for each in (*matching["matches"], *matching["suggestions"])]


def belongs(idea: Json) -> bool:
    """Every quote is a part of the description, and the matched features are those of the idea."""
    features = [match["featureId"] for match in idea["featureMatching"]["matches"]]
    return all(quote in idea["description"] for quote in quotes(idea)) and features == idea["featureIds"]


async def test_a_new_description_is_matched_in_the_same_request(acme: Acme, matched: Json) -> None:
    after = await change(acme, matched, description=INVOICES)
    assert (after["featureIds"], after["featureMatching"]["status"]) == ([acme.features["billing"]], "matched")
    assert quotes(after)
    assert belongs(after)
    assert await acme.read(matched) == after


async def test_the_same_description_changes_nothing(acme: Acme, matched: Json) -> None:
    assert await change(acme, matched, description=matched["description"]) == matched


async def test_a_description_that_fits_nothing_leaves_no_match(acme: Acme, matched: Json) -> None:
    after = await change(acme, matched, description="Paint the office green.")
    assert (after["featureIds"], after["featureMatching"]["status"], quotes(after)) == ([], "no_match", [])


async def test_chosen_features_stay(acme: Acme, matched: Json) -> None:
    chosen = await change(acme, matched, featureIds=[acme.features["search"]])
    after = await change(acme, matched, description=INVOICES)
    assert (after["featureIds"], after["featureMatching"]) == (chosen["featureIds"], chosen["featureMatching"])
    both = await change(acme, await acme.create(productId=acme.products["app"]), description=INVOICES, featureIds=[])
    assert (both["featureIds"], both["featureMatching"]["status"]) == ([], "manual")


async def test_without_a_product_there_is_nothing_to_match(acme: Acme) -> None:
    after = await change(acme, await acme.create(), description=INVOICES)
    assert (after["featureIds"], after["featureMatching"]) == ([], None)


async def test_concurrent_descriptions_end_with_a_matching_of_the_last(acme: Acme, matched: Json) -> None:
    texts = [EXPORT, INVOICES, "Paint the office green."] * (CROWD // 3)
    answers = await at_once(patch(acme, matched, description=text) for text in texts)
    assert {answer.status_code for answer in answers} == {200}
    assert all(belongs(answer.json()) for answer in answers)
    assert belongs(await acme.read(matched))


async def test_descriptions_meet_matching_and_identity_updates(acme: Acme) -> None:
    source = {"sourceKey": "desk", "externalId": "crowd"}
    idea = await acme.create(**source, productId=acme.products["app"])
    requests = []
    for n in range(CROWD):
        text = (EXPORT, INVOICES)[n % 2]
        requests.append(patch(acme, idea, description=text))
        requests.append(acme.post(**{**source, "description": f"{text} Or so."}))
        requests.append(acme.client.post(f"/ideas/{idea['id']}/match-features"))
    answers = await at_once(requests)
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    assert belongs(await acme.read(idea))


async def test_a_product_that_changes_during_the_matching_is_the_one_that_is_matched(acme: Acme) -> None:
    source = {"sourceKey": "desk", "externalId": "product"}
    idea = await acme.create(**source, productId=acme.products["app"])
    async with holding(acme, idea) as tx:
        waiting = asyncio.create_task(patch(acme, idea, description=INVOICES))
        await until_blocked(acme.world.database)
        await tx.connection.execute(
            "UPDATE ideas SET product_id = $3, feature_matching = NULL, version = version + 1"
            " WHERE workspace_id = $1 AND id = $2",
            acme.world.workspace_id,
            UUID(idea["id"]),
            UUID(acme.products["desk"]),
        )
    after = (await waiting).json()
    assert after["featureMatching"]["productId"] == after["productId"] == acme.products["desk"]
    assert belongs(after)


async def stored_matching(acme: Acme, idea: Json, quote: str, key: str | None) -> None:
    """Stores a matching with that quote, as programs of another version may have left it."""
    await acme.run(
        "UPDATE ideas SET matched_key = $4, feature_matching = jsonb_set(feature_matching, '{matches,0,sourceQuote}',"
        " to_jsonb($3::text)) WHERE workspace_id = $1 AND id = $2",
        UUID(idea["id"]),
        quote,
        key,
    )


async def test_an_identity_update_mends_a_matching_of_another_text(acme: Acme) -> None:
    for n, key in enumerate([None, f"old/1/{acme.products['app']}/1/another-text"]):
        source = {"sourceKey": "desk", "externalId": f"stale-{n}"}
        idea = await acme.create(**source, productId=acme.products["app"])
        await stored_matching(acme, idea, "Words of an earlier text", key)
        mended = (await acme.post(**source)).json()
        assert (mended["id"], mended["description"]) == (idea["id"], idea["description"])
        assert quotes(mended)
        assert belongs(mended)
        assert (await acme.post(**source)).json() == mended


async def test_a_patch_mends_a_matching_of_another_text(acme: Acme, matched: Json) -> None:
    await stored_matching(acme, matched, "Words of an earlier text", None)
    after = await change(acme, matched, description=matched["description"])
    assert quotes(after)
    assert belongs(after)


async def test_a_matching_from_a_file_that_quotes_the_text_stays(acme: Acme) -> None:
    source = {"sourceKey": "desk", "externalId": "from-file"}
    given = (await acme.create(productId=acme.products["app"]))["featureMatching"]
    idea = await from_file(acme, **source, product="app", features=["export"], featureMatching=given)
    again = (await acme.post(**source, name=idea["name"])).json()
    assert (again["id"], again["featureMatching"]) == (idea["id"], given)


async def test_a_new_description_drops_quotes_where_nothing_is_matched(acme: Acme) -> None:
    given = (await acme.create(productId=acme.products["app"]))["featureMatching"]
    idea = await from_file(acme, product="app", featureOwnership="manual", featureMatching=given)
    after = await change(acme, idea, description="Paint the office green.")
    assert quotes(after) == []


async def test_a_file_with_a_new_description_drops_the_quotes_of_the_old_one(acme: Acme) -> None:
    key = str(uuid4())
    await acme.world.add(ideas=[{"key": key, "name": "Filed", "description": EXPORT, "product": "app"}])
    idea = {"id": (await acme.world.ids("ideas"))[key]}
    matched = await change(acme, idea, description=INVOICES)
    await acme.world.add(ideas=[{"key": key, "name": "Renamed"}])
    assert (await acme.read(idea))["featureMatching"] == matched["featureMatching"]
    await acme.world.add(ideas=[{"key": key, "description": "Paint the office green."}])
    assert (await acme.read(idea))["featureMatching"] is None
    await acme.world.add(ideas=[{"key": key, "description": INVOICES}])
    answer = await acme.client.post(f"/ideas/{idea['id']}/match-features")
    assert answer.json()["featureMatching"]["matches"] == matched["featureMatching"]["matches"]


async def test_a_file_whose_matching_quotes_other_words_is_refused(acme: Acme) -> None:
    matching = (await acme.create(productId=acme.products["app"]))["featureMatching"]
    idea = {"key": "misquoted", "name": "Misquoted", "description": INVOICES, "product": "app"}
    with pytest.raises(ValidationFailed) as refusal:
        await acme.world.add(ideas=[{**idea, "featureMatching": matching}])
    assert [fault.path for fault in refusal.value.extras["errors"]] == ["ideas[0].featureMatching"]


async def test_no_matching_is_left_of_a_product_that_was_removed(acme: Acme) -> None:
    async with acme.world.stranger() as world:
        product = {"key": "short", "name": "Short-lived", "features": [{"key": "csv", "name": "CSV export"}]}
        await world.add(products=[product])
        body = {"description": EXPORT, "productId": (await world.ids("products"))["short"]}
        idea = (await world.client.post("/ideas", json=body)).json()
        assert quotes(idea)
        await world.add(products=[], prune=["products"])
        after = (await world.client.get(f"/ideas/{idea['id']}")).json()
    assert (after["productId"], after["featureIds"], after["featureMatching"]) == (None, [], None)
