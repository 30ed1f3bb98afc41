"""What a repeated POST under one identity changes, and what it leaves."""

from typing import Any

import pytest
import pytest_asyncio

from tests.ideas.acme import EXPORT, INVOICES, Acme, Json, refused

SOURCE = {"sourceKey": "desk", "externalId": "4711"}
KEPT = ("name", "status", "productId", "featureIds", "featureMatching", "insightIds", "accountIds", "integrationId")


@pytest_asyncio.fixture
async def known(acme: Acme) -> Json:
    """An idea with everything an update could lose."""
    return await acme.create(
        **SOURCE,
        name="Exports",
        status="Under review",
        integrationId=acme.integrations["forms"],
        productId=acme.products["app"],
        insightIds=[acme.insights["insight-2"]],
        accountIds=[acme.accounts["globex"]],
    )


async def update(acme: Acme, **fields: Any) -> Json:
    return await acme.create(**SOURCE, **fields)


async def test_omitted_fields_stay(acme: Acme, known: Json) -> None:
    updated = await update(acme, description=f"{EXPORT} Soon.")
    assert {name: updated[name] for name in KEPT if name != "featureMatching"} == {
        name: known[name] for name in KEPT if name != "featureMatching"
    }


async def test_null_is_omitted_too(acme: Acme, known: Json) -> None:
    nulls = ("name", "status", "productId", "featureIds", "insightIds", "accountIds", "classifications")
    updated = await update(acme, **dict.fromkeys(nulls))
    assert updated == known


async def test_description_name_status_and_product_replace(acme: Acme, known: Json) -> None:
    body = {
        "description": "Another text.",
        "name": "Renamed",
        "status": "New",
        "productId": acme.products["desk"],
    }
    updated = await update(acme, **body)
    assert {name: updated[name] for name in body} == body
    assert await acme.read(known) == updated


async def test_portal_visibility_is_replaced_when_it_is_sent(acme: Acme, known: Json) -> None:
    assert (await update(acme, portalVisible=True))["portalVisible"] is True
    assert (await update(acme))["portalVisible"] is True
    assert (await update(acme, portalVisible=False))["portalVisible"] is False


async def test_an_answer_of_the_team_stays_until_another_is_sent(acme: Acme) -> None:
    assert (await update(acme, officialAnswer="Soon."))["officialAnswer"] == "Soon."
    assert (await update(acme))["officialAnswer"] == "Soon."
    assert (await update(acme, officialAnswer="Done."))["officialAnswer"] == "Done."


async def test_insights_and_accounts_are_added(acme: Acme, known: Json) -> None:
    one, two, three = acme.insights.values()
    globex, initech, _ = acme.accounts.values()
    updated = await update(acme, insightIds=[three, two, one], accountIds=[initech, globex])
    assert (updated["insightIds"], updated["accountIds"]) == ([two, three, one], [globex, initech])
    emptied = await update(acme, insightIds=[], accountIds=[])
    assert (emptied["insightIds"], emptied["accountIds"]) == (updated["insightIds"], updated["accountIds"])


async def test_a_validated_link_is_never_demoted(acme: Acme, known: Json) -> None:
    one, two = acme.insights["insight-1"], acme.insights["insight-2"]
    await update(acme, insightIds=[two], validateInsightLinks=True)
    await update(acme, insightIds=[two, one])
    await update(acme, insightIds=[two, one], validateInsightLinks=False)
    await update(acme)
    assert await acme.validated_insights(known) == {"insight-2"}


async def test_confirming_validates_the_supplied_links_only(acme: Acme, known: Json) -> None:
    await update(acme, insightIds=[acme.insights["insight-3"]], validateInsightLinks=True)
    assert await acme.validated_insights(known) == {"insight-3"}
    await update(acme, validateInsightLinks=True)
    assert await acme.validated_insights(known) == {"insight-3"}


async def test_a_suggested_link_is_confirmed(acme: Acme, known: Json) -> None:
    await update(acme, insightIds=[acme.insights["insight-2"]], validateInsightLinks=True)
    assert await acme.validated_insights(known) == {"insight-2"}


async def test_the_name_is_not_made_again(acme: Acme) -> None:
    created = await acme.create(**SOURCE)
    assert (await update(acme, description=INVOICES))["name"] == created["name"]


