"""An identity is an idea's own or an alias of one, also when a file or an import and a request write it at once."""

import asyncio

import msgspec
import pytest

from sightline.platform.ids import new_id
from tests.ideas.acme import EXPORT, Acme, Json, faults_of, refused
from tests.imports.loading import load
from tests.waiting import until_blocked

MERGED = {"sourceKey": "fider", "externalId": "3"}
MASTER = {"key": "dark", "description": EXPORT, "aliases": [MERGED]}
KEY = {"Idempotency-Key": "one"}
SIZES = [{"groupKey": "size", "optionValues": ["s"]}]
WAYS = pytest.mark.parametrize("more", [{}, {"classifications": SIZES}], ids=["one statement", "transaction"])
KEYS = pytest.mark.parametrize("headers", [{}, KEY], ids=["plain", "with a key"])
COUNT = "SELECT count(*) FROM ideas WHERE workspace_id = $1"
ADD_ALIAS = """
INSERT INTO idea_aliases (workspace_id, id, idea_id, source_key, integration_id, external_id)
SELECT $1, $2, id, $3, $4, $5 FROM ideas WHERE workspace_id = $1 ORDER BY number LIMIT 1"""


@WAYS
@KEYS
async def test_a_file_is_refused_if_a_request_takes_its_alias_before_it_commits(
    acme: Acme, headers: Json, more: Json
) -> None:
    study = {"key": "s", "name": "Before"}
    await acme.world.add(studies=[study])
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM studies WHERE workspace_id = $1 FOR UPDATE", acme.world.workspace_id)
        applying = asyncio.create_task(acme.world.add(ideas=[MASTER], studies=[study | {"name": "After"}]))
        await until_blocked(acme.world.database)  # at the study, which is stored after ideas
        body = {"description": EXPORT, **MERGED, **more}
        answer = await acme.client.post("/ideas", json=body, headers=headers)
    assert answer.status_code == 201
    faults = await faults_of(applying)
    assert faults == {"ideas[0].aliases[0].externalId": f"Is the identity of {answer.json()['publicId']}"}
    assert await acme.value(COUNT) == 1


@WAYS
@KEYS
async def test_a_request_updates_the_idea_whose_alias_a_file_is_storing(acme: Acme, headers: Json, more: Json) -> None:
    await acme.create()
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(ADD_ALIAS, acme.world.workspace_id, new_id(), "fider", None, "3")
        await tx.connection.execute("SET CONSTRAINTS ALL IMMEDIATE")  # as the file does at its end
        body = {"description": EXPORT, "name": "Night theme", **MERGED, **more}
        posting = asyncio.create_task(acme.client.post("/ideas", json=body, headers=headers))
        await until_blocked(acme.world.database)
    answer = await posting
    assert (answer.status_code, answer.json()["publicId"], answer.json()["name"]) == (201, "IDEA-1", "Night theme")
    assert await acme.value(COUNT) == 1


@pytest.mark.parametrize("is_other", [True, False])
@KEYS
async def test_a_request_does_not_complete_an_identity_by_an_alias_that_a_file_is_storing(
    acme: Acme, headers: Json, is_other: bool
) -> None:
    """It is refused if the alias is of another idea, as it names two."""
    own = {"sourceKey": "desk", "externalId": "3"}
    if is_other:
        await acme.create()
    await acme.create(**own)
    forms = acme.integrations["forms"]
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(ADD_ALIAS, acme.world.workspace_id, new_id(), None, forms, "3")
        await tx.connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        body = {"description": EXPORT, "name": "Renamed", **own, "integrationId": forms}
        posting = asyncio.create_task(acme.client.post("/ideas", json=body, headers=headers))
        await until_blocked(acme.world.database)
    answer = await posting
    if is_other:
        refused(answer, 409, "IDENTITY_CONFLICT")
    else:
        assert (answer.status_code, answer.json()["name"], answer.json()["integrationId"]) == (201, "Renamed", None)
    for identity in (own, {"integrationId": forms, "externalId": "3"}):
        assert await acme.total(**identity) == 1


async def test_an_import_refuses_a_line_whose_alias_a_request_has_just_taken(acme: Acme) -> None:
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(
            "INSERT INTO ideas"
            " (workspace_id, id, number, name, description, status, source_key, external_id, created_at, updated_at)"
            " VALUES ($1, $2, 7, 'A', 'x', 'New', 'fider', '3', $3, $3)",
            acme.world.workspace_id,
            new_id(),
            tx.now,
        )
        lines = msgspec.json.encode(MASTER) + b"\n" + msgspec.json.encode({"key": "other", "description": EXPORT})
        importing = asyncio.create_task(load(acme.world.database, acme.world.slug, "ideas", lines))
        await until_blocked(acme.world.database)
    done = await importing
    assert [(fault.line, fault.message) for fault in done.faults] == [(1, "Is the identity of IDEA-7")]
    assert await acme.value(COUNT) == 2


async def test_a_refused_file_gives_its_numbers_back(acme: Acme) -> None:
    study = {"key": "s", "name": "Before"}
    await acme.world.add(studies=[study])
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM studies WHERE workspace_id = $1 FOR UPDATE", acme.world.workspace_id)
        file: Json = {
            "ideas": [MASTER],
            "studies": [{**study, "name": "After"}, {"key": "t", "name": "T", "number": 90}],
        }
        applying = asyncio.create_task(acme.world.add(**file))
        await until_blocked(acme.world.database)
        await acme.create(**MERGED)
    await faults_of(applying)
    last = "SELECT last FROM public_numbers WHERE workspace_id = $1 AND kind = 'study'"
    assert await acme.value(last) == 1
