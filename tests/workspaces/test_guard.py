"""Which keys are admitted, and how soon a change counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import msgspec
import pytest
from asyncpg import PostgresError

from sightline.platform import logs
from sightline.platform.access import Role
from sightline.platform.clock import Clock
from sightline.platform.db import Database, Tx
from sightline.platform.errors import Unauthorized
from sightline.workspaces.guard import authentication as guards
from sightline.workspaces.guard.authentication import NAME, KeyGuard
from sightline.workspaces.guard.usage import KeyUsage
from sightline.workspaces.keys.lifecycle import list_keys
from sightline.workspaces.keys.records import CreatedKey
from sightline.workspaces.keys.tokens import make_token
from tests.line import open_line
from tests.waiting import next_turn, until, until_blocked
from tests.workspaces.world import World, bearer

LOOKING_UP = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%token_id = ANY%'"


async def is_refused(guard: KeyGuard, authorization: str) -> bool:
    try:
        await guard.admit(authorization)
    except Unauthorized:
        return True
    return False


async def soon_refused(guard: KeyGuard, key: CreatedKey) -> None:
    """Much sooner than the guard would look again by itself."""
    await until(lambda: is_refused(guard, bearer(key)), seconds=1)


async def test_a_key_opens_its_workspace(world: World) -> None:
    key = await world.key(name="robot", scopes=("ideas:read",), member="admin@w.test")
    async with world.guard() as guard:
        for _ in range(2):  # asked, then known
            actor = await guard.admit(bearer(key))
            assert (actor.workspace_id, actor.kind, actor.id) == (world.workspace.id, "key", str(key.id))
            assert (actor.name, actor.scopes, actor.role) == ("robot", frozenset({"ideas:read"}), Role.ADMIN)


async def test_a_key_without_a_creator_has_no_role(world: World) -> None:
    async with world.guard() as guard:
        assert (await guard.admit(bearer(await world.key()))).role is None


@pytest.mark.parametrize("form", ["bearer {}", "BEARER {}", "Bearer  {}", "Bearer {} "])
async def test_the_scheme_is_read_in_any_letter_case_and_spaces_do_not_count(world: World, form: str) -> None:
    key = await world.key()
    async with world.guard() as guard:
        for _ in range(2):
            assert (await guard.admit(form.format(key.key))).id == str(key.id)


@pytest.mark.parametrize("form", ["{}", "Basic {}", "Bearer", "Bearer ", "Bearer x{}", "Bearer {}0", "Bearer\t{}", ""])
async def test_a_text_that_is_no_key_is_refused_without_a_query(world: World, form: str) -> None:
    closed = await Database.connect(world.url, size=1)
    await closed.close()
    assert await is_refused(KeyGuard(closed, world.url), form.format(make_token().text))


async def test_an_unknown_key_and_a_wrong_secret_are_refused(world: World) -> None:
    key, unknown = await world.key(), make_token()
    await world.run("UPDATE api_keys SET token_id = $2 WHERE id = $1", key.id, unknown.id)
    async with world.guard() as guard:
        assert await is_refused(guard, f"Bearer {unknown.text}")
        assert await is_refused(guard, f"Bearer {make_token().text}")


async def test_a_revoked_key_is_refused_at_once_by_every_process(world: World) -> None:
    key, other = await world.key(), await world.key()
    elsewhere = await Database.connect(world.url, size=2)
    async with world.guard() as one, world.guard(elsewhere) as another:
        for guard in (one, another):
            await guard.admit(bearer(key))
            await guard.admit(bearer(other))
        await world.revoke(key)
        await soon_refused(one, key)
        await soon_refused(another, key)
        assert (await another.admit(bearer(other))).id == str(other.id)
    await elsewhere.close()


async def test_a_deactivated_creator_has_no_role_at_once(world: World) -> None:
    key = await world.key(member="admin@w.test")
    async with world.guard() as guard:
        assert (await guard.admit(bearer(key))).role is Role.ADMIN
        await world.run("UPDATE members SET active = false WHERE workspace_id = $1", world.workspace.id)

        async def has_no_role() -> bool:
            return (await guard.admit(bearer(key))).role is None

        await until(has_no_role, seconds=1)


async def test_a_deleted_workspace_takes_its_keys_along(world: World) -> None:
    key = await world.key()
    async with world.guard() as guard:
        await guard.admit(bearer(key))
        await world.run("DELETE FROM workspaces WHERE id = $1", world.workspace.id)
        await soon_refused(guard, key)


class MovableClock(Clock):
    """A clock that a test sets forward."""

    moved = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.moved


async def test_a_cached_key_expires_in_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    later = await Database.connect(world.url, size=2, clock=MovableClock())
    key = await world.key(expires_at=world.db.clock.now() + timedelta(hours=1))
    async with world.guard(later) as guard:
        assert (await guard.admit(bearer(key))).expires_at is not None
        monkeypatch.setattr(MovableClock, "moved", timedelta(hours=2))
        assert guard._known
        assert await is_refused(guard, bearer(key))
    await later.close()


async def test_an_expired_key_is_refused_by_the_clock_of_the_service(world: World) -> None:
    key = await world.key(expires_at=world.db.clock.now() + timedelta(hours=1))
    later = await Database.connect(world.url, size=2, clock=Clock(timedelta(hours=2)))
    async with world.guard(later) as guard:
        assert await is_refused(guard, bearer(key))
    await later.close()


async def test_the_cache_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "KNOWN_KEYS", 3)
    made = [await world.key() for _ in range(5)]
    async with world.guard() as guard:
        for key in made:
            await guard.admit(bearer(key))
        assert [known.key_id for known in guard._known.values()] == [key.id for key in made[2:]]


async def test_keys_are_not_cached_without_notifications(world: World) -> None:
    key = await world.key()
    async with world.guard() as guard:
        await guard.admit(bearer(key))
        assert guard._known
        listeners = "FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()"
        await world.run(f"SELECT pg_terminate_backend(pid) {listeners}", NAME)
        await until(lambda: not guard.is_listening)
        assert not guard._known
        await guard.admit(bearer(key))
        assert not guard._known or guard.is_listening
        await until(lambda: guard.is_listening)
        await guard.admit(bearer(key))
        assert guard._known
        await world.revoke(key)
        await soon_refused(guard, key)


async def test_without_a_listening_address_every_request_looks_up_its_key(world: World) -> None:
    key = await world.key()
    guard = KeyGuard(world.db, "postgresql://nobody@127.0.0.1:1/none")
    async with guard.open():
        await guard.admit(bearer(key))
        await world.revoke(key)
        assert await is_refused(guard, bearer(key))


class HeldDatabase(Database):
    """Answers only when it is let go, as a slow network would."""

    def __init__(self, db: Database) -> None:
        super().__init__(db.pool, db.clock)
        self.is_asked, self.is_free = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def autocommit(self, *, writes: bool = False) -> AsyncIterator[Tx]:
        async with super().autocommit(writes=writes) as tx:
            yield tx
        self.is_asked.set()
        await self.is_free.wait()


async def test_a_look_up_that_started_before_a_change_is_not_cached(world: World) -> None:
    key = await world.key()
    held = HeldDatabase(world.db)
    async with world.guard(held) as guard:
        early = asyncio.create_task(guard.admit(bearer(key)))
        await held.is_asked.wait()
        era = guard._era
        await world.revoke(key)
        await until(lambda: guard._era > era)
        late = asyncio.create_task(is_refused(guard, bearer(key)))
        await next_turn()
        held.is_free.set()
        assert (await early).id == str(key.id)
        assert await late
        assert not guard._known
        assert await is_refused(guard, bearer(key))


async def test_concurrent_requests_with_one_key_make_one_query(world: World) -> None:
    key = await world.key()
    async with world.guard() as guard, world.db.transaction() as tx:
        await tx.connection.execute("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE")
        asking = [asyncio.create_task(guard.admit(bearer(key))) for _ in range(50)]
        await until_blocked(tx.connection)
        assert await tx.connection.fetchval(LOOKING_UP) == 1
        asking[0].cancel()
        await tx.connection.execute("ROLLBACK; BEGIN")
        admitted = await asyncio.gather(*asking[1:])
    assert {actor.id for actor in admitted} == {str(key.id)}


async def test_unknown_keys_do_not_delay_known_keys(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their checksum fits, so each needs a look-up; here the look-ups wait for a lock."""
    key = await world.key()
    small, reserved = await Database.connect(world.url, size=1), await Database.connect(world.url, size=1)
    monkeypatch.setattr(guards, "KNOWN_SECONDS", 0.0)
    guard = KeyGuard(small, world.url, lookups=reserved)
    async with guard.open():
        await until(lambda: guard.is_listening)
        await guard.admit(bearer(key))
        async with world.db.transaction() as tx:
            await tx.connection.execute("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE")
            forged = [asyncio.create_task(is_refused(guard, f"Bearer {make_token().text}")) for _ in range(100)]
            await until_blocked(tx.connection)
            assert await tx.connection.fetchval(LOOKING_UP) == 1
            async with asyncio.timeout(1), small.autocommit() as other:
                assert await other.connection.fetchval("SELECT 1") == 1
            known = asyncio.create_task(guard.admit(bearer(key)))
            await until_blocked(tx.connection, 2)
            async with world.db.autocommit() as other:
                assert await other.connection.fetchval(LOOKING_UP) == 2
        assert (await known).id == str(key.id)
        assert all(await asyncio.gather(*forged))
    await small.close()
    await reserved.close()