async def test_origin_channel_and_creation_date_never_change(acme: Acme, known: Json) -> None:
    other = acme.world.client_of(await acme.world.key("ideas:write", name="another"))
    body = {"description": "Another text.", **SOURCE, "integrationId": acme.integrations["forms"]}
    updated = (await other.post("/ideas", json=body)).json()
    assert updated["description"] == "Another text."
    for name in ("provenance", "createdSource", "createdAt", "publicId"):
        assert updated[name] == known[name]


async def test_the_origin_of_a_file_is_kept(acme: Acme) -> None:
    origin = {"method": "import", "tool": "csv", "row": 7}
    idea = {"key": "one", "name": "One", "description": "d", "createdSource": "import", "provenance": origin}
    await acme.world.add(ideas=[{**idea, **SOURCE, "createdAt": "2021-01-01T00:00:00.000Z"}])
    updated = await update(acme)
    assert (updated["provenance"], updated["createdSource"]) == (origin, "import")
    assert updated["createdAt"] == "2021-01-01T00:00:00.000Z" < updated["updatedAt"]


async def test_an_update_without_a_change_leaves_the_date(acme: Acme, known: Json) -> None:
    first = await acme.client.get(f"/ideas/{known['id']}")
    assert await update(acme) == known
    assert await update(acme, insightIds=known["insightIds"], status=known["status"]) == known
    assert (await acme.client.get(f"/ideas/{known['id']}")).headers["etag"] == first.headers["etag"]


async def test_a_change_moves_the_date_and_the_tag(acme: Acme, known: Json) -> None:
    for change in ({"name": "Renamed"}, {"accountIds": [acme.accounts["umbrella"]]}):
        before = await acme.client.get(f"/ideas/{known['id']}")
        answer = await acme.post(**SOURCE, **change)
        assert answer.json()["updatedAt"] >= before.json()["updatedAt"] >= known["createdAt"]
        assert answer.headers["etag"] != before.headers["etag"]


async def test_a_refused_update_changes_nothing(acme: Acme, known: Json) -> None:
    body = {"name": "Renamed", "insightIds": list(acme.insights.values())}
    refused(await acme.post(**SOURCE, **body, status="Nowhere"), 400, "UNKNOWN_STATUS")
    refused(await acme.post(**SOURCE, **body, status="Promoted"), 409, "PROMOTION_RESERVED")
    refused(await acme.post(**SOURCE, **body, accountIds=[known["id"]]), 400, "VALIDATION_FAILED", "accountIds")
    refused(await acme.post(**SOURCE, **body, productId=known["id"]), 404, "NOT_FOUND", "productId")
    assert await acme.read(known) == known


async def test_a_label_that_left_the_workflow_stays_until_another_is_sent(acme: Acme, known: Json) -> None:
    await acme.run("DELETE FROM idea_statuses WHERE workspace_id = $1 AND label = $2", "Under review")
    assert (await update(acme, name="Renamed"))["status"] == "Under review"
    refused(await acme.post(**SOURCE, status="Under review"), 400, "UNKNOWN_STATUS")


async def test_a_promoted_idea_may_be_sent_again_without_its_status(acme: Acme, known: Json) -> None:
    await acme.run("UPDATE ideas SET status = 'Promoted' WHERE workspace_id = $1 AND id = $2", known["id"])
    assert (await update(acme, name="Renamed"))["status"] == "Promoted"


@pytest.mark.parametrize("match", ["other", "*", "current"])
async def test_if_match_is_compared_with_the_known_idea(acme: Acme, known: Json, match: str) -> None:
    tag = (await acme.client.get(f"/ideas/{known['id']}")).headers["etag"]
    headers = {"If-Match": {"other": '"other"', "*": "*", "current": tag}[match]}
    answer = await acme.client.post("/ideas", json={"description": "New", **SOURCE}, headers=headers)
    if match == "other":
        refused(answer, 412, "PRECONDITION_FAILED")
        assert await acme.read(known) == known
    else:
        assert (answer.status_code, answer.json()["description"]) == (201, "New")


async def test_if_match_never_fits_an_idea_that_is_not_there(acme: Acme) -> None:
    answer = await acme.client.post("/ideas", json={"description": "New", **SOURCE}, headers={"If-Match": "*"})
    refused(answer, 412, "PRECONDITION_FAILED")
    assert await acme.total() == 0


async def test_changes_of_status_are_in_the_trail(acme: Acme, known: Json) -> None:
    await update(acme, status="New")
    moved = "SELECT detail->>'from' || ' > ' || (detail->>'to') FROM changes WHERE workspace_id = $1 AND action = $2"
    assert await acme.value(moved, "status_changed") == "Under review > New"
