"""Making, listing, revoking and rolling keys."""

from datetime import timedelta
from uuid import uuid4

import pytest

from sightline.platform.errors import NotFound, ValidationFailed
from sightline.platform.scopes import Scope
from sightline.workspaces.keys import lifecycle as keys
from sightline.workspaces.keys.lifecycle import KeyNotUsable
from sightline.workspaces.keys.records import ApiKey, CreatedKey
from sightline.workspaces.keys.tokens import digest
from tests.workspaces.world import World


async def shown(world: World, key: CreatedKey) -> ApiKey:
    async with world.db.autocommit() as tx:
        return await keys.find_key(tx, str(key.id))


async def roll(world: World, key: CreatedKey, hours: float) -> CreatedKey:
    async with world.db.transaction() as tx:
        return await keys.roll_key(tx, world.actor, str(key.id), timedelta(hours=hours))


async def test_only_the_hash_of_a_key_is_stored(world: World) -> None:
    key = await world.key()
    async with world.db.autocommit() as tx:
        stored = await tx.connection.fetchval("SELECT secret_hash FROM api_keys WHERE id = $1", key.id)
        row = await tx.connection.fetchval("SELECT k::text FROM api_keys k WHERE id = $1", key.id)
    assert stored == digest(key.key)
    assert key.key.split("_")[2] not in row


async def test_all_means_every_scope(world: World) -> None:
    assert (await world.key(scopes=("all",))).scopes == [scope.value for scope in Scope]


async def test_scopes_are_kept_once_and_in_order(world: World) -> None:
    key = await world.key(scopes=("ideas:write", "ideas:read", "ideas:write"))
    assert key.scopes == ["ideas:read", "ideas:write"]


@pytest.mark.parametrize("scopes", [(), ("ideas:fly",), ("all", "ideas:read"), ("IDEAS:READ",)])
async def test_unknown_or_no_scopes_are_refused(world: World, scopes: tuple[str, ...]) -> None:
    with pytest.raises(ValidationFailed, match="scopes"):
        await world.key(scopes=scopes)


@pytest.mark.parametrize("name", ["", "   ", "x" * 256, "two\nlines"])
async def test_a_name_has_1_to_255_printable_characters(world: World, name: str) -> None:
    with pytest.raises(ValidationFailed, match="name"):
        await world.key(name=name)


async def test_a_name_is_trimmed_and_may_be_as_long_as_its_bound(world: World) -> None:
    assert (await world.key(name=f" {'x' * 255} ")).name == "x" * 255


async def test_an_expiry_in_the_past_is_refused(world: World) -> None:
    with pytest.raises(ValidationFailed, match="expires"):
        await world.key(expires_at=world.db.clock.now())


@pytest.mark.parametrize("email", ["owner@w.test", "admin@w.test", "Admin@W.test"])
async def test_owners_and_admins_can_be_the_creator(world: World, email: str) -> None:
    assert (await shown(world, await world.key(member=email))).member == email.lower()


@pytest.mark.parametrize("email", ["editor@w.test", "viewer@w.test", "nobody@w.test"])
async def test_others_cannot_be_the_creator(world: World, email: str) -> None:
    with pytest.raises(ValidationFailed, match="member"):
        await world.key(member=email)


async def test_an_inactive_admin_cannot_be_the_creator(world: World) -> None:
    await world.run("UPDATE members SET active = false WHERE workspace_id = $1", world.workspace.id)
    with pytest.raises(ValidationFailed, match="no longer active"):
        await world.key(member="admin@w.test")


async def test_keys_are_listed_newest_first_with_the_revoked_ones(world: World) -> None:
    first, second = await world.key(name="first"), await world.key(name="second")
    await world.revoke(first)
    async with world.db.autocommit() as tx:
        listed = await keys.list_keys(tx, world.workspace.id)
    assert [key.id for key in listed] == [second.id, first.id]
    assert [key.revoked_at is None for key in listed] == [True, False]


async def test_revoking_again_keeps_the_first_time(world: World) -> None:
    key = await world.key()
    await world.revoke(key)
    before = (await shown(world, key)).revoked_at
    await world.revoke(key)
    assert (await shown(world, key)).revoked_at == before


async def test_a_key_is_found_by_id_by_its_part_and_whole(world: World) -> None:
    key = await world.key()
    async with world.db.autocommit() as tx:
        for name in (str(key.id), str(key.id).upper(), key.key.split("_")[1], key.key):
            assert (await keys.find_key(tx, name)).id == key.id
        for name in (str(uuid4()), "x", ""):
            with pytest.raises(NotFound):
                await keys.find_key(tx, name)


async def test_a_rolled_key_works_until_the_overlap_is_over(world: World) -> None:
    old = await world.key(name="robot", scopes=("ideas:read",), member="admin@w.test")
    new = await roll(world, old, hours=2)
    before = await shown(world, old)
    assert (new.name, new.scopes, new.member) == ("robot", ["ideas:read"], "admin@w.test")
    assert (before.replaced_by, before.revoked_at) == (new.id, None)
    assert before.expires_at is not None
    async with world.db.autocommit() as tx:
        left = await tx.connection.fetchval("SELECT expires_at - $2 FROM api_keys WHERE id = $1", old.id, tx.now)
    assert timedelta(hours=1, minutes=59) < left <= timedelta(hours=2)


async def test_an_overlap_does_not_make_a_key_live_longer(world: World) -> None:
    soon = world.db.clock.now() + timedelta(hours=1)
    old = await world.key(expires_at=soon)
    new = await roll(world, old, hours=24)
    assert (await shown(world, old)).expires_at == old.expires_at
    assert new.expires_at is not None
    assert old.expires_at is not None
    assert new.expires_at >= old.expires_at


async def test_no_overlap_ends_the_old_key_at_once(world: World) -> None:
    old = await world.key()
    await roll(world, old, hours=0)
    assert (await shown(world, old)).revoked_at is not None


async def test_a_key_is_rolled_once(world: World) -> None:
    key = await world.key()
    await roll(world, key, hours=1)
    with pytest.raises(KeyNotUsable, match="rolled already"):
        await roll(world, key, hours=1)


async def test_a_revoked_key_is_not_rolled(world: World) -> None:
    key = await world.key()
    await world.revoke(key)
    with pytest.raises(KeyNotUsable, match="revoked"):
        await roll(world, key, hours=1)


@pytest.mark.parametrize("hours", [-1, 2161])
async def test_an_overlap_has_bounds(world: World, hours: float) -> None:
    with pytest.raises(ValidationFailed, match="overlap"):
        await roll(world, await world.key(), hours)


async def test_every_change_of_a_key_leaves_a_trail(world: World) -> None:
    key = await world.key()
    new = await roll(world, key, hours=1)
    await world.revoke(new)
    async with world.db.autocommit() as tx:
        trail = await tx.connection.fetch(
            "SELECT record_id, action, actor_id FROM changes WHERE workspace_id = $1 AND kind = 'api_key'",
            world.workspace.id,
        )
    seen = {tuple(row) for row in trail}
    expected = {(key.id, "created"), (new.id, "created"), (key.id, "rolled"), (new.id, "revoked")}
    assert seen == {(*step, "tester") for step in expected}
