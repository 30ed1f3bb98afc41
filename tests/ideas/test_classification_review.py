"""GET and PATCH /ideas/:id/classifications: what an idea is classified as, and what people say of that."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, change, from_file, trail

pytestmark = pytest.mark.one_workspace

SUGGESTED: list[Json] = [
    {"groupKey": "theme", "optionValues": ["speed", "trust"], "origin": "suggested"},
    {"groupKey": "why_now", "textValue": "A law.", "origin": "suggested"},
]


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    """An idea with a suggested list value and a suggested text; nothing is said of its size."""
    return await from_file(acme, classifications=SUGGESTED)


async def read(acme: Acme, idea: Json) -> Json:
    answer = await acme.client.get(f"/ideas/{idea['id']}/classifications")
    assert answer.status_code == 200, answer.text
    shown: Json = answer.json()
    return shown


async def send(acme: Acme, idea: Json, *updates: Any, **headers: str) -> httpx2.Response:
    path = f"/ideas/{idea['id']}/classifications"
    return await acme.client.patch(path, json={"updates": list(updates)}, headers=headers)


async def review(acme: Acme, idea: Json, key: str, action: str, **fields: Any) -> Json:
    """Reviews a group; the group afterwards."""
    answer = await send(acme, idea, {"groupKey": key, "action": action, **fields})
    assert answer.status_code == 200, answer.text
    assert answer.json() == await read(acme, idea)
    return group(answer.json(), key)


def group(shown: Json, key: str) -> Json:
    found: Json = next(each for each in shown["groups"] if each["groupKey"] == key)
    return found


def options(shown: Json, key: str) -> dict[str, str]:
    """The ids of a group's options by their keys."""
    return {option["key"]: option["id"] for option in group(shown, key)["options"]}


async def test_every_group_of_the_active_taxonomy_is_shown_whole(acme: Acme, idea: Json) -> None:
    shown = await read(acme, idea)
    assert shown.keys() == {"ideaId", "taxonomyVersion", "groups", "reviewSummary"}
    assert (shown["ideaId"], shown["taxonomyVersion"].keys()) == (idea["id"], {"id", "version", "activatedAt"})
    assert shown["taxonomyVersion"]["activatedAt"].endswith("Z")
    theme, size, why = shown["groups"]
    themes = options(shown, "theme")
    assert theme == {
        **{"taxonomyGroupId": theme["taxonomyGroupId"], "groupKey": "theme", "label": "Theme", "kind": "list"},
        **{"selectionMode": "multi", "required": False, "reviewState": "unreviewed", "origin": "suggested"},
        "options": [
            {"id": themes["speed"], "key": "speed", "label": "Speed"},
            {"id": themes["trust"], "key": "trust", "label": "Trust"},
        ],
        "value": {
            "optionIds": [themes["speed"], themes["trust"]],
            "optionKeys": ["speed", "trust"],
            "optionLabels": ["Speed", "Trust"],
            "textValue": None,
        },
    }
    assert why == {
        **{"taxonomyGroupId": why["taxonomyGroupId"], "groupKey": "why_now", "label": "Why now", "kind": "text"},
        **{"selectionMode": None, "required": False, "reviewState": "unreviewed", "origin": "suggested"},
        **{"options": [], "value": {"optionIds": [], "optionKeys": [], "optionLabels": [], "textValue": "A law."}},
    }
    assert (size["value"], size["reviewState"], size["origin"], size["selectionMode"]) == (
        *(None, "unreviewed", None, "single"),
    )
    assert shown["reviewSummary"] == {"total": 3, "assigned": 2, "unassigned": 1, "reviewed": 0, "needsReview": 2}


async def test_accepting_keeps_the_value(acme: Acme, idea: Json) -> None:
    before = group(await read(acme, idea), "theme")
    assert await review(acme, idea, "theme", "accept") == {**before, "reviewState": "accepted"}
    assert (await review(acme, idea, "why_now", "accept"))["value"]["textValue"] == "A law."


