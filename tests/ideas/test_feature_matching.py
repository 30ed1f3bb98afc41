"""Which features a new or updated idea is about, chosen by its sender or found in its text."""

from typing import Any

import pytest_asyncio

from tests.ideas.acme import EXPORT, INVOICES, Acme, Json, refused
from tests.ideas.test_identity_update import SOURCE, update


@pytest_asyncio.fixture
async def matched(acme: Acme) -> Json:
    """An idea whose feature was found in its text."""
    return await acme.create(**SOURCE, productId=acme.products["app"])


@pytest_asyncio.fixture
async def chosen(acme: Acme) -> Json:
    """An idea with a manually chosen feature."""
    return await acme.create(**SOURCE, productId=acme.products["app"], featureIds=[acme.features["search"]])


def status(idea: Json) -> Any:
    return idea["featureMatching"]["status"]


async def test_a_clear_match_is_applied_with_its_quote(acme: Acme, matched: Json) -> None:
    assert matched["featureIds"] == [acme.features["export"]]
    matching = matched["featureMatching"]
    assert (matching["status"], matching["productId"]) == ("matched", acme.products["app"])
    [match] = matching["matches"]
    assert match["featureId"] == acme.features["export"]
    assert match["sourceQuote"] in EXPORT
    assert match["reasoning"]
    assert 0 < match["confidence"] <= 1
    assert matching.keys() == {"status", "productId", "matches", "suggestions", "matchedAt", "matcher"}
    assert matching["matcher"].keys() == {"name", "version"}
    assert matching["matchedAt"].endswith("Z")


async def test_uncertain_matches_are_only_suggested(acme: Acme) -> None:
    created = await acme.create(description="Keep an invoice for years.", productId=acme.products["app"])
    assert created["featureIds"] == []
    assert (status(created), created["featureMatching"]["matches"]) == ("needs_review", [])
    [suggestion] = created["featureMatching"]["suggestions"]
    assert suggestion["featureId"] == acme.features["billing"]
    assert suggestion["sourceQuote"] in created["description"]


async def test_without_a_match_nothing_is_linked(acme: Acme) -> None:
    created = await acme.create(description="Paint the office green.", productId=acme.products["app"])
    assert (created["featureIds"], status(created)) == ([], "no_match")


async def test_a_product_without_features_says_so(acme: Acme) -> None:
    created = await acme.create(productId=acme.products["bare"])
    assert (created["featureIds"], status(created)) == ([], "no_features")


async def test_without_a_product_there_is_no_matching(acme: Acme) -> None:
    assert (await acme.create())["featureMatching"] is None


async def test_a_selection_is_manual_and_stands_in_feature_ids(acme: Acme, chosen: Json) -> None:
    assert chosen["featureIds"] == [acme.features["search"]]
    assert (status(chosen), chosen["featureMatching"]["matches"]) == ("manual", [])


async def test_an_empty_selection_keeps_the_idea_unlinked(acme: Acme) -> None:
    created = await acme.create(**SOURCE, productId=acme.products["app"], featureIds=[])
    assert (created["featureIds"], status(created)) == ([], "manual")
    updated = await update(acme, description=f"{EXPORT} And {INVOICES}")
    assert (updated["featureIds"], status(updated)) == ([], "manual")


async def test_a_changed_description_is_matched_again(acme: Acme, matched: Json) -> None:
    updated = await update(acme, description=INVOICES)
    assert updated["featureIds"] == [acme.features["billing"]]
    assert updated["featureMatching"]["matches"][0]["sourceQuote"] in INVOICES


async def test_a_changed_product_drops_the_old_products_features(acme: Acme, matched: Json) -> None:
    updated = await update(acme, productId=acme.products["desk"])
    assert (updated["featureIds"], status(updated)) == ([], "no_match")
    assert updated["featureMatching"]["productId"] == acme.products["desk"]


async def test_a_product_given_later_is_matched(acme: Acme) -> None:
    await acme.create(**SOURCE)
    updated = await update(acme, productId=acme.products["app"])
    assert (updated["featureIds"], status(updated)) == ([acme.features["export"]], "matched")


