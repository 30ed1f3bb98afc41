"""Which record a record of the file is, and which record a reference names."""

from typing import Any
from uuid import uuid4

import pytest

from sightline.platform.db import Database
from sightline.platform.ids import derived_id
from tests.workspace_file.files import apply, by_key, exported, new_slug, refusal, small, whole


async def test_ids_follow_from_the_workspace_and_the_key(database: Database) -> None:
    slug = new_slug()
    applied = await apply(database, small(slug, teams=[{"key": "core", "name": "Core"}]))
    assert applied.workspace_id == derived_id("workspace", slug)
    assert applied.ids["teams"]["core"] == derived_id(applied.workspace_id, "teams", "core")


async def test_a_record_is_found_by_its_id_and_may_get_another_key(database: Database) -> None:
    slug = new_slug()
    id = str((await apply(database, small(slug, teams=[{"key": "core", "name": "Core"}]))).ids["teams"]["core"])
    applied = await apply(database, small(slug, teams=[{"id": id.upper(), "key": "heart", "name": "Core"}]))
    assert applied.counts["teams"].changed == 1
    assert {key: str(found) for key, found in applied.ids["teams"].items()} == {"heart": id}
    faults = await refusal(database, small(slug, teams=[{"key": "core", "name": "Another"}]))
    assert list(faults) == ["teams[0].key"]


@pytest.mark.parametrize(
    ("list", "first", "second"),
    [
        ("members", {"email": "ada@acme.test"}, {"key": "ada", "email": "ADA@acme.test", "name": "Ada"}),
        ("accounts", {"externalId": "crm-1", "name": "A"}, {"key": "a", "externalId": "crm-1", "name": "B"}),
        ("insights", {"externalId": "in-1", "title": "A"}, {"externalId": "in-1", "title": "B"}),
        (
            "ideas",
            {"sourceKey": "crm", "externalId": "1", "name": "A", "description": "x"},
            {"key": "a", "sourceKey": "crm", "externalId": "1", "name": "B"},
        ),
        (
            "signals",
            {"sourceKey": "crm", "externalId": "1", "name": "A"},
            {"sourceKey": "crm", "externalId": "1", "name": "B"},
        ),
    ],
)
async def test_a_record_without_id_and_key_is_known_by_what_it_is(
    database: Database, list: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    slug = new_slug()
    await apply(database, small(slug, **({"members": []} | {list: [first]})))
    applied = await apply(database, small(slug, **{list: [second]}))
    assert (applied.counts[list].added, applied.counts[list].changed) == (0, 1)


async def test_a_record_that_cannot_be_known_again_is_refused(database: Database) -> None:
    file = small(
        teams=[{"name": "Core"}],
        products=[{"key": "p", "name": "P", "features": [{"name": "F"}]}],
        research=[{"key": "r", "name": "R", "runs": [{"sections": [{"name": "S"}]}]}],
    )
    faults = await refusal(database, file)
    assert set(faults) >= {"teams[0]", "products[0].features[0]", "research[0].runs[0]"}


async def test_references_take_an_id_a_public_id_or_a_key(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    ids = (await apply(database, file)).ids
    for reference in (str(ids["ideas"]["fast"]), str(ids["ideas"]["fast"]).upper(), "IDEA-42", "idea-42", "fast"):
        await apply(database, small(slug, studies=[{"key": "talks", "ideas": [reference]}]))
        found = (await exported(database, slug))["studies"][0]["ideas"]
        assert found == [str(ids["ideas"]["fast"])], reference


async def test_features_are_those_of_the_record_s_product(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    ids = (await apply(database, file)).ids["products.features"]
    idea = {"key": "plain", "product": "web", "features": ["csv"]}
    await apply(database, small(slug, ideas=[idea]))
    assert by_key((await exported(database, slug))["ideas"])["plain"]["features"] == [str(ids["web/csv"])]
    faults = await refusal(
        database,
        small(
            slug,
            ideas=[
                {"key": "plain", "features": ["export"]},
                {"key": "next", "features": ["csv"]},
                {"key": "fast", "product": "web"},
            ],
            initiatives=[{"key": "faster", "product": "web"}, {"key": "other", "features": ["csv"]}],
        ),
    )
    assert sorted(faults) == [
        "ideas[0].features[0]",
        "ideas[1].features[0]",
        "ideas[2].product",
        "initiatives[0].product",
        "initiatives[1].features[0]",
    ]


async def test_matched_features_go_with_their_product(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    await apply(database, small(slug, ideas=[{"key": "fast", "featureOwnership": "automatic", "product": "web"}]))
    assert by_key((await exported(database, slug))["ideas"])["fast"]["features"] == []


async def test_references_to_what_is_not_there_are_named(database: Database) -> None:
    file = small(
        ideas=[
            {
                "key": "a",
                "name": "A",
                "description": "x",
                "product": "nothing",
                "insights": [{"insight": "no"}, "IDEA-1"],
                "comments": [{"key": "c", "body": "x", "author": "nobody"}],
                "evidence": [{"key": "e", "title": "x", "extracts": [{"text": "x", "signal": "none"}]}],
            }
        ],
        signals=[{"key": "s", "name": "S", "studies": ["study"]}],
        feedback=[{"key": "f", "study": "x", "rating": 1, "metric": "m", "subject": {"type": "idea", "id": "zz"},
                   "submittedAt": "2026-01-01"}],
    )  # fmt: skip
    assert set(await refusal(database, file)) == {
        "ideas[0].product",
        "ideas[0].insights[0].insight",
        "ideas[0].insights[1]",
        "ideas[0].comments[0].author",
        "ideas[0].evidence[0].extracts[0].signal",
        "signals[0].studies[0]",
        "feedback[0].study",
        "feedback[0].subject.id",
    }


async def test_a_faulty_record_is_not_missed_by_those_that_name_it(database: Database) -> None:
    file = small(
        teams=[{"key": "core", "name": 7}],
        products=[{"key": "app", "nam": "App"}],
        initiatives=[{"key": "i", "name": "I", "teams": ["core"], "product": "app"}],
        ideas=[{"key": "a", "name": "A", "description": "x", "initiative": "i"}],
    )
    assert set(await refusal(database, file)) == {"teams[0].name", "products[0].nam"}


async def test_the_subject_of_a_rating_never_changes_and_may_be_gone(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    feedback = {"key": "f1", "subject": {"type": "idea", "id": "plain"}}
    assert list(await refusal(database, small(slug, feedback=[feedback]))) == ["feedback[0].subject"]
    gone = {"key": "f9", "study": "talks", "rating": 1, "metric": "m", "submittedAt": "2026-01-01",
            "subject": {"type": "idea", "id": str(uuid4())}}  # fmt: skip
    assert (await apply(database, small(slug, feedback=[gone]))).counts["feedback"].added == 1


async def test_a_workspace_is_found_by_its_slug_and_keeps_its_id(database: Database) -> None:
    first, second = new_slug(), new_slug()
    id = str((await apply(database, small(first))).workspace_id)
    file: dict[str, Any] = small(second)
    file["workspace"]["id"] = id
    assert list(await refusal(database, file)) == ["workspace.id"]
    file["workspace"] |= {"slug": first, "id": str(uuid4())}
    assert list(await refusal(database, file)) == ["workspace.id"]
    file["workspace"] |= {"slug": second}
    assert str((await apply(database, file)).workspace_id) == file["workspace"]["id"]