async def test_rejecting_clears_the_value(acme: Acme, idea: Json) -> None:
    for key in ("theme", "why_now"):
        after = await review(acme, idea, key, "reject")
        assert (after["value"], after["reviewState"], after["origin"]) == (None, "rejected", "suggested")


async def test_options_are_corrected(acme: Acme, idea: Json) -> None:
    themes = options(await read(acme, idea), "theme")
    after = await review(acme, idea, "theme", "set_option", optionIds=[themes["trust"].upper(), themes["trust"]])
    assert (after["value"]["optionKeys"], after["reviewState"], after["origin"]) == (["trust"], "corrected", "manual")


async def test_a_group_without_a_value_can_be_given_one(acme: Acme, idea: Json) -> None:
    sizes = options(await read(acme, idea), "size")
    after = await review(acme, idea, "size", "set_option", optionIds=[sizes["l"]])
    assert (after["value"]["optionLabels"], after["reviewState"]) == (["Large"], "corrected")


async def test_a_text_is_corrected(acme: Acme, idea: Json) -> None:
    after = await review(acme, idea, "why_now", "set_text", textValue=" Two laws. ")
    assert (after["value"]["textValue"], after["reviewState"], after["origin"]) == (
        " Two laws. ",
        "corrected",
        "manual",
    )


async def test_a_group_is_marked_as_unassigned_with_or_without_a_value(acme: Acme, idea: Json) -> None:
    for key in ("theme", "size", "why_now"):
        after = await review(acme, idea, key, "mark_unassigned")
        assert (after["value"], after["reviewState"], after["origin"]) == (None, "unassigned", "manual")


async def test_the_summary_counts_what_was_reviewed(acme: Acme, idea: Json) -> None:
    counted = []
    for key, action in [("theme", "accept"), ("why_now", "reject"), ("size", "mark_unassigned")]:
        await review(acme, idea, key, action)
        summary = (await read(acme, idea))["reviewSummary"]
        counted.append([summary[name] for name in ("assigned", "unassigned", "reviewed", "needsReview")])
    assert counted == [[2, 1, 1, 1], [1, 2, 2, 0], [1, 2, 3, 0]]


async def test_a_group_without_a_value_has_nothing_to_review(acme: Acme) -> None:
    idea = await from_file(acme, classifications=[{"groupKey": "theme", "optionValues": []}])
    summary = (await read(acme, idea))["reviewSummary"]
    assert summary == {"total": 3, "assigned": 0, "unassigned": 3, "reviewed": 0, "needsReview": 0}


async def test_the_idea_shows_what_the_review_left(acme: Acme, idea: Json) -> None:
    await review(acme, idea, "theme", "accept")
    await review(acme, idea, "why_now", "reject")
    shown = await acme.read(idea, include="classifications")
    assert [(each["groupKey"], each["reviewState"]) for each in shown["classifications"]] == [("theme", "accepted")]
    assert shown["classificationSummary"] == (await read(acme, idea))["reviewSummary"]
    [listed] = await acme.list(include="classifications", q=shown["name"], limit="1")
    assert listed.keys() == shown.keys()


async def test_exactly_one_update_is_taken(acme: Acme, idea: Json) -> None:
    one = {"groupKey": "theme", "action": "accept"}
    for updates in ([], [one, one], [one, {"groupKey": "size", "action": "mark_unassigned"}]):
        refused(await send(acme, idea, *updates), 400, "VALIDATION_FAILED", "updates")
    for body in ({}, {"updates": None}, {"updates": one}):
        answer = await acme.client.patch(f"/ideas/{idea['id']}/classifications", json=body)
        refused(answer, 400, "VALIDATION_FAILED", "updates")
    assert (await read(acme, idea))["reviewSummary"]["reviewed"] == 0


