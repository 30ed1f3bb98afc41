"""Identities that an idea had elsewhere: they find the idea, by GET and by POST."""

from typing import Any
from uuid import UUID

import pytest

from sightline.workspace_file import FileRefused
from tests.ideas.acme import EXPORT, Acme, faults_of

OWN = {"sourceKey": "fider", "externalId": "1"}
MERGED = {"sourceKey": "fider", "externalId": "3"}


@pytest.fixture
async def dark_mode(acme: Acme) -> Any:
    """An idea with two aliases: of a source, and of an integration."""
    forms = {"integration": "forms", "externalId": "F-9"}
    await acme.world.add(
        ideas=[{"key": "dark", "name": "Dark mode", "description": EXPORT, **OWN, "aliases": [MERGED, forms]}]
    )
    [idea] = await acme.list(**OWN)
    return idea


async def test_an_alias_finds_the_idea(acme: Acme, dark_mode: Any) -> None:
    forms = {"integrationId": acme.integrations["forms"], "externalId": "F-9"}
    for identity in (MERGED, forms, {"externalId": "3"}, OWN):
        assert await acme.list(**identity) == [dark_mode]
        assert await acme.total(**identity) == 1
    for other in ({"sourceKey": "canny", "externalId": "3"}, {"sourceKey": "fider", "externalId": "F-9"}):
        assert await acme.list(**other) == []
    assert await acme.list(**MERGED, status="Promoted") == []


async def test_a_post_of_an_alias_updates_the_idea_and_keeps_its_identity(acme: Acme, dark_mode: Any) -> None:
    updated = await acme.create(**MERGED, integrationId=acme.integrations["jira"], name="Night theme")
    assert (updated["id"], updated["name"]) == (dark_mode["id"], "Night theme")
    assert (updated["sourceKey"], updated["externalId"], updated["integrationId"]) == ("fider", "1", None)
    assert await acme.total() == 1


async def test_a_post_of_an_identity_and_an_alias_keeps_the_identity(acme: Acme) -> None:
    alias = {"integration": "forms", "externalId": "1"}
    await acme.world.add(ideas=[{"key": "dark", "description": EXPORT, **OWN, "aliases": [alias]}])
    updated = await acme.create(**OWN, integrationId=acme.integrations["forms"], name="Night theme")
    assert (updated["name"], updated["integrationId"]) == ("Night theme", None)
    completed = await acme.create(**OWN, integrationId=acme.integrations["jira"])
    assert (completed["id"], completed["integrationId"]) == (updated["id"], acme.integrations["jira"])
    assert await acme.total() == 1


async def test_a_file_gives_no_idea_an_identity_that_is_an_alias(acme: Acme, dark_mode: Any) -> None:
    own, alias = {"key": "own", "description": EXPORT, **MERGED}, f"Is an alias of {dark_mode['publicId']}"
    assert await faults_of(acme.world.add(ideas=[own])) == {"ideas[0].externalId": alias}
    await acme.world.add(ideas=[{"key": "own", "description": EXPORT}])
    assert await faults_of(acme.world.add(ideas=[own])) == {"ideas[0].externalId": alias}
    assert (await acme.client.delete(f"/ideas/{dark_mode['id']}")).status_code == 200
    await acme.world.add(ideas=[own])


async def test_an_idea_of_a_file_does_not_have_the_alias_of_another(acme: Acme) -> None:
    ideas = [
        {"key": "dark", "description": EXPORT, "aliases": [MERGED]},
        {"key": "own", "description": EXPORT, **MERGED},
    ]
    faults = await faults_of(acme.world.add(ideas=ideas))
    assert faults == {"ideas[0].aliases[0].externalId": "Is the identity of another idea of the file"}
    others = [{"key": f"other-{n}", "description": EXPORT} for n in range(1_000)]  # more than a batch
    faults = await faults_of(acme.world.add(ideas=[ideas[0], *others, ideas[1]]))
    assert faults == {"ideas[1001].externalId": "Is an alias of another idea of the file"}


async def test_the_identity_of_an_idea_comes_before_an_alias_that_was_stored_with_it(
    acme: Acme, dark_mode: Any
) -> None:
    """Earlier versions stored both when a file and a request came at the same time."""
    own = await acme.create(sourceKey="canny", externalId="3", integrationId=acme.integrations["jira"])
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute("SET LOCAL session_replication_role = replica")
        await tx.connection.execute("UPDATE ideas SET source_key = 'fider' WHERE id = $1", UUID(own["id"]))
    [found] = await acme.list(**MERGED)
    assert found["id"] == own["id"] != dark_mode["id"]
    assert (await acme.create(**MERGED))["id"] == own["id"]
    await acme.run("DELETE FROM integrations WHERE workspace_id = $1 AND key = 'jira'")
    assert (await acme.create(**MERGED, name="Renamed"))["integrationId"] is None


async def test_aliases_are_unique_and_go_with_their_idea(acme: Acme, dark_mode: Any) -> None:
    other = {"key": "other", "description": EXPORT}
    for alias in (MERGED, OWN, {"externalId": "4"}, {"sourceKey": "fider"}):
        with pytest.raises(FileRefused) as refused:
            await acme.world.add(ideas=[{**other, "aliases": [alias]}])
        assert {fault.path.partition(".")[0] for fault in refused.value.faults} == {"ideas[0]"}
    assert (await acme.client.delete(f"/ideas/{dark_mode['id']}")).status_code == 200
    assert await acme.list(**MERGED) == []
    assert (await acme.create(**MERGED))["id"] != dark_mode["id"]