async def test_a_failed_look_up_is_an_error_and_the_next_one_works(world: World) -> None:
    key = await world.key()
    lookups = await Database.connect(world.url, size=1)
    guard = KeyGuard(world.db, world.url, lookups=lookups)
    async with world.db.transaction() as tx:
        await tx.connection.execute("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE")
        admitting = asyncio.create_task(guard.admit(bearer(key)))
        await until_blocked(tx.connection)
        await tx.connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%token_id = ANY%'"
            " AND pid <> pg_backend_pid() AND datname = current_database()"
        )
        with pytest.raises(PostgresError):
            await admitting
    assert (await guard.admit(bearer(key))).id == str(key.id)
    await lookups.close()


async def test_the_first_use_of_a_key_is_written_at_once(world: World) -> None:
    used, unused = await world.key(), await world.key()
    async with world.guard() as guard:
        await asyncio.gather(*(guard.admit(bearer(used)) for _ in range(5)))
        async with world.db.autocommit() as tx:
            shown = {key.id: key.last_used_at for key in await list_keys(tx, world.workspace.id)}
    assert shown[used.id] is not None
    assert shown[unused.id] is None


async def test_the_first_use_of_a_key_waits_for_no_other_key(world: World) -> None:
    """A file that removes a member keeps the keys that they made locked until it is applied."""
    used, fresh = await world.key(), await world.key()
    async with world.guard() as guard:
        async with world.db.transaction() as tx:
            await tx.connection.execute("SELECT FROM api_keys WHERE id = $1 FOR UPDATE", used.id)
            for key in (used, fresh):
                async with asyncio.timeout(3):
                    await guard.admit(bearer(key))
            shown = {key.id: key.last_used_at for key in await list_keys(tx, world.workspace.id)}
        assert (shown[used.id], shown[fresh.id] is not None) == (None, True)
    async with world.db.autocommit() as tx:
        shown = {key.id: key.last_used_at for key in await list_keys(tx, world.workspace.id)}
    assert shown[used.id] is not None


