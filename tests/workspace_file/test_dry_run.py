"""A dry run shows what would change, record by record, and stores nothing; the schema describes the file."""

import asyncio
from io import BytesIO

import msgspec
import pytest

from sightline.imports import Import, ListReader
from sightline.platform.db import Database
from sightline.workspace_file import RecordChange, apply_file, schema
from sightline.workspace_file.parts import STORED
from tests.imports.loading import base, counts, json_lines, opened
from tests.workspace_file.files import apply, export, new_slug, small


async def _try(database: Database, file: object) -> tuple[dict[str, int], list[RecordChange]]:
    changes: list[RecordChange] = []
    applied = await apply_file(
        database, BytesIO(msgspec.json.encode(file)), actor_id="tests", report=changes.append, dry_run=True
    )
    return {name: count.added + count.changed + count.removed for name, count in applied.counts.items()}, changes


async def test_a_dry_run_tells_each_change_and_stores_nothing(database: Database) -> None:
    slug = new_slug()
    await apply(database, small(slug, teams=[{"key": "a", "name": "A"}, {"key": "b", "name": "B"}]))
    before = await export(database, slug)
    teams = [{"key": "a", "name": "Renamed"}, {"key": "c", "name": "C"}]
    idea = {"key": "i", "name": "I", "description": "x"}
    members = [{"email": "bo@globex.test"}]
    counts, changes = await _try(database, small(slug, members=members, teams=teams, ideas=[idea], prune=["teams"]))
    assert counts == {"workspace": 0, "members": 1, "teams": 3, "ideas": 1}
    assert [(change.list, change.action, change.name) for change in changes] == [
        ("members", "added", "bo@globex.test"),
        ("teams", "changed", "a"),
        ("teams", "added", "c"),
        ("teams", "removed", "b"),
        ("ideas", "added", "i"),
    ]
    assert changes[1].fields == {"name": ("A", "Renamed")}
    assert await export(database, slug) == before
    await apply(database, small(slug, ideas=[idea]))
    assert b'"number":1,' in await export(database, slug)


async def test_a_change_of_what_a_record_names_of_later_lists_is_told_counted_and_logged(database: Database) -> None:
    slug = new_slug()
    insights = [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]
    signal = {"key": "g", "name": "G"}
    study = {"key": "s", "name": "S"}
    await apply(database, small(slug, insights=insights, signals=[signal], studies=[study]))
    later = small(slug, insights=[{"key": "a", "mergedInto": "b"}], signals=[signal | {"studies": ["s"]}])
    _, changes = await _try(database, later)
    assert [(one.list, one.name, one.action, list(one.fields)) for one in changes] == [
        ("signals", "g", "changed", ["studies"]),
        ("insights", "a", "changed", ["mergedInto"]),
    ]
    _, changes = await _try(database, small(slug, signals=[signal | {"name": "H", "studies": ["s"]}]))
    assert [(one.name, list(one.fields)) for one in changes] == [("g", ["name", "studies"])]
    applied = await apply(database, later)
    shown = {name: (count.changed, count.unchanged) for name, count in applied.counts.items()}
    assert (shown["signals"], shown["insights"]) == ((1, 0), (1, 0))
    async with database.autocommit() as tx:
        updated = "FROM changes WHERE workspace_id = $1 AND action = 'updated' ORDER BY kind"
        trail = await tx.connection.fetch(f"SELECT kind, detail ->> 'fields' {updated}", applied.workspace_id)
    assert [tuple(row) for row in trail] == [("insight", '["mergedInto"]'), ("signal", '["studies"]')]
    again = await apply(database, later)
    assert {count.changed for count in again.counts.values()} == {0}


async def test_a_dry_run_names_what_would_be_removed(database: Database) -> None:
    slug, id = new_slug(), "0b0f3a0e-51f9-4b52-8f6e-2f4f3a2f4d11"
    idea = {"description": "x", "sourceKey": "canny", "externalId": "1"}
    await apply(database, small(slug, teams=[{"key": "a", "name": "A"}, {"id": id, "name": "B"}], ideas=[idea]))
    labels = [{"label": label} for label in ("New", "Approved", "Planned", "Delivered")]
    empty = small(slug, teams=[], ideas=[], ideaStatuses=labels)
    _, changes = await _try(database, empty | {"prune": ["teams", "ideas", "ideaStatuses"]})
    assert sorted((change.list, change.name) for change in changes if change.action == "removed") == [
        ("ideaStatuses", "Declined"),
        ("ideaStatuses", "Under review"),
        ("ideas", "IDEA-1"),
        ("teams", id),
        ("teams", "a"),
    ]


async def test_a_dry_run_of_a_new_workspace_creates_none(database: Database) -> None:
    slug = new_slug()
    counts, _ = await _try(database, small(slug))
    assert counts["workspace"] == 1
    assert (await apply(database, small(slug))).added


def test_the_schema_names_every_list_and_its_bounds() -> None:
    found = schema()
    portal = found["$defs"]["PortalPart"]["properties"]
    assert {name.partition(".")[0] for name in STORED} | {"prune", "$schema"} == set(found["properties"])
    assert {"users", "votes", "requests"} <= set(portal)
    idea = found["$defs"]["IdeaRecord"]
    assert idea["additionalProperties"] is False
    assert idea["properties"]["portalVisible"]["default"] is False


@pytest.mark.parametrize("given", [{}, {"number": 70}])
async def test_a_dry_run_of_lines_takes_no_number(database: Database, given: dict[str, int]) -> None:
    """Requests that create records would wait for it until a batch is rolled back."""
    slug = await base(database, ideas=[{"key": "old", "name": "Old", "description": "x"}])
    lines = json_lines([{"key": "i", "name": "I", "description": "x", **given}])
    async with database.transaction() as tx:
        await tx.connection.execute("SELECT FROM public_numbers FOR UPDATE")
        trial = Import(database, slug, ListReader("ideas", opened(lines)), actor_id="tests", dry_run=True)
        done = await asyncio.wait_for(trial.run(asyncio.Event()), 20)
    assert counts(done) == (1, 0, 0, 0), done.faults