async def test_a_group_is_named_by_key_or_id_and_both_have_to_agree(acme: Acme, idea: Json) -> None:
    shown = await read(acme, idea)
    theme, size = (group(shown, key)["taxonomyGroupId"] for key in ("theme", "size"))
    for naming in ({"taxonomyGroupId": theme.upper()}, {"taxonomyGroupId": theme, "groupKey": "theme"}):
        assert (await send(acme, idea, {**naming, "action": "accept"})).status_code == 200
    strays: list[Json] = [
        {},
        {"taxonomyGroupId": size, "groupKey": "theme"},
        {"groupKey": "Theme"},
        {"groupKey": "nothing"},
        {"taxonomyGroupId": str(uuid4())},
        {"taxonomyGroupId": str(uuid4()), "groupKey": "theme"},
        {"taxonomyGroupId": "theme"},
    ]
    for naming in strays:
        refused(await send(acme, idea, {**naming, "action": "mark_unassigned"}), 400, "VALIDATION_FAILED")
    assert group(await read(acme, idea), "theme")["reviewState"] == "accepted"


@pytest.mark.parametrize(
    ("update", "field"),
    [
        ({"groupKey": "size", "action": "accept"}, "updates[0].action"),
        ({"groupKey": "size", "action": "reject"}, "updates[0].action"),
        ({"groupKey": "why_now", "action": "set_option", "optionIds": [str(uuid4())]}, "updates[0].optionIds"),
        ({"groupKey": "theme", "action": "set_text", "textValue": "Speed"}, "updates[0].textValue"),
        ({"groupKey": "theme", "action": "set_option"}, "updates[0].optionIds"),
        ({"groupKey": "theme", "action": "set_option", "optionIds": []}, "updates[0].optionIds"),
        ({"groupKey": "theme", "action": "set_option", "optionIds": ["speed"]}, "updates[0].optionIds[0]"),
        ({"groupKey": "theme", "action": "set_option", "optionIds": [str(uuid4())]}, "updates[0].optionIds"),
        ({"groupKey": "why_now", "action": "set_text"}, "updates[0].textValue"),
        ({"groupKey": "why_now", "action": "set_text", "textValue": None}, "updates[0].textValue"),
        ({"groupKey": "why_now", "action": "set_text", "textValue": " "}, "updates[0].textValue"),
        ({"groupKey": "why_now", "action": "set_text", "textValue": "x" * 2001}, "updates[0].textValue"),
        ({"groupKey": "theme", "action": "accept", "optionIds": []}, "updates[0].optionIds"),
        ({"groupKey": "why_now", "action": "accept", "textValue": "x"}, "updates[0].textValue"),
        ({"groupKey": "theme", "action": "approve"}, "updates[0].action"),
        ({"groupKey": "theme"}, "updates[0].action"),
        ({"groupKey": "theme", "action": "accept", "note": "ok"}, "updates[0].note"),
    ],
)
async def test_an_update_that_does_not_fit_is_refused(acme: Acme, idea: Json, update: Json, field: str) -> None:
    before = await read(acme, idea)
    refused(await send(acme, idea, update), 400, "VALIDATION_FAILED", field)
    assert await read(acme, idea) == before
    assert await acme.read(idea) == idea


async def test_null_means_omitted(acme: Acme, idea: Json) -> None:
    accepted = await review(acme, idea, "theme", "accept", optionIds=None, textValue=None)
    assert accepted["reviewState"] == "accepted"
    trust = options(await read(acme, idea), "theme")["trust"]
    after = await review(acme, idea, "theme", "set_option", optionIds=[trust], textValue=None)
    assert after["value"]["optionIds"] == [trust]
    after = await review(acme, idea, "why_now", "set_text", textValue="Now.", optionIds=None)
    assert after["value"]["textValue"] == "Now."


