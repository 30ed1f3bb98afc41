"""Nothing is removed unless the file says so."""

from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.workspace_file import applying
from sightline.workspace_file.parts import PRUNABLE
from tests.workspace_file.files import apply, by_key, exported, refusal, small, whole


async def test_only_a_list_that_is_to_be_pruned_loses_records(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    ids = (await apply(database, file)).ids
    lists: dict[str, Any] = {"ideas": [{"key": "fast"}], "accounts": [{"key": "globex"}], "prune": ["ideas"]}
    applied = await apply(database, small(slug, **lists))
    found = await exported(database, slug)
    assert list(by_key(found["ideas"])) == ["fast"]
    assert len(found["accounts"]) == 2
    assert (applied.counts["ideas"].removed, applied.counts["accounts"].removed) == (2, 0)
    async with database.autocommit() as tx:
        gone = await tx.connection.fetch(
            "SELECT record_id, public_id, actor_kind FROM changes"
            " WHERE workspace_id = $1 AND kind = 'idea' AND action = 'deleted' ORDER BY public_id",
            applied.workspace_id,
        )
    assert [tuple(row) for row in gone] == [
        (ids["ideas"]["plain"], "IDEA-41", "file"),
        (ids["ideas"]["next"], "IDEA-43", "file"),
    ]


@pytest.mark.parametrize("name", sorted(PRUNABLE - {"products.features", "ideaStatuses"}))
async def test_a_list_can_be_emptied(database: Database, name: str) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    await apply(database, small(slug, **{name: [], "prune": [name]}))
    assert (await exported(database, slug))[name] == []


async def test_features_that_are_not_named_go_where_a_product_gives_its_features(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    products = [{"key": "app", "features": [{"key": "csv", "parent": None}]}, {"key": "web"}]
    applied = await apply(database, small(slug, products=products, prune=["products.features"]))
    found = by_key((await exported(database, slug))["products"])
    assert [feature["key"] for feature in found["app"]["features"]] == ["csv"]
    assert len(found["web"]["features"]) == 1
    assert applied.counts["products.features"].removed == 1


async def test_what_was_pruned_cannot_be_named(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    faults = await refusal(
        database, small(slug, products=[{"key": "app"}], ideas=[{"key": "next", "product": "web"}], prune=["products"])
    )
    assert list(faults) == ["ideas[0].product"]


@pytest.mark.parametrize("name", ["portal.users", "ideas.questions", "taxonomy", "nothing", "teams"])
async def test_only_lists_that_the_file_gives_can_be_pruned(database: Database, name: str) -> None:
    assert list(await refusal(database, small(prune=[name]))) == ["prune[0]"]


async def test_a_label_that_ideas_have_stays(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    lists: dict[str, Any] = {"ideaStatuses": [{"label": "New"}, {"label": "Done"}], "prune": ["ideaStatuses"]}
    faults = await refusal(database, small(slug, **lists))
    assert faults == {"ideaStatuses": "The label 'Promoted' is used by 1 ideas"}
    assert list(await refusal(database, small(slug, **lists, ideas=[{"key": "next", "status": "Promoted"}]))) == [
        "ideas[0].status",
        "ideaStatuses",
    ]
    applied = await apply(database, small(slug, **lists, ideas=[{"key": "fast", "status": "Done"}]))
    assert applied.counts["ideaStatuses"].removed == 1
    found = (await exported(database, slug))["ideaStatuses"]
    assert [label["label"] for label in found] == ["New", "Done"]


async def test_the_promotion_mark_moves_at_the_first_attempt(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "ATTEMPTS", 1)
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    moved = [{"label": "Done", "promotion": True}]
    assert list(await refusal(database, small(slug, ideaStatuses=moved))) == ["ideaStatuses[0].promotion"]
    await apply(database, file | {"ideaStatuses": [*moved, {"label": "Promoted", "promotion": False}]})
    found = (await exported(database, slug))["ideaStatuses"]
    assert [label["label"] for label in found if label["promotion"]] == ["Done"]
