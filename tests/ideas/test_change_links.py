"""PATCH /ideas/:id: features, insights and accounts are replaced as sets."""

from uuid import uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import change, from_file, patch

pytestmark = pytest.mark.one_workspace

SETS = ("featureIds", "insightIds", "accountIds")


@pytest_asyncio.fixture
async def matched(acme: Acme) -> Json:
    """An idea whose feature was found in its text."""
    return await acme.create(productId=acme.products["app"])


async def match(acme: Acme, idea: Json) -> Json:
    answer = await acme.client.post(f"/ideas/{idea['id']}/match-features")
    assert answer.status_code == 201, answer.text
    receipt: Json = answer.json()
    return receipt


async def test_features_are_replaced_and_become_a_manual_selection(acme: Acme, matched: Json) -> None:
    expected = [acme.features["billing"], acme.features["search"]]
    changed = await change(acme, matched, featureIds=expected)
    assert changed["featureIds"] == expected
    matching = changed["featureMatching"]
    assert (matching["status"], matching["matches"], matching["suggestions"]) == ("manual", [], [])
    assert matching["productId"] == acme.products["app"]
    assert await acme.read(matched) == changed


async def test_choosing_the_matched_features_makes_a_manual_selection(acme: Acme, matched: Json) -> None:
    changed = await change(acme, matched, featureIds=matched["featureIds"])
    assert (changed["featureIds"], changed["featureMatching"]["status"]) == (matched["featureIds"], "manual")


async def test_later_matching_keeps_a_manual_selection(acme: Acme, matched: Json) -> None:
    changed = await change(acme, matched, featureIds=[acme.features["search"]])
    receipt = await match(acme, matched)
    assert (receipt["featureIds"], receipt["featureMatching"]) == (changed["featureIds"], changed["featureMatching"])
    assert await acme.read(matched) == changed


async def test_an_empty_list_removes_the_features_and_no_later_matching_restores_them(
    acme: Acme, matched: Json
) -> None:
    changed = await change(acme, matched, featureIds=[])
    assert (changed["featureIds"], changed["featureMatching"]["status"]) == ([], "manual")
    await match(acme, matched)
    await change(acme, matched, description=matched["description"] + " Soon.")
    await match(acme, matched)
    assert (await acme.read(matched))["featureIds"] == []


async def test_an_empty_list_is_allowed_without_a_product(acme: Acme) -> None:
    created = await acme.create()
    changed = await change(acme, created, featureIds=[])
    assert (changed["featureIds"], changed["featureMatching"]) == ([], None)
    assert await change(acme, created, featureIds=[]) == changed


async def test_features_of_another_product_are_refused(acme: Acme, matched: Json) -> None:
    expected = [acme.features["export"], acme.features["tickets"]]
    refused(await patch(acme, matched, featureIds=expected, name="Renamed"), 400, "VALIDATION_FAILED", "featureIds")
    assert await acme.read(matched) == matched


async def test_features_are_refused_without_a_product(acme: Acme) -> None:
    created = await acme.create()
    answer = await patch(acme, created, featureIds=[acme.features["export"]])
    refused(answer, 400, "VALIDATION_FAILED", "featureIds")


@pytest.mark.parametrize("field", SETS)
async def test_unknown_members_of_a_set_are_refused(acme: Acme, matched: Json, field: str) -> None:
    refused(await patch(acme, matched, {field: [str(uuid4())]}), 400, "VALIDATION_FAILED", field)
    assert await acme.read(matched) == matched


async def test_members_of_another_workspace_are_unknown(acme: Acme, matched: Json) -> None:
    async with acme.world.stranger() as stranger:
        await stranger.add(
            products=[{"key": "p", "name": "P", "features": [{"key": "theirs", "name": "Theirs"}]}],
            insights=[{"key": "theirs", "title": "Theirs", "category": "problem"}],
            accounts=[{"key": "theirs", "name": "Theirs"}],
        )
        for field, table in zip(SETS, ("features", "insights", "accounts"), strict=True):
            theirs = (await stranger.ids(table))["theirs"]
            refused(await patch(acme, matched, {field: [theirs]}), 400, "VALIDATION_FAILED", field)


