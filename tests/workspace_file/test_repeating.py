"""Applying a file again, or a part of it: omitted fields stay, and a second time changes nothing."""

from typing import Any
from uuid import UUID

import pytest

from sightline.platform.db import Database
from tests.workspace_file.files import apply, by_key, exported, rows_of, small, whole
from tests.world import World


async def test_the_same_file_twice_writes_nothing(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    before = await rows_of(database, applied.workspace_id)
    again = await apply(database, file)
    assert await rows_of(database, applied.workspace_id) == before
    assert not again.added
    assert all(count.added == count.changed == count.removed == 0 for count in again.counts.values())
    assert again.ids == applied.ids


async def test_omitted_lists_and_fields_stay(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    before = await exported(database, slug)
    applied = await apply(database, {"workspace": {"slug": slug}, "ideas": [{"key": "fast", "name": "Renamed"}]})
    after = await exported(database, slug)
    idea, old = by_key(after["ideas"])["fast"], by_key(before["ideas"])["fast"]
    assert idea.pop("name") == "Renamed"
    assert idea.pop("updatedAt") > old["updatedAt"]
    assert idea == {name: value for name, value in old.items() if name not in ("name", "updatedAt")}
    assert {name: value for name, value in after.items() if name != "ideas"} == {
        name: value for name, value in before.items() if name != "ideas"
    }
    assert applied.counts["ideas"].changed == 1


async def _versions(database: Database, workspace_id: UUID, table: str) -> dict[str, int]:
    async with database.autocommit() as tx:
        query = f"SELECT key, version FROM {table} WHERE workspace_id = $1"  # noqa: S608
        return {row["key"]: row["version"] for row in await tx.connection.fetch(query, workspace_id)}


async def test_a_changed_record_moves_its_version_and_leaves_a_trail(database: Database) -> None:
    file = small(ideas=[{"key": "a", "name": "A", "description": "x"}, {"key": "b", "name": "B", "description": "x"}])
    applied = await apply(database, file)
    file["ideas"][0] |= {"status": "Approved"}
    before = await _versions(database, applied.workspace_id, "ideas")
    await apply(database, file)
    after = await _versions(database, applied.workspace_id, "ideas")
    async with database.autocommit() as tx:
        trail = await tx.connection.fetch(
            "SELECT action, actor_kind, actor_id, public_id, detail FROM changes"
            " WHERE workspace_id = $1 AND record_id = $2 ORDER BY at",
            applied.workspace_id,
            applied.ids["ideas"]["a"],
        )
    assert after == before | {"a": before["a"] + 1}
    assert [tuple(row[:4]) for row in trail] == [
        ("created", "file", "tests", "IDEA-1"),
        ("updated", "file", "tests", "IDEA-1"),
    ]
    assert b'"Approved"' in bytes(trail[1]["detail"])


async def test_numbers_follow_the_order_of_the_file_and_those_that_are_given(database: Database) -> None:
    idea = {"description": "x", "name": "x"}
    file = small(ideas=[{"key": "a", **idea}, {"key": "b", "number": 7, **idea}, {"key": "c", **idea}])
    slug = file["workspace"]["slug"]
    await apply(database, file)
    file["ideas"] += [{"key": "d", **idea}]
    await apply(database, file)
    numbers = {key: idea["number"] for key, idea in by_key((await exported(database, slug))["ideas"]).items()}
    assert numbers == {"a": 8, "b": 7, "c": 9, "d": 10}
    async with database.autocommit() as tx:
        last = "SELECT last FROM public_numbers JOIN workspaces w ON w.id = workspace_id WHERE slug = $1"
        assert await tx.connection.fetchval(last, slug) == 10


async def test_a_renamed_team_changes_the_version_of_its_initiatives(database: Database) -> None:
    file = small(teams=[{"key": "t", "name": "T"}], initiatives=[{"key": "i", "name": "I", "teams": ["t"]}])
    applied = await apply(database, file)
    file["teams"][0]["name"] = "Renamed"
    before = await _versions(database, applied.workspace_id, "initiatives")
    await apply(database, file)
    assert await _versions(database, applied.workspace_id, "initiatives") == {"i": before["i"] + 1}


@pytest.mark.parametrize("kind", ["ideas", "signals", "products", "initiatives", "insights"])
async def test_a_record_that_is_made_again_has_another_tag(world: World, kind: str) -> None:
    """Its id is the same, as it follows from the key."""
    field = "title" if kind == "insights" else "name"
    record: dict[str, Any] = {"key": "a", field: "First"} | ({"description": "x"} if kind == "ideas" else {})
    made: dict[str, Any] = {kind: [record]}
    await world.add(**made)
    path = f"/{kind}/{(await world.ids(kind))['a']}"
    first = await world.client.get(path)
    gone: dict[str, Any] = {kind: [], "prune": [kind]}
    await world.add(**gone)
    assert (await world.client.get(path)).status_code == 404
    again: dict[str, Any] = {kind: [record | {field: "Second"}]}
    await world.add(**again)
    second = await world.client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (second.status_code, second.json()[field]) == (200, "Second")


async def test_a_document_that_is_made_again_has_another_tag(world: World) -> None:
    tags = set()
    for content in ("# First", "# Second"):
        documents = [{"type": "PRD", "content": content}]
        await world.add(initiatives=[{"key": "i", "name": "I", "documents": documents}])
        path = f"/initiatives/{(await world.ids('initiatives'))['i']}/documents"
        [document] = (await world.client.get(path)).json()
        tags.add((await world.client.get(f"{path}/{document['id']}")).headers["ETag"])
        await world.add(initiatives=[], prune=["initiatives"])
    assert len(tags) == 2


async def test_a_taxonomy_that_is_made_again_is_read_again(world: World) -> None:
    """Processes keep taxonomies by their version, whose id follows from the workspace."""
    for key in ("theme", "area"):
        group: dict[str, Any] = {"key": key, "label": key, "kind": "list", "selectionMode": "single"}
        group |= {"options": [{"key": "a", "label": "A"}]}
        await world.add(taxonomy={"version": 1, "groups": [group]})
        body = {"description": "x", "classifications": [{"groupKey": key, "optionValues": ["a"]}]}
        made = await world.client.post("/ideas", json=body)
        assert made.status_code == 201, made.text
        await world.client.delete(f"/ideas/{made.json()['id']}")
        async with world.database.transaction() as tx:  # as when the workspace is deleted
            for table in ("taxonomy_options", "taxonomy_groups", "taxonomy_versions"):
                await tx.connection.execute(f"DELETE FROM {table} WHERE workspace_id = $1", world.workspace_id)  # noqa: S608


async def test_features_of_a_product_that_is_made_again_are_matched(world: World) -> None:
    """Processes keep maps of features by their version."""
    for feature in ("Export reports", "Import invoices"):
        await world.add(products=[{"key": "p", "name": "P", "features": [{"key": feature, "name": feature}]}])
        body = {"description": f"Please improve {feature} soon.", "productId": (await world.ids("products"))["p"]}
        answer = await world.client.post("/ideas", json=body)
        assert (answer.status_code, len(answer.json()["featureIds"])) == (201, 1)
        await world.add(products=[], prune=["products"])


async def test_nested_lists_add_and_update_and_sets_replace(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    idea = {"key": "fast", "questions": [{"key": "q2", "question": "Really?"}], "accounts": ["initech"]}
    await apply(database, small(slug, ideas=[idea]))
    found = by_key((await exported(database, slug))["ideas"])["fast"]
    assert {question["question"] for question in found["questions"]} == {"How fast?", "Really?"}
    assert len(found["accounts"]) == 1
    assert len(found["classifications"]) == 2


async def test_the_order_of_features_is_that_of_the_file(database: Database) -> None:
    def features(*keys: str) -> dict[str, Any]:
        return {"key": "app", "name": "App", "features": [{"key": key, "name": key} for key in keys]}

    file = small(products=[features("a", "b", "c")])
    slug = file["workspace"]["slug"]

    async def order() -> str:
        return "".join(feature["key"] for feature in (await exported(database, slug))["products"][0]["features"])

    await apply(database, file)
    assert await order() == "abc"
    await apply(database, small(slug, products=[features("b", "d")]))
    assert await order() == "abcd"
    await apply(database, small(slug, products=[features("d", "a")]))
    assert await order() == "dabc"
    await apply(database, small(slug, products=[features("b", "e", "c", "a", "d")]))
    assert await order() == "becad"


async def test_earlier_content_of_a_document_is_kept(database: Database) -> None:
    document = {"key": "prd", "type": "PRD", "content": "# One"}
    file = small(initiatives=[{"key": "i", "name": "I", "documents": [document]}])
    slug = file["workspace"]["slug"]
    await apply(database, file)
    document["content"] = "# Two"
    await apply(database, small(slug, initiatives=[{"key": "i", "documents": [document]}]))
    found = (await exported(database, slug))["initiatives"][0]["documents"][0]
    assert (found["version"], found["content"], found["earlier"][0]["content"]) == (2, "# Two", "# One")


async def test_a_new_workspace_has_the_default_labels(database: Database) -> None:
    file = small(ideas=[{"key": "a", "name": "A", "description": "x"}])
    slug = file["workspace"]["slug"]
    await apply(database, file)
    found = await exported(database, slug)
    assert [label["label"] for label in found["ideaStatuses"]][:2] == ["New", "Under review"]
    assert found["ideas"][0]["status"] == "New"


async def test_applying_a_file_starts_no_jobs(database: Database) -> None:
    signals = [{"key": "done", "name": "Done"}, {"key": "waiting", "name": "Waiting", "status": "pending"}]
    file = small(signals=signals, ideas=[{"key": "a", "name": "A", "description": "x"}])
    applied = await apply(database, file)
    async with database.autocommit() as tx:
        due = await tx.connection.fetch(
            "SELECT key FROM signals WHERE workspace_id = $1 AND process_after IS NOT NULL", applied.workspace_id
        )
        questions = await tx.connection.fetchval(
            "SELECT count(*) FROM idea_questions WHERE workspace_id = $1", applied.workspace_id
        )
    assert ([row["key"] for row in due], questions) == (["waiting"], 0)


@pytest.mark.parametrize(
    ("status", "name", "after"),
    [("processed", "Ticket", "processed"), ("failed", "Ticket", "pending"), ("processed", "Other", "pending")],
)
async def test_the_same_pending_signal_is_processed_once(
    database: Database, status: str, name: str, after: str
) -> None:
    file = small(signals=[{"key": "s", "name": "Ticket", "status": "pending", "rawData": {"text": "It is slow."}}])
    applied = await apply(database, file)
    async with database.autocommit() as tx:
        query = "UPDATE signals SET status = $2, process_after = NULL WHERE workspace_id = $1"
        await tx.connection.execute(query, applied.workspace_id, status)
    file["signals"][0]["name"] = name
    again = await apply(database, file)
    assert again.counts["signals"].changed == int(after != status)
    assert (await exported(database, file["workspace"]["slug"]))["signals"][0]["status"] == after
