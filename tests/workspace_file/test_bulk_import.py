"""Bulk import: sound lines are stored, faulty ones are told by their number, and a second time changes nothing."""

import asyncio
import json
from io import BufferedReader, BytesIO
from typing import Any

import pytest
import pytest_asyncio

from sightline.workspace_file import Import, ListReader
from sightline.workspace_file.importing import Imported
from tests.world import World

Json = dict[str, Any]


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    """What the lines below refer to."""
    await world.add(
        products=[{"key": "app", "name": "App"}],
        accounts=[{"key": "globex", "name": "Globex"}],
        studies=[{"key": "s1", "name": "Study", "status": "completed", "type": "survey", "phase": "discovery"}],
    )
    return world


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


async def bring(acme: World, kind: str, content: bytes) -> Imported:
    source: Any = BufferedReader(BytesIO(content))
    return await Import(acme.database, acme.slug, ListReader(kind, source), actor_id="tests").run(asyncio.Event())


def counts(done: Imported) -> tuple[int, int, int, int]:
    return done.added, done.changed, done.unchanged, done.faulty


SIGNAL = {
    "context": "support",
    "processorType": "text",
    "providerType": "helpdesk",
    "evidenceKind": "support",
    "analysisProfile": "customer_evidence",
    "status": "processed",
    "sourceLabel": "Desk",
    "source": {"type": "helpdesk", "external_data": {}},
}
RECORDS: dict[str, Json] = {
    "ideas": {"key": "i1", "name": "Export", "description": "CSV.", "product": "app", "accounts": ["globex"]},
    "accounts": {"externalId": "a1", "name": "Initech", "domain": "initech.test"},
    "insights": {"externalId": "n1", "title": "Slow", "category": "problem", "accounts": ["globex"]},
    "feedback": {
        "externalId": "f1",
        "study": "s1",
        "rating": 8,
        "metric": "satisfaction",
        "subject": {"type": "idea", "id": "0d4f5c7e-6d0f-4a3e-8c71-2f6f8c3b9d21"},
        "submittedAt": "2026-01-01T00:00:00Z",
        "source": "study_completion",
        "account": "globex",
    },
    "signals": {"key": "g1", "name": "Ticket", "account": "globex", **SIGNAL},
}


@pytest.mark.parametrize("kind", RECORDS)
async def test_every_kind_is_added_once_and_then_unchanged(acme: World, kind: str) -> None:
    content = jsonl(RECORDS[kind])
    assert counts(await bring(acme, kind, content)) == (1, 0, 0, 0)
    assert counts(await bring(acme, kind, content)) == (0, 0, 1, 0)


async def test_a_changed_line_updates(acme: World) -> None:
    await bring(acme, "accounts", jsonl(RECORDS["accounts"]))
    assert counts(await bring(acme, "accounts", jsonl({**RECORDS["accounts"], "name": "Initech Ltd"}))) == (0, 1, 0, 0)


async def test_faulty_lines_are_told_and_do_not_stop_the_rest(acme: World) -> None:
    lines = [
        json.dumps({"externalId": "1", "name": "One"}),
        "{not json",
        json.dumps({"externalId": "2", "name": "Two", "colour": "red"}),
        json.dumps({"externalId": "3", "name": 3}),
        "",
        json.dumps({"name": "Nobody"}),
        json.dumps({"externalId": "4", "name": "Four"}),
        json.dumps({"externalId": "4", "name": "Four again"}),
    ]
    done = await bring(acme, "accounts", "\n".join(lines).encode())
    assert done.added == 2
    assert {fault.line for fault in done.faults} == {2, 3, 4, 6, 8}
    assert done.faulty == 5
    async with acme.database.read() as tx:
        names = await tx.rows("SELECT name FROM accounts WHERE workspace_id = $1 ORDER BY name", acme.workspace_id)
    assert [row["name"] for row in names] == ["Four", "Globex", "One"]


async def test_an_unknown_reference_names_its_line(acme: World) -> None:
    done = await bring(
        acme, "ideas", jsonl(RECORDS["ideas"], {**RECORDS["ideas"], "key": "i2", "accounts": ["nobody"]})
    )
    assert (done.added, [fault.line for fault in done.faults]) == (1, [2])


async def test_csv_says_the_same_as_json_lines(acme: World) -> None:
    await bring(acme, "ideas", jsonl(RECORDS["ideas"]))
    csv = b"key,name,description,product,accounts\ni1,Export,CSV.,app,globex\n"
    assert counts(await bring(acme, "ideas", csv)) == (0, 0, 1, 0)


async def test_no_questions_or_matches_are_made_and_the_books_agree(acme: World) -> None:
    await bring(acme, "ideas", jsonl(*({**RECORDS["ideas"], "key": f"k{n}"} for n in range(2_500))))
    assert (await acme.client.get("/ideas?limit=1")).headers["X-Total-Count"] == "2500"
    async with acme.database.read() as tx:
        workspace = acme.workspace_id
        assert await tx.value("SELECT count(*) FROM idea_questions WHERE workspace_id = $1", workspace) == 0
        assert await tx.value("SELECT count(feature_matching) FROM ideas WHERE workspace_id = $1", workspace) == 0
        trail = "SELECT count(*) FROM changes WHERE workspace_id = $1 AND kind = 'idea' AND action = 'created'"
        assert await tx.value(trail, workspace) == 2_500
        assert await tx.value("SELECT count(DISTINCT number) FROM ideas WHERE workspace_id = $1", workspace) == 2_500


async def test_two_imports_of_one_file_make_each_record_once(acme: World) -> None:
    content = jsonl(*({"externalId": str(n), "name": f"Account {n}"} for n in range(1_500)))
    done = await asyncio.gather(*(bring(acme, "accounts", content) for _ in range(2)))
    assert sum(each.added for each in done) == 1_500
    assert sum(each.faulty for each in done) == 0


async def test_an_import_that_was_stopped_goes_on_where_it_was(acme: World) -> None:
    content = jsonl(*({"externalId": str(n), "name": f"Account {n}"} for n in range(3_000)))
    source: Any = BufferedReader(BytesIO(content))
    stop = asyncio.Event()
    first = Import(acme.database, acme.slug, ListReader("accounts", source), actor_id="tests")
    begun = await first.run(stop, lambda batch: stop.set())
    assert 0 < begun.added < 3_000
    rest = await bring(acme, "accounts", content)
    assert (rest.added, rest.unchanged) == (3_000 - begun.added, begun.added)
