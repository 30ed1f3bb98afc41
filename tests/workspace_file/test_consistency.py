"""Data stored twice agrees, also after concurrent writes; deleting leaves nothing."""

import asyncio
from itertools import pairwise
from typing import Any
from uuid import UUID

import msgspec
import pytest

from sightline.ideas.vote_counts import votes_of
from sightline.platform.db import Database, sql
from sightline.platform.db.tables import tables_of_workspaces
from sightline.platform.errors import NotFound
from sightline.platform.ids import new_id
from sightline.workspace_file.parts import TABLES
from sightline.workspaces.operating import delete_workspace, list_workspaces
from tests.imports.loading import load
from tests.waiting import until, until_blocked
from tests.workspace_file.files import apply, export, exported, new_slug, refusal, small, whole
from tests.world import World

pytestmark = pytest.mark.own_database
ADD_JOB = "INSERT INTO jobs (kind, workspace_id, record_id) VALUES ('process_signal', $1, $2)"
IDEA = {"name": "A", "description": "x"}
ARRAYS = (
    ("ideas", "feature_ids", "idea_features", "idea_id", "feature_id", "true"),
    ("ideas", "opportunity_ids", "idea_opportunities", "idea_id", "opportunity_id", "true"),
    ("ideas", "insight_ids", "idea_insights", "idea_id", "insight_id", "true"),
    ("ideas", "account_ids", "idea_accounts", "idea_id", "account_id", "true"),
    ("initiatives", "team_ids", "initiative_teams", "initiative_id", "team_id", "true"),
    ("initiatives", "feature_ids", "initiative_features", "initiative_id", "feature_id", "true"),
    ("insights", "signal_ids", "insight_signals", "insight_id", "signal_id", "true"),
    ("insights", "account_ids", "insight_accounts", "insight_id", "account_id", "true"),
    ("signals", "insight_ids", "insight_signals", "signal_id", "insight_id", "true"),
    ("signals", "account_ids", "signal_accounts", "signal_id", "account_id", "true"),
    ("signals", "initiative_ids", "signal_initiatives", "signal_id", "initiative_id", "accepted"),
    ("signals", "study_ids", "signal_studies", "signal_id", "study_id", "true"),
    ("studies", "initiative_ids", "study_initiatives", "study_id", "initiative_id", "true"),
    ("studies", "idea_ids", "study_ideas", "study_id", "idea_id", "true"),
)


async def _check_counts_and_arrays(database: Database) -> None:
    async with database.autocommit() as tx:
        for table in (found for found in TABLES.values() if found.counted):
            wrong = await tx.connection.fetch(
                f"SELECT w.slug, (SELECT count(*) FROM {table.name} t WHERE t.workspace_id = w.id) AS there,"  # noqa: S608
                " (SELECT coalesce(sum(count), 0) FROM record_counts c WHERE c.workspace_id = w.id AND kind = $1)"
                " AS kept"
                " FROM workspaces w",
                table.kind,
            )
            assert [row for row in wrong if row["there"] != row["kept"]] == [], table.name
        for owner, array, link, own, member, counts in ARRAYS:
            differing = await tx.connection.fetchval(
                f"SELECT count(*) FROM {owner} o WHERE {array} IS DISTINCT FROM ARRAY(SELECT {member} FROM {link} l"  # noqa: S608
                f" WHERE l.workspace_id = o.workspace_id AND l.{own} = o.id AND {counts} ORDER BY l.link)"
            )
            assert differing == 0, f"{owner}.{array}"


