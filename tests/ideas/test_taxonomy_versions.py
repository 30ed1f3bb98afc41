"""What becomes of classifications when the taxonomy changes."""

from copy import deepcopy
from typing import Any

from tests.ideas.acme import CATALOG, Acme, Json, refused
from tests.ideas.test_classification_review import group, options, read, review, send
from tests.ideas.workroom import change, from_file
from tests.world import World

VALUES: list[Json] = [
    {"groupKey": "theme", "optionValues": ["speed", "trust"], "reviewState": "accepted"},
    {"groupKey": "size", "optionValues": ["s"], "reviewState": "accepted"},
    {"groupKey": "why_now", "textValue": "A law.", "reviewState": "accepted"},
]


async def retaxonomize(acme: Acme, change: Any) -> None:
    """Another version of the taxonomy: its groups after `change`."""
    groups = deepcopy(CATALOG["taxonomy"]["groups"])
    change(groups)
    await acme.world.add(taxonomy={"groups": groups})


async def test_groups_and_options_keep_their_ids_and_values_carry_over(acme: Acme) -> None:
    idea = await from_file(acme, classifications=VALUES)
    before = await read(acme, idea)

    def rename(groups: list[Json]) -> None:
        groups[0]["label"] = "Topic"
        groups[0]["options"].append({"key": "price", "label": "Price"})

    await retaxonomize(acme, rename)
    after = await read(acme, idea)
    assert after["taxonomyVersion"]["version"] == before["taxonomyVersion"]["version"] + 1
    assert after["taxonomyVersion"]["id"] != before["taxonomyVersion"]["id"]
    assert group(after, "theme")["label"] == "Topic"
    assert options(after, "theme").items() > options(before, "theme").items()
    for key in ("theme", "size", "why_now"):
        for field in ("taxonomyGroupId", "value", "reviewState", "origin"):
            assert group(after, key)[field] == group(before, key)[field]
    assert after["reviewSummary"] == before["reviewSummary"]


async def test_a_vanished_option_makes_the_value_need_review(acme: Acme) -> None:
    idea = await from_file(acme, classifications=VALUES)

    def drop_trust(groups: list[Json]) -> None:
        del groups[0]["options"][1]

    await retaxonomize(acme, drop_trust)
    after = await read(acme, idea)
    theme = group(after, "theme")
    assert (theme["value"]["optionKeys"], theme["reviewState"]) == (["speed"], "unreviewed")
    assert group(after, "size")["reviewState"] == "accepted"
    assert after["reviewSummary"] == {"total": 3, "assigned": 3, "unassigned": 0, "reviewed": 2, "needsReview": 1}
    assert (await review(acme, idea, "theme", "accept"))["value"]["optionKeys"] == ["speed"]
    assert (await read(acme, idea))["reviewSummary"]["needsReview"] == 0


async def test_a_value_whose_only_option_vanished_needs_review_too(acme: Acme) -> None:
    idea = await from_file(acme, classifications=VALUES)

    def drop_small(groups: list[Json]) -> None:
        del groups[1]["options"][0]

    await retaxonomize(acme, drop_small)
    after = await read(acme, idea)
    assert (group(after, "size")["value"], group(after, "size")["reviewState"]) == (None, "unreviewed")
    expected = {"total": 3, "assigned": 2, "unassigned": 1, "reviewed": 2, "needsReview": 1}
    assert after["reviewSummary"] == expected
    assert (await acme.read(idea, include="classifications"))["classificationSummary"] == expected
    refused(await send(acme, idea, {"groupKey": "size", "action": "accept"}), 400, "VALIDATION_FAILED")
    await review(acme, idea, "size", "mark_unassigned")
    assert (await read(acme, idea))["reviewSummary"]["needsReview"] == 0


async def test_a_vanished_option_can_no_longer_be_chosen(acme: Acme) -> None:
    idea = await from_file(acme)
    trust = options(await read(acme, idea), "theme")["trust"]

    def drop_trust(groups: list[Json]) -> None:
        del groups[0]["options"][1]

    await retaxonomize(acme, drop_trust)
    update = {"groupKey": "theme", "action": "set_option", "optionIds": [trust]}
    refused(await send(acme, idea, update), 400, "VALIDATION_FAILED", "updates[0].optionIds")


