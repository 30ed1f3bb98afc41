"""Options that are suggested for an idea by its text, and never over what a person or the API chose."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.ideas.acme import EXPORT, Acme, Json
from tests.ideas.test_classification_review import group, options, read, review, send
from tests.ideas.workroom import at_once, change, from_file, furnished, holding, patch
from tests.waiting import until_blocked

GROUPS: list[Json] = [
    {
        "key": "theme",
        "label": "Theme",
        "kind": "list",
        "selectionMode": "multi",
        "options": [{"key": "speed", "label": "Speed"}, {"key": "trust", "label": "Trust"}],
    },
    {
        "key": "place",
        "label": "Place",
        "kind": "list",
        "selectionMode": "single",
        "required": True,
        "options": [{"key": "desk", "label": "Front desk"}, {"key": "store", "label": "Warehouse"}],
    },
    {"key": "why_now", "label": "Why now", "kind": "text"},
]
SPEED = "Speed matters at the front desk."
TRUST = "Customers trust a photo."
ROUNDS = 6


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[Acme]:
    """One workspace for all tests of this file, which make ideas of their own."""
    async with furnished(database, served) as acme:
        await acme.world.add(taxonomy={"groups": GROUPS})
        yield acme


def values(shown: Json) -> dict[str, Any]:
    """Option keys, origin and review by group, of groups with a value."""
    return {
        each["groupKey"]: (each["value"]["optionKeys"], each["origin"], each["reviewState"])
        for each in shown["groups"]
        if each["value"]
    }


async def test_a_new_idea_gets_the_options_that_its_text_names(acme: Acme) -> None:
    created = await acme.create(description=f"{SPEED} {TRUST}")
    shown = await read(acme, created)
    assert values(shown) == {
        "theme": (["speed", "trust"], "suggested", "unreviewed"),
        "place": (["desk"], "suggested", "unreviewed"),
    }
    assert shown["reviewSummary"] == {"total": 3, "assigned": 2, "unassigned": 1, "reviewed": 0, "needsReview": 2}


async def test_the_answer_of_the_creation_has_no_classifications_and_its_tag_stays_valid(acme: Acme) -> None:
    answer = await acme.post(description=SPEED)
    assert "classifications" not in answer.json()
    assert answer.json()["taxonomyVersionId"] is None
    created = answer.json()
    changed = await acme.client.patch(
        f"/ideas/{created['id']}", json={"name": "Desk"}, headers={"If-Match": answer.headers["etag"]}
    )
    assert changed.status_code == 200


async def test_a_text_that_names_no_option_gets_none_even_if_a_group_is_required(acme: Acme) -> None:
    assert values(await read(acme, await acme.create(description=EXPORT))) == {}


async def test_a_group_that_takes_one_option_gets_none_if_two_are_named(acme: Acme) -> None:
    shown = await read(acme, await acme.create(description="From the warehouse to the front desk."))
    assert values(shown) == {}


async def test_what_the_creation_assigns_is_not_suggested_over(acme: Acme) -> None:
    created = await acme.create(
        description=SPEED,
        classifications=[{"groupKey": "theme", "optionValues": ["trust"]}, {"groupKey": "place", "optionValues": []}],
    )
    shown = await read(acme, created)
    assert values(shown) == {"theme": (["trust"], "api", "unreviewed")}
    assert group(shown, "place")["reviewState"] == "unassigned"


async def test_what_the_creation_leaves_out_is_suggested_beside_what_it_assigns(acme: Acme) -> None:
    created = await acme.create(description=SPEED, classifications=[{"groupKey": "theme", "optionValues": ["trust"]}])
    assert {each["groupKey"]: each["optionKeys"] for each in created["classifications"]} == {
        "theme": ["trust"],
        "place": ["desk"],
    }
    assert values(await read(acme, created))["place"] == (["desk"], "suggested", "unreviewed")


async def test_an_idea_with_links_gets_suggestions_too(acme: Acme) -> None:
    created = await acme.create(description=SPEED, accountIds=[acme.accounts["globex"]])
    assert "theme" in values(await read(acme, created))


async def test_a_suggestion_is_reviewed_like_any_value(acme: Acme) -> None:
    created = await acme.create(description=SPEED)
    assert (await review(acme, created, "theme", "accept"))["reviewState"] == "accepted"
    rejected = await review(acme, created, "place", "reject")
    assert (rejected["value"], rejected["reviewState"], rejected["origin"]) == (None, "rejected", "suggested")


async def test_a_new_text_renews_what_nobody_reviewed(acme: Acme) -> None:
    created = await acme.create(description=SPEED)
    await change(acme, created, description=TRUST)
    assert values(await read(acme, created)) == {"theme": (["trust"], "suggested", "unreviewed")}


@pytest.mark.parametrize("action", ["accept", "reject", "mark_unassigned"])
async def test_a_new_text_leaves_what_was_reviewed(acme: Acme, action: str) -> None:
    created = await acme.create(description=SPEED)
    before = await review(acme, created, "theme", action)
    await change(acme, created, description=TRUST)
    assert group(await read(acme, created), "theme") == before


async def test_a_new_text_leaves_what_the_api_chose(acme: Acme) -> None:
    created = await acme.create(description=EXPORT, classifications=[{"groupKey": "theme", "optionValues": ["speed"]}])
    await change(acme, created, description=TRUST)
    assert values(await read(acme, created)) == {"theme": (["speed"], "api", "unreviewed")}


async def test_a_change_of_the_text_that_assigns_too_keeps_the_assignment(acme: Acme) -> None:
    created = await acme.create(description=SPEED)
    await change(acme, created, description=TRUST, classifications=[{"groupKey": "theme", "optionValues": ["speed"]}])
    assert values(await read(acme, created))["theme"] == (["speed"], "api", "unreviewed")


async def test_assigning_what_is_suggested_makes_it_the_choice_of_the_api(acme: Acme) -> None:
    created = await acme.create(description=SPEED)
    await change(acme, created, classifications=[{"groupKey": "theme", "optionValues": ["speed"]}])
    assert values(await read(acme, created))["theme"] == (["speed"], "api", "unreviewed")


async def test_a_change_of_something_else_makes_no_suggestions(acme: Acme) -> None:
    idea = await from_file(acme, description=SPEED)
    await change(acme, idea, name="Desk")
    await change(acme, idea, description=SPEED)
    assert values(await read(acme, idea)) == {}


async def test_an_update_by_identity_renews_the_suggestions(acme: Acme) -> None:
    identity = {"sourceKey": "desk", "externalId": "suggested"}
    created = await acme.create(**identity, description=SPEED)
    await acme.create(**identity, description=TRUST)
    assert values(await read(acme, created)) == {"theme": (["trust"], "suggested", "unreviewed")}


async def test_the_workspace_file_makes_no_suggestions_and_matching_makes_them(acme: Acme) -> None:
    idea = await from_file(acme, description=SPEED, product="app")
    assert values(await read(acme, idea)) == {}
    assert (await acme.client.post(f"/ideas/{idea['id']}/match-features")).status_code == 201
    assert values(await read(acme, idea))["theme"] == (["speed"], "suggested", "unreviewed")


async def test_a_new_version_of_the_taxonomy_counts_at_once(acme: Acme) -> None:
    await acme.create(description=SPEED)
    parking = {"key": "parking", "label": "Parking", "kind": "list", "selectionMode": "multi"}
    lots = [*GROUPS, parking | {"options": [{"key": "lot", "label": "Parking lot"}]}]
    await acme.world.add(taxonomy={"groups": lots})
    try:
        assert "parking" in values(await read(acme, await acme.create(description="A map of the parking lot.")))
    finally:
        await acme.world.add(taxonomy={"groups": GROUPS})


async def test_a_person_who_chooses_while_the_text_changes_keeps_the_choice(acme: Acme) -> None:
    for turn in range(ROUNDS):
        created = await acme.create(description=SPEED)
        trust = options(await read(acme, created), "theme")["trust"]
        choice = {"groupKey": "theme", "action": "set_option", "optionIds": [trust]}
        writes = [send(acme, created, choice), patch(acme, created, description=f"Speed, {turn}.")]
        async with holding(acme, created):
            answers = asyncio.ensure_future(at_once(writes if turn % 2 else reversed(writes)))
            await until_blocked(acme.world.database, 2)
        assert [answer.status_code for answer in await answers] == [200, 200]
        assert values(await read(acme, created)) == {"theme": (["trust"], "manual", "corrected")}


async def test_creators_of_one_identity_leave_the_suggestions_of_the_stored_text(acme: Acme) -> None:
    for turn in range(ROUNDS):
        bodies = [{"sourceKey": "race", "externalId": str(turn), "description": text} for text in (SPEED, TRUST) * 3]
        answers = await at_once(acme.post(body) for body in bodies)
        assert {answer.status_code for answer in answers} == {201}
        idea = await acme.read(answers[0].json())
        expected = {"theme": (["speed"], "suggested", "unreviewed"), "place": (["desk"], "suggested", "unreviewed")}
        if idea["description"] == TRUST:
            expected = {"theme": (["trust"], "suggested", "unreviewed")}
        assert values(await read(acme, idea)) == expected