async def test_counts_and_arrays_agree_with_what_is_there(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    await _check_counts_and_arrays(database)
    lists = {
        "ideas": [{"key": "fast", "accounts": [], "insights": ["slow"]}],
        "studies": [],
        "insights": [{"key": "slow", "signals": ["ticket"]}],
        "initiatives": [{"key": "faster", "features": ["export", "csv"]}],
        "signals": [{"key": "call", "initiatives": [{"initiative": "faster", "accepted": False}], "studies": []}],
    }
    applied = await apply(database, small(slug, **lists, prune=["studies", "ideas", "insights"]))
    assert (applied.counts["feedback"].removed, applied.counts["studies"].removed) == (2, 1)
    await _check_counts_and_arrays(database)


async def test_votes_are_counted_on_their_ideas(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    assert await _votes(database, applied.workspace_id) == [("fast", 1, 8), ("next", 0, None), ("plain", 1, None)]
    fast, _, following = file["ideas"]
    fast |= {"portalVisible": False, "importedVoteCount": 9}
    following |= {"portalVisible": True, "importedVoteCount": 2}
    await apply(database, file)
    assert await _votes(database, applied.workspace_id) == [("fast", 1, None), ("next", 0, 2), ("plain", 1, None)]
    fast |= {"portalVisible": True}
    await apply(database, file)
    assert await _votes(database, applied.workspace_id) == [("fast", 1, 10), ("next", 0, 2), ("plain", 1, None)]


_VOTES = sql(
    """
    SELECT key, {votes}, total FROM ideas LEFT JOIN idea_votes ON idea_id = id
     WHERE ideas.workspace_id = :workspace_id ORDER BY key""",
    votes=votes_of("ideas."),
)


async def _votes(database: Database, workspace_id: UUID) -> list[tuple[Any, ...]]:
    """By key: the votes, and the total by which the portal orders, if the idea is there."""
    async with database.autocommit() as tx:
        return [tuple(row) for row in await tx.rows(_VOTES, workspace_id=workspace_id)]


async def test_two_files_for_one_workspace_are_applied_one_after_the_other(database: Database) -> None:
    slug = new_slug()
    files = [
        small(slug, teams=[{"key": "t", "name": f"T{turn}"}], ideas=[{"key": f"i{turn}", **IDEA}, {"key": "x", **IDEA}])
        for turn in range(4)
    ]
    applied = await asyncio.gather(*(apply(database, file) for file in files))
    assert sorted(one.added for one in applied) == [False, False, False, True]
    assert sum(one.counts["ideas"].added for one in applied) == 5
    await _check_counts_and_arrays(database)


ADD_IDEA = """
WITH added AS (
    INSERT INTO ideas (workspace_id, id, number, name, description, status, created_at, updated_at)
    VALUES ($1, $2, $3, 'x', 'x', 'New', now(), now())
)
INSERT INTO record_counts AS c (workspace_id, kind, slot, count) VALUES ($1, 'idea', 3, 1)
ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = c.count + 1"""
TAKE = """
INSERT INTO public_numbers AS n (workspace_id, kind, last) VALUES ($1, 'idea', 1)
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = n.last + 1 RETURNING last"""


async def test_others_go_on_writing_while_a_file_is_applied(database: Database) -> None:
    slug = new_slug()
    workspace_id = (await apply(database, small(slug))).workspace_id
    file = small(slug, ideas=[{"key": f"i{number}", **IDEA} for number in range(2500)])
    applying = asyncio.create_task(apply(database, file))
    made = 0
    while not applying.done():
        async with database.autocommit() as tx:
            number = await tx.connection.fetchval(TAKE, workspace_id)
            await tx.connection.execute(ADD_IDEA, workspace_id, new_id(), number)
        made += 1
    assert (await applying).counts["ideas"].added == 2500
    assert made > 5
    await _check_counts_and_arrays(database)
    async with database.autocommit() as tx:
        assert (
            await tx.connection.fetchval("SELECT count(*) FROM ideas WHERE workspace_id = $1", workspace_id)
            == 2500 + made
        )


async def test_an_interfering_write_causes_a_retry(database: Database) -> None:
    slug = new_slug()
    workspace_id = (await apply(database, small(slug))).workspace_id
    file = small(slug, accounts=[{"key": "a", "externalId": "crm-1", "name": "A"}])
    add = (
        "INSERT INTO accounts (workspace_id, id, external_id, name, created_at, updated_at)"
        " VALUES ($1, $2, 'crm-1', 'By sign-in', now(), now())"
    )
    async with database.transaction() as tx:
        await tx.connection.execute(add, workspace_id, new_id())
        await tx.connection.execute(
            "INSERT INTO record_counts (workspace_id, kind, slot, count) VALUES ($1, 'account', 0, 1)", workspace_id
        )
        applying = asyncio.create_task(apply(database, file))
        await until_blocked(database)
        assert not applying.done()
    applied = await applying
    assert (applied.counts["accounts"].added, applied.counts["accounts"].changed) == (0, 1)
    await _check_counts_and_arrays(database)


async def test_a_lasting_conflict_is_reported(database: Database) -> None:
    users = [{"key": "a", "email": "oda@acme.test"}, {"key": "b", "email": "ODA@acme.test"}]
    faults = await refusal(database, small(portal={"users": users}))
    assert faults[""].startswith("The database refuses")


async def test_deleting_a_workspace_leaves_nothing_of_it_and_everything_of_others(database: Database) -> None:
    file, other = whole(), whole()
    applied = await apply(database, file)
    await apply(database, other)
    before = await export(database, other["workspace"]["slug"])
    removed = await delete_workspace(database, file["workspace"]["slug"])
    assert removed["ideas"] == 3
    async with database.autocommit() as tx:
        for table in await tables_of_workspaces(tx.connection):
            left = f"SELECT count(*) FROM {table} WHERE workspace_id = $1"  # noqa: S608
            assert await tx.connection.fetchval(left, applied.workspace_id) == 0, table
    assert await export(database, other["workspace"]["slug"]) == before
    with pytest.raises(NotFound):
        await delete_workspace(database, file["workspace"]["slug"])


async def test_others_take_numbers_while_a_workspace_is_deleted(database: Database) -> None:
    applied = await apply(database, small(ideas=[{"key": "i", **IDEA}]))
    async with database.transaction() as tx:
        await tx.connection.execute("SELECT FROM changes WHERE workspace_id = $1 FOR UPDATE", applied.workspace_id)
        deleting = asyncio.create_task(delete_workspace(database, applied.slug))
        await until_blocked(database)
        assert await tx.connection.fetchval(TAKE, applied.workspace_id, timeout=5) == 2
    await deleting


async def test_a_worker_ends_its_transaction_while_a_workspace_is_deleted(database: Database) -> None:
    applied = await apply(database, small())
    async with database.autocommit() as tx:
        await tx.connection.execute(ADD_JOB, applied.workspace_id, new_id())
    async with database.transaction() as tx:
        await tx.connection.execute("SELECT FROM jobs WHERE workspace_id = $1 FOR KEY SHARE", applied.workspace_id)
        deleting = asyncio.create_task(delete_workspace(database, applied.slug))
        await until_blocked(database)
        await tx.connection.execute("SELECT FROM workspaces WHERE id = $1 FOR KEY SHARE", applied.workspace_id)
    assert (await deleting)["jobs"] == 1


async def is_shut_out(world: World) -> bool:
    return (await world.client.get("/auth/context")).status_code == 401


async def test_a_job_that_a_last_request_adds_ends_while_its_workspace_is_deleted(world: World) -> None:
    async with world.database.autocommit() as alone, world.database.transaction() as tx:
        deleting = asyncio.create_task(delete_workspace(world.database, world.slug))
        await until(lambda: is_shut_out(world))
        await alone.connection.execute(ADD_JOB, world.workspace_id, new_id())
        await tx.connection.execute("SELECT FROM jobs WHERE workspace_id = $1 FOR KEY SHARE", world.workspace_id)
        await until_blocked(world.database)
        await tx.connection.execute("SELECT FROM workspaces WHERE id = $1 FOR KEY SHARE NOWAIT", world.workspace_id)
    assert (await deleting)["jobs"] == 1


async def test_the_list_of_tables_to_delete_is_that_of_the_database(database: Database) -> None:
    async with database.autocommit() as tx:
        tables = await tables_of_workspaces(tx.connection)
        rows = await tx.connection.fetch(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND column_name = 'workspace_id'"
        )
        pointing = await tx.connection.fetch(
            "SELECT DISTINCT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid <> confrelid"
        )
    assert set(tables) == {row[0] for row in rows}
    place = {table: number for number, table in enumerate((*tables, "workspaces"))}
    wrong = [tuple(row) for row in pointing if row[0] in place and place[row[0]] > place[row[1]]]
    assert wrong == [], "a table stands before those that it points to"


async def test_workspaces_are_listed_with_what_is_in_them(database: Database) -> None:
    file = whole()
    await apply(database, file)
    lines = {line.slug: line for line in await list_workspaces(database)}
    assert lines[file["workspace"]["slug"]].counts["idea"] == 3
    assert all(one < other for one, other in pairwise(lines))


_OTHER_ACCOUNT = sql("""
WITH linked AS (
    INSERT INTO idea_accounts (workspace_id, idea_id, account_id)
    SELECT workspace_id, id, :account_id FROM ideas WHERE workspace_id = :workspace_id ON CONFLICT DO NOTHING)
UPDATE ideas SET description = 'Theirs', account_ids = account_ids || :account_id::uuid, version = version + 1
 WHERE workspace_id = :workspace_id""")


@pytest.mark.parametrize("is_import", [False, True])
async def test_what_another_write_changes_meanwhile_is_compared_again(database: Database, is_import: bool) -> None:
    """Else the accounts of both would be left, which neither has given."""
    accounts = [{"key": key, "name": key} for key in ("old", "ours", "theirs")]
    idea = {"key": "i", "name": "A", "description": "Old", "accounts": ["old"]}
    done = await apply(database, small(accounts=accounts, ideas=[idea]))
    ours = idea | {"description": "Ours", "accounts": ["ours"]}
    theirs = done.ids["accounts"]["theirs"]
    async with database.transaction() as tx:
        await tx.run(_OTHER_ACCOUNT, workspace_id=done.workspace_id, account_id=theirs)
        line = msgspec.json.encode(ours)
        work = (
            load(database, done.slug, "ideas", line) if is_import else apply(database, small(done.slug, ideas=[ours]))
        )
        writing = asyncio.create_task(work)
        await until_blocked(database)
    await writing
    [found] = (await exported(database, done.slug))["ideas"]
    assert (found["description"], found["accounts"]) == ("Ours", [str(done.ids["accounts"]["ours"])])


async def test_a_file_that_removes_no_label_waits_for_no_idea_of_others(database: Database) -> None:
    file = small(ideaStatuses=[{"label": "New"}, {"label": "Done"}]) | {"prune": ["ideaStatuses"]}
    await apply(database, file)
    async with database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE ideas IN ROW EXCLUSIVE MODE")
        async with asyncio.timeout(10):
            await apply(database, file)


async def test_a_file_that_removes_a_label_waits_for_ideas_that_may_use_it(database: Database) -> None:
    file = small(ideaStatuses=[{"label": "New"}, {"label": "Done"}]) | {"prune": ["ideaStatuses"]}
    done = await apply(database, file)
    async with database.transaction() as tx:
        await tx.connection.execute(
            "INSERT INTO ideas (workspace_id, id, number, name, description, status, created_at, updated_at)"
            " VALUES ($1, $2, 7, 'A', 'x', 'Done', $3, $3)",
            done.workspace_id,
            new_id(),
            tx.now,
        )
        file["ideaStatuses"].pop()
        waiting = asyncio.create_task(refusal(database, file))
        await until_blocked(database)
    assert "'Done' is used by 1 ideas" in (await waiting)["ideaStatuses"]
    await delete_workspace(database, done.slug)


async def test_what_is_written_while_a_workspace_is_deleted_goes_too(database: Database, served: str) -> None:
    async with World(database, served) as world:
        answers = []

        async def write() -> None:
            while 401 not in answers:
                answers.append((await world.client.post("/ideas", json={"description": "Secret."})).status_code)

        writing = asyncio.gather(*(write() for _ in range(3)))
        await until(lambda: 201 in answers)
        await delete_workspace(database, world.slug)
        await writing
        assert set(answers) == {201, 401}
        async with database.autocommit() as tx:
            for table in await tables_of_workspaces(tx.connection):
                left = f"SELECT count(*) FROM {table} WHERE workspace_id = $1"  # noqa: S608
                assert await tx.connection.fetchval(left, world.workspace_id) == 0, table
