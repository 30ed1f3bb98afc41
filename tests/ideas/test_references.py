"""POST /ideas: the records that an idea names."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import CATALOG, Acme, refused
from tests.world import World

SETS = {"insightIds": "insights", "accountIds": "accounts"}


@pytest_asyncio.fixture
async def stranger(acme: Acme) -> AsyncIterator[World]:
    async with acme.world.stranger() as stranger:
        await stranger.add(**CATALOG)
        yield stranger


@pytest.mark.parametrize(("field", "kind"), [("productId", "products"), ("integrationId", "integrations")])
async def test_one_record_that_is_unknown_or_foreign_is_not_found(
    acme: Acme, stranger: World, field: str, kind: str
) -> None:
    foreign = next(iter((await stranger.ids(kind)).values()))
    bodies = []
    for id in (foreign, str(uuid4())):
        problem = refused(await acme.post(**{field: id}), 404, "NOT_FOUND", field)
        bodies.append({name: value for name, value in problem.items() if name != "requestId"})
    assert bodies[0] == bodies[1]
    assert await acme.total() == 0


@pytest.mark.parametrize(("field", "kind"), [*SETS.items(), ("featureIds", "features")])
async def test_a_set_with_an_unknown_or_foreign_member_is_refused(
    acme: Acme, stranger: World, field: str, kind: str
) -> None:
    ours, foreign = next(iter(getattr(acme, kind).values())), next(iter((await stranger.ids(kind)).values()))
    for id in (foreign, str(uuid4())):
        answer = await acme.post(productId=acme.products["app"], **{field: [ours, id]})
        refused(answer, 400, "VALIDATION_FAILED", field)
    assert await acme.total() == 0


@pytest.mark.parametrize(("field", "kind"), SETS.items())
async def test_a_set_keeps_its_order_and_counts_repeated_ids_once(acme: Acme, field: str, kind: str) -> None:
    first, second, third = getattr(acme, kind).values()
    created = await acme.create(**{field: [third, first.upper(), third, second, first]})
    assert created[field] == [third, first, second]
    assert (await acme.read(created))[field] == [third, first, second]


async def test_features_keep_their_order_and_count_once(acme: Acme) -> None:
    export, search = acme.features["export"], acme.features["search"]
    created = await acme.create(productId=acme.products["app"], featureIds=[search, export, search])
    assert created["featureIds"] == [search, export]


async def test_all_unknown_members_are_named_at_once(acme: Acme) -> None:
    answer = await acme.post(insightIds=[str(uuid4())], accountIds=[str(uuid4())])
    problem = refused(answer, 400, "VALIDATION_FAILED")
    assert {fault["path"] for fault in problem["errors"]} == {"insightIds", "accountIds"}


async def test_a_feature_of_another_product_is_refused(acme: Acme) -> None:
    answer = await acme.post(productId=acme.products["app"], featureIds=[acme.features["tickets"]])
    refused(answer, 400, "VALIDATION_FAILED", "featureIds")


async def test_features_without_a_product_are_refused(acme: Acme) -> None:
    refused(await acme.post(featureIds=[acme.features["export"]]), 400, "VALIDATION_FAILED", "featureIds")


async def test_no_features_are_always_allowed(acme: Acme) -> None:
    assert (await acme.create(featureIds=[]))["featureIds"] == []
    assert (await acme.create(featureIds=[], productId=acme.products["bare"]))["featureIds"] == []


@pytest.mark.parametrize("field", ["productId", "integrationId"])
@pytest.mark.parametrize("shapeless", ["", "app", "6f1c0f7e8a0c4c539a351f7f4f2d7c11", 7])
async def test_a_malformed_id_is_refused(acme: Acme, field: str, shapeless: object) -> None:
    refused(await acme.post(**{field: shapeless}), 400, "VALIDATION_FAILED", field)


async def test_ids_count_in_any_letter_case(acme: Acme) -> None:
    created = await acme.create(productId=acme.products["app"].upper())
    assert created["productId"] == acme.products["app"]


async def test_links_are_suggested_unless_they_are_confirmed(acme: Acme) -> None:
    one, two, three = acme.insights.values()
    suggested = await acme.create(insightIds=[one, two])
    for no in (False, None):
        assert await acme.validated_insights(await acme.create(insightIds=[one], validateInsightLinks=no)) == set()
    validated = await acme.create(insightIds=[two, three], validateInsightLinks=True)
    assert await acme.validated_insights(suggested) == set()
    assert await acme.validated_insights(validated) == {"insight-2", "insight-3"}


async def test_a_link_goes_with_the_record_it_names(acme: Acme) -> None:
    one, two, three = acme.insights.values()
    created = await acme.create(insightIds=[three, one, two], productId=acme.products["app"])
    await acme.run("DELETE FROM insights WHERE workspace_id = $1 AND id = $2", one)
    await acme.run("DELETE FROM products WHERE workspace_id = $1 AND id = $2", acme.products["app"])
    left = await acme.read(created)
    assert (left["insightIds"], left["productId"], left["featureIds"]) == ([three, two], None, [])
    assert left["updatedAt"] > created["updatedAt"]
