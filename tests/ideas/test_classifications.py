"""Classifications of a new or updated idea, and reading them with include=classifications."""

from typing import Any

import pytest

from tests.ideas.acme import CATALOG, Acme, Json, refused
from tests.ideas.test_identity_update import SOURCE, update

THEME = {"groupKey": "theme", "optionValues": ["speed"]}
SIZE = {"groupKey": "size", "optionValues": ["Large"]}
WHY = {"groupKey": "why_now", "textValue": "  A renewal is due. "}


def labels(idea: Json) -> dict[str, Any]:
    """The values shown: option labels or text, by group."""
    return {value["groupKey"]: value["textValue"] or value["optionLabels"] for value in idea["classifications"]}


async def test_written_classifications_are_shown_with_their_summary(acme: Acme) -> None:
    created = await acme.create(classifications=[THEME, SIZE, WHY])
    assert labels(created) == {"theme": ["Speed"], "size": ["Large"], "why_now": "  A renewal is due. "}
    assert created["classificationSummary"] == {
        "total": 3,
        "assigned": 3,
        "unassigned": 0,
        "reviewed": 0,
        "needsReview": 3,
    }
    assert await acme.read(created, include="classifications") == created


async def test_a_value_shows_group_options_and_review(acme: Acme) -> None:
    [value] = (await acme.create(classifications=[THEME]))["classifications"]
    options = "SELECT id FROM taxonomy_options WHERE workspace_id = $1 AND key = $2"
    groups = "SELECT id FROM taxonomy_groups WHERE workspace_id = $1 AND key = $2"
    assert value == {
        "taxonomyGroupId": str(await acme.value(groups, "theme")),
        "groupKey": "theme",
        "groupLabel": "Theme",
        "kind": "list",
        "optionIds": [str(await acme.value(options, "speed"))],
        "optionKeys": ["speed"],
        "optionLabels": ["Speed"],
        "textValue": None,
        "reviewState": "unreviewed",
    }


async def test_the_active_taxonomys_version_is_noted_when_classifications_are_written(acme: Acme) -> None:
    version = str(await acme.value("SELECT id FROM taxonomy_versions WHERE workspace_id = $1 AND is_active"))
    assert (await acme.create())["taxonomyVersionId"] is None
    assert (await acme.create(classifications=[THEME]))["taxonomyVersionId"] == version


async def test_an_empty_list_of_assignments_writes_nothing(acme: Acme) -> None:
    created = await acme.create(classifications=[])
    assert created["taxonomyVersionId"] is None
    read = await acme.read(created, include="classifications")
    assert (read["classifications"], read["classificationSummary"]["assigned"]) == ([], 0)


async def test_an_idea_without_values_is_all_unassigned(acme: Acme) -> None:
    read = await acme.read(await acme.create(), include="classifications")
    assert read["classifications"] == []
    assert read["classificationSummary"] == {
        "total": 3,
        "assigned": 0,
        "unassigned": 3,
        "reviewed": 0,
        "needsReview": 0,
    }


async def test_options_are_named_by_key_or_label_once_each(acme: Acme) -> None:
    body = {"groupKey": "theme", "optionValues": ["Trust", "speed", "trust", "Speed"]}
    [value] = (await acme.create(classifications=[body]))["classifications"]
    assert sorted(value["optionKeys"]) == ["speed", "trust"]


async def test_null_options_are_omitted_in_a_new_idea_only(acme: Acme) -> None:
    why = {"groupKey": "why_now", "textValue": "A law.", "optionValues": None}
    created = await acme.create(classifications=[why])
    assert [value["textValue"] for value in created["classifications"]] == ["A law."]
    answer = await acme.client.patch(f"/ideas/{created['id']}", json={"classifications": [why]})
    refused(answer, 400, "VALIDATION_FAILED", "classifications[0].optionValues")


async def test_a_key_wins_over_another_options_label(acme: Acme) -> None:
    options = [{"key": "a", "label": "b"}, {"key": "b", "label": "a"}]
    group = {"key": "cross", "label": "Cross", "kind": "list", "selectionMode": "single", "options": options}
    await acme.world.add(taxonomy={"groups": [*CATALOG["taxonomy"]["groups"], group]})
    [value] = (await acme.create(classifications=[{"groupKey": "cross", "optionValues": ["b"]}]))["classifications"]
    assert (value["optionKeys"], value["optionLabels"]) == (["b"], ["a"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"groupKey": "nowhere", "optionValues": ["speed"]},
        {"groupKey": "Theme", "optionValues": ["speed"]},
        {"groupKey": "theme", "optionValues": ["SPEED"]},
        {"groupKey": "theme", "optionValues": ["speed", "unknown"]},
        {"groupKey": "theme", "optionValues": [""]},
        {"groupKey": "theme", "optionValues": None},
        {"groupKey": "theme", "optionValues": "speed"},
        {"groupKey": "theme", "textValue": "speed"},
        {"groupKey": "theme", "optionValues": ["speed"], "textValue": "speed"},
        {"groupKey": "theme"},
        {"groupKey": "size", "optionValues": ["s", "l"]},
        {"groupKey": "why_now", "optionValues": ["now"]},
        {"groupKey": "why_now", "textValue": "now", "optionValues": []},
        {"groupKey": "why_now", "textValue": ""},
        {"groupKey": "why_now", "textValue": "  "},
        {"groupKey": "why_now", "textValue": "x" * 2001},
        {"groupKey": "why_now", "textValue": 3},
        {"groupKey": "why_now"},
        {"optionValues": ["speed"]},
        {"groupKey": None, "optionValues": ["speed"]},
        {"groupKey": "theme", "optionValues": ["speed"], "reviewState": "accepted"},
        "theme",
        None,
    ],
)
async def test_an_assignment_that_does_not_fit_the_taxonomy_is_refused(acme: Acme, wrong: Any) -> None:
    problem = refused(await acme.post(classifications=[SIZE, wrong]), 400, "VALIDATION_FAILED")
    assert all(fault["path"].startswith("classifications[1]") for fault in problem["errors"])
    assert await acme.total() == 0


