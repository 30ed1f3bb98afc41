"""What a key can read about itself, and the trail that writes leave."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec
import pytest

from sightline.platform.access import Actor
from sightline.platform.errors import InvalidReference, NotFound, Unauthorized, ValidationFailed
from sightline.workspaces import tenants
from sightline.workspaces.audit.trail import AuditEntry, walk_changes
from sightline.workspaces.queries import find_context
from sightline.workspaces.records import Allowance, AuthContext
from sightline.workspaces.tenants import SlugTaken
from tests.workspaces.world import OPERATOR, World


async def context(world: World, key_id: UUID) -> AuthContext:
    async with world.db.autocommit() as tx:
        return await find_context(tx, Actor(workspace_id=world.workspace.id, kind="key", id=str(key_id)))


async def trail(world: World, record: str | None = None, since: datetime | None = None) -> list[AuditEntry]:
    async with world.db.snapshot() as tx:
        return [entry async for entry in walk_changes(tx, world.workspace.id, record, since)]


async def add_initiative(world: World, number: int, status: str) -> None:
    await world.run(
        "INSERT INTO initiatives (workspace_id, id, number, name, status, created_at, updated_at)"
        " VALUES ($1, gen_random_uuid(), $2, 'One', $3, now(), now())",
        world.workspace.id,
        number,
        status,
    )


async def test_the_context_shows_workspace_key_and_plan(world: World) -> None:
    key = await world.key(name="robot", scopes=("ideas:read", "ideas:write"))
    seen = await context(world, key.id)
    assert seen.workspace == world.workspace
    assert (seen.credential.name, seen.credential.scopes) == ("robot", ["ideas:read", "ideas:write"])
    assert (seen.credential.created_at, seen.credential.expires_at) == (key.created_at, None)
    assert list(msgspec.to_builtins(seen)["plan"]) == ["initiatives", "activeInitiatives", "aiCredits", "trialEndsAt"]


async def test_a_new_workspace_has_no_limits(world: World) -> None:
    plan = (await context(world, (await world.key()).id)).plan
    assert plan.initiatives == plan.active_initiatives == plan.ai_credits == Allowance(0, None)
    assert plan.trial_ends_at is None


async def test_the_plan_counts_what_is_used(world: World) -> None:
    for number, status in enumerate(["PLANNED", "IN_PROGRESS", "COMPLETED", "ARCHIVED"], 1):
        await add_initiative(world, number, status)
    await world.run(
        "UPDATE plans SET initiative_limit = 9, active_initiative_limit = 3, ai_credits = 50, ai_credits_used = 4,"
        " ai_credits_reserved = 5, trial_ends_at = '2027-01-02' WHERE workspace_id = $1",
        world.workspace.id,
    )
    plan = (await context(world, (await world.key()).id)).plan
    assert (plan.initiatives, plan.active_initiatives) == (Allowance(4, 9), Allowance(2, 3))
    assert (plan.ai_credits, plan.trial_ends_at) == (Allowance(9, 50), "2027-01-02T00:00:00.000Z")


async def test_a_key_of_another_workspace_has_no_context_here(world: World) -> None:
    with pytest.raises(Unauthorized):
        await context(world, uuid4())


async def test_the_trail_names_the_key_that_wrote(world: World) -> None:
    key = await world.key(name="robot")
    idea = uuid4()
    await world.run(
        "INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at)"
        " VALUES ($1, gen_random_uuid(), 'idea', $2, 'IDEA-7', 'deleted', 'key', $3, now())",
        world.workspace.id,
        idea,
        str(key.id),
    )
    for name in ("IDEA-7", "idea-7", str(idea)):
        [entry] = await trail(world, name)
        assert (entry.record_id, entry.action, entry.actor_name) == (idea, "deleted", "robot")
    with pytest.raises(NotFound):
        await trail(world, "IDEA-8")


async def test_the_trail_is_oldest_first_and_starts_at_the_given_time(world: World) -> None:
    await world.key()
    assert [entry.kind for entry in await trail(world)] == ["workspace", "member", "api_key"]
    assert await trail(world, since=world.db.clock.now() + timedelta(hours=1)) == []


async def test_a_malformed_record_is_refused(world: World) -> None:
    with pytest.raises(InvalidReference):
        await trail(world, "what?")


async def test_a_slug_is_taken_once(world: World) -> None:
    async with world.db.transaction() as tx:
        assert await tenants.find_workspace(tx, world.workspace.slug) == world.workspace
        with pytest.raises(SlugTaken):
            await tenants.create_workspace(tx, OPERATOR, world.workspace.slug, "Again", "a@b.test")
        with pytest.raises(NotFound):
            await tenants.find_workspace(tx, "none")


@pytest.mark.parametrize(
    ("slug", "name", "owner", "wrong"),
    [
        ("", "N", "a@b", "slug"),
        ("Upper", "N", "a@b", "slug"),
        ("a--b", "N", "a@b", "slug"),
        ("-a", "N", "a@b", "slug"),
        ("a" * 64, "N", "a@b", "slug"),
        ("a", " ", "a@b", "name"),
        ("a", "x" * 256, "a@b", "name"),
        ("a", "N", "ab", "owner"),
    ],
)
async def test_a_workspace_is_checked(world: World, slug: str, name: str, owner: str, wrong: str) -> None:
    async with world.db.transaction() as tx:
        with pytest.raises(ValidationFailed, match=wrong):
            await tenants.create_workspace(tx, OPERATOR, slug, name, owner)