async def test_a_repeated_member_counts_once(acme: Acme, matched: Json) -> None:
    for field, id in zip(SETS, (acme.features["export"], *_firsts(acme)), strict=True):
        changed = await change(acme, matched, **{field: [id, id.upper(), id]})
        assert changed[field] == [id]


def _firsts(acme: Acme) -> tuple[str, str]:
    return acme.insights["insight-1"], acme.accounts["globex"]


async def test_accounts_are_a_replacement_set(acme: Acme, matched: Json) -> None:
    globex, initech, umbrella = (acme.accounts[key] for key in ("globex", "initech", "umbrella"))
    await change(acme, matched, accountIds=[globex, initech])
    changed = await change(acme, matched, accountIds=[initech, umbrella])
    assert changed["accountIds"] == [initech, umbrella]
    assert (await change(acme, matched, accountIds=[]))["accountIds"] == []


async def test_insights_are_a_replacement_set_whose_new_links_are_suggestions(acme: Acme, matched: Json) -> None:
    one, two, three = (acme.insights[f"insight-{n}"] for n in (1, 2, 3))
    await change(acme, matched, insightIds=[one, two])
    changed = await change(acme, matched, insightIds=[two, three], validateInsightLinks=False)
    assert changed["insightIds"] == [two, three]
    assert await acme.validated_insights(matched) == set()


async def test_a_validated_link_is_never_demoted_while_it_stays_in_the_set(acme: Acme, matched: Json) -> None:
    one, two = acme.insights["insight-1"], acme.insights["insight-2"]
    await change(acme, matched, insightIds=[one], validateInsightLinks=True)
    await change(acme, matched, insightIds=[one, two])
    assert await acme.validated_insights(matched) == {"insight-1"}
    await change(acme, matched, insightIds=[two, one], validateInsightLinks=False)
    assert await acme.validated_insights(matched) == {"insight-1"}


async def test_a_validated_link_that_left_the_set_comes_back_as_a_suggestion(acme: Acme, matched: Json) -> None:
    one = acme.insights["insight-1"]
    await change(acme, matched, insightIds=[one], validateInsightLinks=True)
    await change(acme, matched, insightIds=[])
    await change(acme, matched, insightIds=[one])
    assert await acme.validated_insights(matched) == set()


async def test_validating_confirms_the_supplied_insights(acme: Acme, matched: Json) -> None:
    one, two = acme.insights["insight-1"], acme.insights["insight-2"]
    before = await change(acme, matched, insightIds=[one, two])
    changed = await change(acme, matched, insightIds=[one, two], validateInsightLinks=True)
    assert await acme.validated_insights(matched) == {"insight-1", "insight-2"}
    assert changed["updatedAt"] > before["updatedAt"]


async def test_validating_without_insights_confirms_nothing(acme: Acme, matched: Json) -> None:
    before = await change(acme, matched, insightIds=[acme.insights["insight-1"]])
    assert await change(acme, matched, validateInsightLinks=True) == before
    assert await acme.validated_insights(matched) == set()


async def test_linking_an_insight_makes_no_evidence(acme: Acme, matched: Json) -> None:
    await change(acme, matched, insightIds=[acme.insights["insight-1"]], validateInsightLinks=True)
    answer = await acme.client.get(f"/ideas/{matched['id']}/evidence", params={"visibility": "all"})
    assert (answer.json(), answer.headers["x-total-count"]) == ([], "0")


async def test_linking_features_leaves_the_insights_alone(acme: Acme, matched: Json) -> None:
    before = await change(acme, matched, insightIds=[acme.insights["insight-1"]], validateInsightLinks=True)
    changed = await change(acme, matched, featureIds=[acme.features["search"]])
    assert changed["insightIds"] == before["insightIds"]
    assert await acme.validated_insights(matched) == {"insight-1"}


async def test_a_selection_of_a_file_without_matching_is_shown_as_manual_once_it_is_chosen(acme: Acme) -> None:
    idea = await from_file(acme, product="app", features=["export"], featureOwnership="manual")
    changed = await change(acme, idea, featureIds=idea["featureIds"])
    assert (changed["featureIds"], changed["featureMatching"]["status"]) == (idea["featureIds"], "manual")