async def test_the_same_group_twice_is_refused(acme: Acme) -> None:
    refused(await acme.post(classifications=[THEME, THEME]), 400, "VALIDATION_FAILED")


async def test_faults_of_all_assignments_are_named_at_once(acme: Acme) -> None:
    wrong = [{"groupKey": "nowhere", "optionValues": []}, {"groupKey": "size", "optionValues": ["s", "l"]}]
    problem = refused(await acme.post(classifications=wrong), 400, "VALIDATION_FAILED")
    assert {fault["path"][: len("classifications[0]")] for fault in problem["errors"]} == {
        *("classifications[0]", "classifications[1]"),
    }


async def test_a_text_has_1_to_2000_characters(acme: Acme) -> None:
    for text in ("x", "\U0001f4a1" * 2000):
        created = await acme.create(classifications=[{"groupKey": "why_now", "textValue": text}])
        assert labels(created) == {"why_now": text}


async def test_without_a_taxonomy_there_is_nothing_to_assign(acme: Acme) -> None:
    async with acme.world.stranger() as stranger:
        plain = Acme(stranger)
        refused(await plain.post(classifications=[THEME]), 400, "VALIDATION_FAILED")
        read = await plain.read(await plain.create(), include="classifications")
        assert (read["classifications"], read["classificationSummary"]["total"]) == ([], 0)


async def test_an_update_patches_the_supplied_groups_only(acme: Acme) -> None:
    await acme.create(**SOURCE, classifications=[THEME, SIZE, WHY])
    updated = await update(acme, classifications=[{"groupKey": "size", "optionValues": ["s"]}])
    assert labels(updated) == {"theme": ["Speed"], "size": ["Small"], "why_now": "  A renewal is due. "}


async def test_an_update_without_classifications_leaves_them(acme: Acme) -> None:
    created = await acme.create(**SOURCE, classifications=[THEME])
    nothings: list[Json] = [{}, {"classifications": None}, {"classifications": []}]
    for nothing in nothings:
        updated = await update(acme, **nothing)
        assert labels(await acme.read(updated, include="classifications")) == {"theme": ["Speed"]}
        assert updated["taxonomyVersionId"] == created["taxonomyVersionId"]


async def test_an_empty_array_and_null_mark_a_group_unassigned(acme: Acme) -> None:
    await acme.create(**SOURCE, classifications=[THEME, SIZE, WHY])
    nothing = [{"groupKey": "theme", "optionValues": []}, {"groupKey": "why_now", "textValue": None}]
    updated = await update(acme, classifications=nothing)
    assert labels(updated) == {"size": ["Large"]}
    summary = updated["classificationSummary"]
    assert (summary["assigned"], summary["unassigned"], summary["needsReview"]) == (1, 2, 1)


async def test_the_same_values_again_change_nothing(acme: Acme) -> None:
    created = await acme.create(**SOURCE, classifications=[THEME, SIZE, WHY])
    assert await update(acme, classifications=[WHY, SIZE, THEME]) == created


async def test_a_changed_value_moves_the_date_and_the_tag(acme: Acme) -> None:
    before = await acme.post(**SOURCE, classifications=[THEME])
    after = await acme.post(**SOURCE, classifications=[{"groupKey": "theme", "optionValues": ["trust"]}])
    assert before.headers["etag"] != after.headers["etag"]


async def test_the_list_shows_each_idea_its_own(acme: Acme) -> None:
    first = await acme.create(classifications=[THEME])
    second = await acme.create(classifications=[WHY])
    third = await acme.create()
    listed = {idea["id"]: labels(idea) for idea in await acme.list(include="classifications")}
    assert listed == {
        first["id"]: {"theme": ["Speed"]},
        second["id"]: {"why_now": "  A renewal is due. "},
        third["id"]: {},
    }


async def test_a_new_taxonomy_shows_in_values_and_tags(acme: Acme) -> None:
    created = await acme.create(classifications=[THEME])
    path = f"/ideas/{created['id']}?include=classifications"
    tag = (await acme.client.get(path)).headers["etag"]
    theme, *others = CATALOG["taxonomy"]["groups"]
    renamed = {**theme, "options": [{"key": "speed", "label": "Pace"}, {"key": "trust", "label": "Trust"}]}
    await acme.world.add(taxonomy={"groups": [renamed, *others]})
    answer = await acme.client.get(path, headers={"If-None-Match": tag})
    assert (answer.status_code, labels(answer.json())) == (200, {"theme": ["Pace"]})
    assert answer.json()["taxonomyVersionId"] == created["taxonomyVersionId"]


async def test_reviewed_values_are_counted_as_reviewed(acme: Acme) -> None:
    values = [
        {"groupKey": "theme", "optionValues": ["speed"], "reviewState": "accepted", "origin": "manual"},
        {"groupKey": "size", "optionValues": ["s"], "reviewState": "unreviewed", "origin": "suggested"},
    ]
    await acme.world.add(ideas=[{"key": "one", "name": "One", "description": "d", "classifications": values}])
    [idea] = await acme.list(include="classifications")
    summary = idea["classificationSummary"]
    assert (summary["assigned"], summary["reviewed"], summary["needsReview"]) == (2, 1, 1)
    assert {value["groupKey"]: value["reviewState"] for value in idea["classifications"]} == {
        "theme": "accepted",
        "size": "unreviewed",
    }