async def test_an_unchanged_idea_is_not_matched_again(acme: Acme, matched: Json) -> None:
    await acme.world.add(
        products=[{"key": "app", "name": "Acme App", "features": [{"key": "tables", "name": "Every table"}]}]
    )
    updated = await update(acme, name="Renamed", productId=acme.products["app"])
    assert updated["name"] == "Renamed"
    assert (updated["featureIds"], updated["featureMatching"]) == (matched["featureIds"], matched["featureMatching"])


async def test_a_new_map_is_seen_by_the_next_matching(acme: Acme, matched: Json) -> None:
    await acme.world.add(
        products=[{"key": "app", "name": "Acme App", "features": [{"key": "robots", "name": "Robot gardeners"}]}]
    )
    updated = await update(acme, description="We need robot gardeners.")
    assert updated["featureIds"] == [(await acme.world.ids("features"))["robots"]]


async def test_a_new_description_keeps_a_manual_selection(acme: Acme, chosen: Json) -> None:
    updated = await update(acme, description=INVOICES)
    assert (updated["featureIds"], status(updated)) == (chosen["featureIds"], "manual")


async def test_given_features_replace_and_become_manual(acme: Acme, matched: Json) -> None:
    search, billing = acme.features["search"], acme.features["billing"]
    updated = await update(acme, featureIds=[search, billing, search])
    assert (updated["featureIds"], status(updated)) == ([search, billing], "manual")
    updated = await update(acme, description=INVOICES)
    assert (updated["featureIds"], status(updated)) == ([search, billing], "manual")
    updated = await update(acme, featureIds=[billing])
    assert updated["featureIds"] == [billing]


async def test_an_empty_selection_replaces_what_was_found(acme: Acme, matched: Json) -> None:
    updated = await update(acme, featureIds=[])
    assert (updated["featureIds"], status(updated), updated["featureMatching"]["matches"]) == ([], "manual", [])
    assert (await update(acme, description=f"{EXPORT} Soon."))["featureIds"] == []


async def test_an_empty_selection_replaces_a_manual_one(acme: Acme, chosen: Json) -> None:
    updated = await update(acme, featureIds=[])
    assert (updated["featureIds"], status(updated)) == ([], "manual")


async def test_a_manual_selection_that_would_not_fit_the_new_product_is_refused(acme: Acme, chosen: Json) -> None:
    answer = await acme.post(**SOURCE, productId=acme.products["desk"], name="Renamed")
    refused(answer, 400, "VALIDATION_FAILED")
    assert await acme.read(chosen) == chosen


async def test_an_empty_manual_selection_fits_every_product(acme: Acme) -> None:
    await acme.create(**SOURCE, productId=acme.products["app"], featureIds=[])
    updated = await update(acme, productId=acme.products["desk"])
    assert (updated["productId"], updated["featureIds"]) == (acme.products["desk"], [])
    assert (status(updated), updated["featureMatching"]["productId"]) == ("manual", acme.products["desk"])


async def test_a_new_product_may_come_with_a_new_selection(acme: Acme, chosen: Json) -> None:
    tickets = acme.features["tickets"]
    updated = await update(acme, productId=acme.products["desk"], featureIds=[tickets])
    assert (updated["featureIds"], updated["featureMatching"]["productId"]) == ([tickets], acme.products["desk"])


async def test_given_features_have_to_be_of_the_product_the_idea_has(acme: Acme, matched: Json) -> None:
    answer = await acme.post(**SOURCE, featureIds=[acme.features["tickets"]])
    refused(answer, 400, "VALIDATION_FAILED", "featureIds")
    assert await acme.read(matched) == matched


async def test_a_selection_without_a_product_has_no_matching(acme: Acme) -> None:
    created = await acme.create(**SOURCE, featureIds=[])
    assert created["featureMatching"] is None
    updated = await update(acme, productId=acme.products["app"])
    assert (updated["featureIds"], status(updated)) == ([], "manual")