async def test_a_vanished_group_is_no_longer_shown_and_comes_back_with_its_values(acme: Acme) -> None:
    idea = await from_file(acme, classifications=VALUES)
    before = group(await read(acme, idea), "theme")

    def drop_theme(groups: list[Json]) -> None:
        del groups[0]

    await retaxonomize(acme, drop_theme)
    assert [each["groupKey"] for each in (await read(acme, idea))["groups"]] == ["size", "why_now"]
    update = {"taxonomyGroupId": before["taxonomyGroupId"], "action": "mark_unassigned"}
    refused(await send(acme, idea, update), 400, "VALIDATION_FAILED")
    await retaxonomize(acme, lambda groups: None)
    after = group(await read(acme, idea), "theme")
    assert (after["taxonomyGroupId"], after["value"]) == (before["taxonomyGroupId"], before["value"])


async def test_another_taxonomy_moves_the_tags_of_what_shows_it(acme: Acme) -> None:
    idea = await from_file(acme, classifications=VALUES)
    paths = [f"/ideas/{idea['id']}/classifications", f"/ideas/{idea['id']}?include=classifications"]
    before = [(await acme.client.get(path)).headers["etag"] for path in paths]
    await retaxonomize(acme, lambda groups: groups[0].update(label="Topic"))
    for path, tag in zip(paths, before, strict=True):
        assert (await acme.client.get(path, headers={"If-None-Match": tag})).status_code == 200


async def test_ideas_that_lose_or_regain_values_are_changed(acme: Acme) -> None:
    classified, other = await from_file(acme, classifications=VALUES), await acme.create()

    def drop_trust(groups: list[Json]) -> None:
        del groups[0]["options"][1]

    for changed in (drop_trust, lambda groups: None, lambda groups: groups.pop(2), lambda groups: None):
        before = [await acme.client.get(f"/ideas/{one['id']}") for one in (classified, other)]
        await retaxonomize(acme, changed)
        after = [await acme.client.get(f"/ideas/{one['id']}") for one in (classified, other)]
        moments = [[answer.json()["updatedAt"] for answer in answers] for answers in (before, after)]
        assert moments[0][0] < moments[1][0]
        assert moments[0][1] == moments[1][1]
        assert before[0].headers["etag"] != after[0].headers["etag"]
        assert before[1].headers["etag"] == after[1].headers["etag"]


async def test_a_write_notes_the_version_that_was_active(acme: Acme) -> None:
    idea = await acme.create()
    assert idea["taxonomyVersionId"] is None
    reviewed = await acme.create(classifications=[{"groupKey": "size", "optionValues": ["s"]}])
    assert reviewed["taxonomyVersionId"] == (await read(acme, idea))["taxonomyVersion"]["id"]
    await retaxonomize(acme, lambda groups: groups[0].update(label="Topic"))
    active = (await read(acme, idea))["taxonomyVersion"]["id"]
    assert (await acme.read(reviewed))["taxonomyVersionId"] != active
    await review(acme, reviewed, "size", "accept")
    changed = await change(acme, idea, classifications=[{"groupKey": "size", "optionValues": ["s"]}])
    assert (await acme.read(reviewed))["taxonomyVersionId"] == changed["taxonomyVersionId"] == active


async def test_without_an_active_taxonomy_there_are_no_groups_and_nothing_can_be_written(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "One"})).json()
    path = f"/ideas/{idea['id']}"
    none = {"total": 0, "assigned": 0, "unassigned": 0, "reviewed": 0, "needsReview": 0}
    assert (await world.client.get(f"{path}/classifications")).json() == {
        **{"ideaId": idea["id"], "taxonomyVersion": None, "groups": [], "reviewSummary": none},
    }
    shown = (await world.client.get(f"{path}?include=classifications")).json()
    assert (shown["classifications"], shown["classificationSummary"]) == ([], none)
    update = {"updates": [{"groupKey": "theme", "action": "mark_unassigned"}]}
    refused(await world.client.patch(f"{path}/classifications", json=update), 400, "VALIDATION_FAILED")
    assignments = {"classifications": [{"groupKey": "theme", "optionValues": []}]}
    refused(await world.client.patch(path, json=assignments), 400, "VALIDATION_FAILED")