async def test_a_single_select_group_takes_one_option(acme: Acme, idea: Json) -> None:
    sizes = list(options(await read(acme, idea), "size").values())
    update = {"groupKey": "size", "action": "set_option", "optionIds": sizes}
    refused(await send(acme, idea, update), 400, "VALIDATION_FAILED", "updates[0].optionIds")


async def test_an_option_of_another_group_is_refused(acme: Acme, idea: Json) -> None:
    sizes = options(await read(acme, idea), "size")
    update = {"groupKey": "theme", "action": "set_option", "optionIds": [sizes["s"]]}
    refused(await send(acme, idea, update), 400, "VALIDATION_FAILED", "updates[0].optionIds")


async def test_what_was_rejected_has_no_value_to_accept(acme: Acme, idea: Json) -> None:
    await review(acme, idea, "theme", "reject")
    refused(await send(acme, idea, {"groupKey": "theme", "action": "accept"}), 400, "VALIDATION_FAILED")


async def test_a_written_value_waits_for_another_review(acme: Acme, idea: Json) -> None:
    await review(acme, idea, "theme", "accept")
    await change(acme, idea, classifications=[{"groupKey": "theme", "optionValues": ["trust"]}])
    after = group(await read(acme, idea), "theme")
    assert (after["value"]["optionKeys"], after["reviewState"], after["origin"]) == (["trust"], "unreviewed", "api")


async def test_the_same_value_written_again_keeps_its_review(acme: Acme, idea: Json) -> None:
    await review(acme, idea, "theme", "accept")
    await change(acme, idea, classifications=[{"groupKey": "theme", "optionValues": ["speed", "trust"]}])
    assert group(await read(acme, idea), "theme")["reviewState"] == "accepted"


async def test_a_review_moves_the_tag_and_the_idea(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['id']}/classifications"
    before = (await acme.client.get(path)).headers["etag"]
    answer = await send(acme, idea, {"groupKey": "theme", "action": "accept"})
    after = await acme.client.get(path, headers={"If-None-Match": before})
    assert (after.status_code, after.headers["etag"]) == (200, answer.headers["etag"])
    assert (await acme.client.get(path, headers={"If-None-Match": after.headers["etag"]})).status_code == 304
    assert (await acme.read(idea))["updatedAt"] > idea["updatedAt"]
    stale = await send(acme, idea, {"groupKey": "theme", "action": "reject"}, **{"If-Match": before})
    refused(stale, 412, "PRECONDITION_FAILED")


async def test_a_review_is_in_the_trail(acme: Acme, idea: Json) -> None:
    await review(acme, idea, "theme", "accept")
    assert (await trail(acme, idea["id"]))[-1] == (
        "classification_reviewed",
        {"group": "theme", "reviewAction": "accept"},
    )


async def test_concurrent_reviews_of_different_groups_are_all_kept(acme: Acme, idea: Json) -> None:
    bodies = [("theme", "accept"), ("why_now", "reject"), ("size", "mark_unassigned")]
    answers = await at_once(send(acme, idea, {"groupKey": key, "action": action}) for key, action in bodies)
    assert {answer.status_code for answer in answers} == {200}
    states = [group(await read(acme, idea), key)["reviewState"] for key, _ in bodies]
    assert states == ["accepted", "rejected", "unassigned"]


async def test_classifications_are_read_and_reviewed_by_either_form_of_reference(acme: Acme, idea: Json) -> None:
    path = f"/ideas/{idea['publicId'].lower()}/classifications"
    assert (await acme.client.get(path)).json()["ideaId"] == idea["id"]
    update = {"updates": [{"groupKey": "theme", "action": "accept"}]}
    assert (await acme.client.patch(path, json=update)).json()["ideaId"] == idea["id"]
    refused(await acme.client.get("/ideas/IDEA-999999/classifications"), 404, "NOT_FOUND")
    refused(await acme.client.patch("/ideas/IDEA-999999/classifications", json=update), 404, "NOT_FOUND")
