"""Identities that an idea had elsewhere: they find the idea, by GET and by POST."""

from typing import Any

import pytest

from sightline.workspace_file import FileRefused
from tests.ideas.acme import EXPORT, Acme

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


async def test_the_identity_of_an_idea_comes_before_an_alias(acme: Acme, dark_mode: Any) -> None:
    await acme.world.add(ideas=[{"key": "own", "description": EXPORT, **MERGED}])
    [own] = await acme.list(**MERGED)
    assert own["id"] != dark_mode["id"]
    assert (await acme.create(**MERGED))["id"] == own["id"]


async def test_aliases_are_unique_and_go_with_their_idea(acme: Acme, dark_mode: Any) -> None:
    other = {"key": "other", "description": EXPORT}
    for alias in (MERGED, OWN, {"externalId": "4"}, {"sourceKey": "fider"}):
        with pytest.raises(FileRefused) as refused:
            await acme.world.add(ideas=[{**other, "aliases": [alias]}])
        assert {fault.path.partition(".")[0] for fault in refused.value.faults} == {"ideas[0]"}
    assert (await acme.client.delete(f"/ideas/{dark_mode['id']}")).status_code == 200
    assert await acme.list(**MERGED) == []
    assert (await acme.create(**MERGED))["id"] != dark_mode["id"]
