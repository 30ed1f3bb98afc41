"""The taxonomy has one active version; ids stay with their keys."""

from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.db import Database
from sightline.workspaces.operating import delete_workspace
from tests.workspace_file.files import apply, by_key, export, exported, refusal, small, whole


async def _versions(database: Database, workspace_id: UUID) -> list[tuple[int, bool]]:
    async with database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT version, is_active FROM taxonomy_versions WHERE workspace_id = $1 ORDER BY version", workspace_id
        )
    return [(row[0], row[1]) for row in rows]


def _changed(file: dict[str, Any]) -> list[dict[str, Any]]:
    """Without the option `speed` and the group `why`, with a group `when`."""
    theme = file["taxonomy"]["groups"][0]
    theme = theme | {"options": [{"key": "money", "label": "Cash"}]}
    return [{"key": "when", "label": "When", "kind": "text"}, theme]


async def test_another_list_of_groups_is_another_version(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    applied = await apply(database, file)
    before = by_key((await exported(database, slug))["taxonomy"]["groups"])
    again = await apply(database, small(slug, taxonomy={"groups": _changed(file)}))
    assert await _versions(database, applied.workspace_id) == [(1, False), (2, True)]
    assert again.counts["taxonomy"].changed == 1
    groups = (await exported(database, slug))["taxonomy"]["groups"]
    assert [(group["key"], group.get("retired", False)) for group in groups] == [
        ("when", False),
        ("theme", False),
        ("why", True),
    ]
    theme = by_key(groups)["theme"]
    assert theme["id"] == before["theme"]["id"]
    assert [(option["key"], option["label"], option.get("retired", False)) for option in theme["options"]] == [
        ("money", "Cash", False),
        ("speed", "Speed", True),
    ]
    assert by_key(theme["options"])["money"]["id"] == by_key(before["theme"]["options"])["money"]["id"]


async def test_values_carry_over_and_need_review_when_their_option_is_gone(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    file["ideas"][1]["classifications"] = [{"groupKey": "theme", "optionValues": ["money"], "reviewState": "accepted"}]
    await apply(database, file)
    await apply(database, small(slug, taxonomy={"groups": _changed(file)}))
    ideas = by_key((await exported(database, slug))["ideas"])
    fast, plain = ideas["fast"]["classifications"], ideas["plain"]["classifications"]
    assert (fast[0]["optionValues"], fast[0]["reviewState"]) == (["money", "speed"], "unreviewed")
    assert (fast[1]["textValue"], fast[1]["reviewState"]) == ("Because.", "corrected")
    assert plain[0]["reviewState"] == "accepted"
    assert ideas["fast"]["taxonomyVersion"] == 1


async def test_a_group_that_comes_back_is_the_same_group(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    applied = await apply(database, file)
    first = by_key((await exported(database, slug))["taxonomy"]["groups"])["why"]["id"]
    await apply(database, small(slug, taxonomy={"groups": _changed(file)}))
    await apply(database, small(slug, taxonomy=file["taxonomy"]))
    assert by_key((await exported(database, slug))["taxonomy"]["groups"])["why"]["id"] == first
    assert await _versions(database, applied.workspace_id) == [(1, False), (2, False), (3, True)]


async def test_earlier_versions_are_exported(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    await apply(database, small(slug, taxonomy={"groups": _changed(file)}))
    first = await export(database, slug)
    await delete_workspace(database, slug)
    applied = await apply(database, first)
    assert await export(database, slug) == first
    assert await _versions(database, applied.workspace_id) == [(1, False), (2, True)]
    assert by_key(msgspec.json.decode(first)["ideas"])["fast"]["taxonomyVersion"] == 1


async def test_a_version_has_at_most_ten_thousand_options_in_all_groups(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    groups = [
        {"key": f"g{g}", "options": [{"key": f"o{n}"} for n in range(g * 5_000, g * 5_000 + 5_000)]} for g in range(2)
    ]
    more = [*groups, {"key": "one", "options": [{"key": "more"}]}]
    refused = await refusal(database, small(file["workspace"]["slug"], taxonomy={"groups": more}))
    assert refused == {"taxonomy.groups": "Expected at most 10,000 options in all groups together"}
    await apply(database, small(file["workspace"]["slug"], taxonomy={"groups": groups}))
    assert await _versions(database, applied.workspace_id) == [(1, False), (2, True)]
