"""GET /ideas: filters by status and by the records that ideas are linked to."""

from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import change, initiative, move

pytestmark = pytest.mark.one_workspace

LINKS = ("productId", "featureId", "accountId", "insightId", "projectId", "integrationId")


@pytest_asyncio.fixture(scope="module")
async def linked(shared_acme: Acme) -> Json:
    """The ids of one idea's links, by the filter that finds it; another idea has links of its own."""
    await shared_acme.create(
        productId=shared_acme.products["desk"],
        featureIds=[shared_acme.features["tickets"]],
        insightIds=[shared_acme.insights["insight-2"]],
        accountIds=[shared_acme.accounts["initech"]],
    )
    idea = await shared_acme.create(
        name="Linked",
        integrationId=shared_acme.integrations["forms"],
        productId=shared_acme.products["app"],
        featureIds=[shared_acme.features["search"], shared_acme.features["export"]],
        insightIds=[shared_acme.insights["insight-1"], shared_acme.insights["insight-3"]],
        accountIds=[shared_acme.accounts["globex"]],
    )
    project = await initiative(shared_acme)
    await change(shared_acme, idea, projectId=project["id"])
    return {
        "integrationId": shared_acme.integrations["forms"],
        "productId": shared_acme.products["app"],
        "featureId": shared_acme.features["export"],
        "insightId": shared_acme.insights["insight-3"],
        "accountId": shared_acme.accounts["globex"],
        "projectId": project["id"],
        "publicId": project["publicId"],
    }


async def names(acme: Acme, **query: str) -> list[str]:
    listed = [idea["name"] for idea in await acme.list(**query)]
    assert await acme.total(**query) == len(listed)
    return listed


@pytest.mark.parametrize("name", LINKS)
async def test_by_a_linked_record(acme: Acme, linked: Json, name: str) -> None:
    assert await names(acme, **{name: linked[name]}) == ["Linked"]
    assert await names(acme, **{name: linked[name].upper()}) == ["Linked"]


async def test_by_the_public_id_of_an_initiative(acme: Acme, linked: Json) -> None:
    for ref in (linked["publicId"], linked["publicId"].lower()):
        assert await names(acme, projectId=ref) == ["Linked"]
    for nothing in ("INITIATIVE-999999", "IDEA-1"):
        assert await names(acme, projectId=nothing) == []


async def test_all_filters_have_to_hold(acme: Acme, linked: Json) -> None:
    every = {name: linked[name] for name in LINKS}
    assert await names(acme, **every, status="New", q="csv") == ["Linked"]
    assert await names(acme, **{**every, "accountId": acme.accounts["initech"]}) == []


@pytest.mark.parametrize("name", LINKS)
async def test_an_unknown_record_gives_an_empty_page_and_a_malformed_one_is_refused(acme: Acme, name: str) -> None:
    assert await names(acme, **{name: str(uuid4())}) == []
    for shapeless in ("", "app", "a" * 32):
        refused(await acme.client.get("/ideas", params={name: shapeless}), 400, "VALIDATION_FAILED", name)


async def test_a_record_of_another_workspace_gives_an_empty_page(acme: Acme, linked: Json) -> None:
    async with acme.world.stranger() as stranger:
        for name in LINKS:
            answer = await stranger.client.get("/ideas", params={name: linked[name]})
            assert (answer.json(), answer.headers["x-total-count"]) == ([], "0")


async def test_by_status(acme: Acme) -> None:
    source = {"sourceKey": "by-status"}
    first, second = await acme.create(name="First", **source), await acme.create(name="Second", **source)
    await acme.create(name="Third", **source)
    await move(acme, first, "Under review")
    await acme.run("UPDATE ideas SET status = 'Promoted' WHERE workspace_id = $1 AND id = $2", UUID(second["id"]))
    assert await names(acme, status="Under review", **source) == ["First"]
    assert await names(acme, status="Under review,Promoted", **source) == ["Second", "First"]
    assert await names(acme, status=" New , Promoted,,", **source) == ["Third", "Second"]
    assert await names(acme, status="", **source) == ["Third", "Second", "First"]


async def test_an_unknown_status_is_refused_with_the_allowed_ones(acme: Acme) -> None:
    for status in ("new", "New,Gone", "Under%20review"):
        problem = refused(await acme.client.get("/ideas", params={"status": status}), 400, "UNKNOWN_STATUS", "status")
        assert {"New", "Under review", "Promoted"} < set(problem["allowed"])


async def test_a_list_of_statuses_has_at_most_200_items(acme: Acme) -> None:
    assert (await acme.client.get("/ideas", params={"status": "New," * 200})).status_code == 200
    refused(await acme.client.get("/ideas", params={"status": "New," * 201}), 400, "VALIDATION_FAILED", "status")


async def test_searched_text_has_at_most_1000_characters(acme: Acme) -> None:
    assert (await acme.client.get("/ideas", params={"q": "x" * 1000})).status_code == 200
    refused(await acme.client.get("/ideas", params={"q": "x" * 1001}), 400, "VALIDATION_FAILED", "q")