async def test_later_uses_are_written_in_one_go_and_when_closing(world: World) -> None:
    one, two, unused = [await world.key() for _ in range(3)]
    await world.run("UPDATE api_keys SET last_used_at = '2020-01-01' WHERE id = ANY($1)", [one.id, two.id])
    recently = "SELECT count(*) FROM api_keys WHERE id = $1 AND last_used_at > now() - interval '1 minute'"
    async with world.guard() as guard:
        for _ in range(20):
            await guard.admit(bearer(one))
            await guard.admit(bearer(two))
        async with world.db.autocommit() as tx:
            assert await tx.connection.fetchval(recently, one.id) == 0
    async with world.db.autocommit() as tx:
        used = await tx.connection.fetch("SELECT id FROM api_keys WHERE last_used_at > now() - interval '1 minute'")
    assert {one.id, two.id} <= {row[0] for row in used}
    assert unused.id not in {row[0] for row in used}


async def test_an_outage_during_which_no_last_use_is_written_is_logged_once_with_its_end(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    key = await world.key()
    logs.configure("info", "json")
    async with open_line(world.url) as line:
        database = await Database.connect(line.url, size=1)
        usage = KeyUsage(database)
        usage.seen.add(key.id)
        line.cut()
        for _ in range(3):
            await usage.write()
        await line.open()
        for _ in range(2):
            await usage.write()
            usage.seen.add(key.id)
        await database.close()
    logs.configure("error", "text")
    logged = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    assert [(line["level"], line["event"]) for line in logged] == [
        ("warning", "The last use of keys is not written; it is tried again"),
        ("info", "The last use of keys is written again"),
    ]
    async with world.db.autocommit() as tx:
        [shown] = [one.last_used_at for one in await list_keys(tx, world.workspace.id) if one.id == key.id]
    assert shown is not None


async def test_writing_the_last_use_keeps_cached_keys(world: World) -> None:
    key = await world.key()
    async with world.guard() as guard:
        await guard.admit(bearer(key))
        era = guard._era
        await guard._usage.write()
        await asyncio.sleep(0.1)
        assert (guard._era, len(guard._known)) == (era, 1)
