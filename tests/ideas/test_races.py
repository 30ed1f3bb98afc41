"""Concurrent requests: creators of one identity and of many, and records removed during a request."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
import pytest

from tests.ideas.acme import EXPORT, Acme, Json, refused
from tests.waiting import until_blocked

CROWD = 32
LINKS = {"feature": "features", "insight": "insights", "account": "accounts", "opportunity": "opportunities"}
COUNTED = "SELECT coalesce(sum(count), 0) FROM record_counts WHERE workspace_id = $1 AND kind = 'idea'"


async def all_at_once(acme: Acme, bodies: Iterable[Json]) -> list[httpx2.Response]:
    """Posts every body over connections of its own, after they are open."""
    clients = [acme.client, await acme.world.client_with("all")]
    return list(await asyncio.gather(*(clients[n % 2].post("/ideas", json=body) for n, body in enumerate(bodies))))


async def look_at_the_books(acme: Acme) -> None:
    """The kept count is the count, no number came twice, and arrays repeat their link tables."""
    ideas = await acme.value("SELECT count(*) FROM ideas WHERE workspace_id = $1")
    assert await acme.value(COUNTED) == ideas == await acme.total()
    assert await acme.value("SELECT count(DISTINCT number) FROM ideas WHERE workspace_id = $1") == ideas
    highest = await acme.value("SELECT coalesce(max(number), 0) FROM ideas WHERE workspace_id = $1")
    taken = "SELECT coalesce(max(last), 0) FROM public_numbers WHERE workspace_id = $1 AND kind = 'idea'"
    assert highest <= await acme.value(taken)
    for member, members in LINKS.items():
        differing = (
            f"SELECT array_agg(i.id) FROM ideas i WHERE workspace_id = $1 AND {member}_ids IS DISTINCT FROM"  # noqa: S608
            f" ARRAY(SELECT l.{member}_id FROM idea_{members} l WHERE (l.workspace_id, l.idea_id) ="
            " (i.workspace_id, i.id) ORDER BY l.link)"
        )
        assert await acme.value(differing) is None


def ids_of(answers: Iterable[httpx2.Response]) -> set[str]:
    found = set()
    for answer in answers:
        assert answer.status_code == 201, answer.text
        found.add(answer.json()["id"])
    return found


IDENTITIES: list[tuple[str, ...]] = [("source",), ("integration",), ("source", "integration")]


def identity(acme: Acme, kinds: Iterable[str], n: int = 0) -> Json:
    parts = {"source": {"sourceKey": "desk"}, "integration": {"integrationId": acme.integrations["forms"]}}
    return {"externalId": f"x-{n}", **{name: value for kind in kinds for name, value in parts[kind].items()}}


@pytest.mark.parametrize("kinds", IDENTITIES, ids="+".join)
async def test_concurrent_creators_of_one_identity_make_one_idea(acme: Acme, kinds: tuple[str, ...]) -> None:
    body = {"description": EXPORT, **identity(acme, kinds)}
    answers = await all_at_once(acme, [{**body, "name": f"By {n}"} for n in range(CROWD)])
    assert len(ids_of(answers)) == 1
    assert await acme.total() == 1
    [idea] = await acme.list()
    assert idea["name"] in {f"By {n}" for n in range(CROWD)}
    await look_at_the_books(acme)


@pytest.mark.parametrize("product", [None, "app"])
async def test_concurrent_creators_may_send_different_fields(acme: Acme, product: str | None) -> None:
    body = {**identity(acme, ["source"]), "productId": acme.products[product] if product else None}
    texts = [f"{EXPORT} Asked for by customer {n}." for n in range(CROWD)]
    assert len(ids_of(await all_at_once(acme, [{**body, "description": text} for text in texts]))) == 1
    [idea] = await acme.list()
    assert idea["description"] in texts
    if product:
        assert idea["featureMatching"]["matches"][0]["sourceQuote"] in idea["description"]
    await look_at_the_books(acme)


async def test_concurrent_creators_of_many_identities_make_as_many_ideas(acme: Acme) -> None:
    bodies = [{"description": EXPORT, **identity(acme, ["source"], n % 8)} for n in range(CROWD)]
    answers = await all_at_once(acme, bodies)
    assert len(ids_of(answers)) == await acme.total() == 8
    for n in range(8):
        assert len(ids_of(answers[n::8])) == 1
    await look_at_the_books(acme)


async def test_concurrent_creators_without_an_identity_each_make_their_own(acme: Acme) -> None:
    answers = await all_at_once(acme, [{"description": EXPORT}] * CROWD)
    assert len(ids_of(answers)) == await acme.total() == CROWD
    assert len({answer.json()["publicId"] for answer in answers}) == CROWD
    await look_at_the_books(acme)


async def test_creators_who_know_different_identities_of_one_idea_end_in_one_or_in_a_conflict(acme: Acme) -> None:
    kinds = [IDENTITIES[n % 3] for n in range(CROWD)]
    answers = await all_at_once(acme, [{"description": EXPORT, **identity(acme, each)} for each in kinds])
    made = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    refusals = {answer.json()["code"] for answer in answers if answer.status_code != 201}
    assert refusals <= {"IDENTITY_CONFLICT"}
    assert len(made) == await acme.total() == (2 if refusals else len(made)) <= 2
    await look_at_the_books(acme)


async def test_concurrent_updates_lose_no_links(acme: Acme) -> None:
    body = {"description": EXPORT, **identity(acme, ["source"]), "productId": acme.products["app"]}
    created = await acme.create(**body)
    insights, accounts = list(acme.insights.values()), list(acme.accounts.values())
    bodies = [{**body, "insightIds": [insights[n % 3]], "accountIds": [accounts[n // 3 % 3]]} for n in range(CROWD)]
    assert ids_of(await all_at_once(acme, bodies)) == {created["id"]}
    idea = await acme.read(created)
    assert (set(idea["insightIds"]), set(idea["accountIds"])) == (set(insights), set(accounts))
    await look_at_the_books(acme)


async def test_concurrent_selections_end_as_one_of_them(acme: Acme) -> None:
    body = {"description": EXPORT, **identity(acme, ["source"]), "productId": acme.products["app"]}
    await acme.create(**body)
    selections = [[acme.features["export"]], [acme.features["search"], acme.features["billing"]], []]
    ids_of(await all_at_once(acme, [{**body, "featureIds": selections[n % 3]} for n in range(CROWD)]))
    [idea] = await acme.list()
    assert idea["featureIds"] in selections
    assert idea["featureMatching"]["status"] == "manual"
    await look_at_the_books(acme)


async def test_concurrent_classifications_are_all_kept(acme: Acme) -> None:
    body = {"description": EXPORT, **identity(acme, ["source"])}
    values = [
        {"groupKey": "theme", "optionValues": ["speed"]},
        {"groupKey": "size", "optionValues": ["s"]},
        {"groupKey": "why_now", "textValue": "Now"},
    ]
    ids_of(await all_at_once(acme, [{**body, "classifications": [values[n % 3]]} for n in range(CROWD)]))
    [idea] = await acme.list(include="classifications")
    assert {value["groupKey"] for value in idea["classifications"]} == {"theme", "size", "why_now"}
    await look_at_the_books(acme)


GOING = {
    "products": ("productId", "app", {"NOT_FOUND"}),
    "insights": ("insightIds", "insight-1", {"VALIDATION_FAILED"}),
    "accounts": ("accountIds", "globex", {"VALIDATION_FAILED"}),
    "integrations": ("integrationId", "forms", {"NOT_FOUND"}),
    "features": ("featureIds", "export", {"VALIDATION_FAILED"}),
    "idea_statuses": ("status", "Under review", {"UNKNOWN_STATUS"}),
}


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
@pytest.mark.parametrize("table", GOING)
async def test_a_record_removed_during_the_request_is_refused_and_breaks_no_other_request(
    acme: Acme, table: str, known: bool
) -> None:
    field, key, codes = GOING[table]
    named: Any = key if table == "idea_statuses" else getattr(acme, table)[key]
    body: Json = {"description": EXPORT, field: [named] if field.endswith("Ids") else named}
    if field == "featureIds":
        body["productId"] = acme.products["app"]
    if known:
        body |= {"sourceKey": "desk", "externalId": "1"}
        await acme.create(sourceKey="desk", externalId="1")
    column, value = ("label", named) if table == "idea_statuses" else ("id", UUID(named))

    async def remove() -> bool:
        """An update that waits for this record may hold the idea that its removal waits for."""
        with suppress(asyncpg.DeadlockDetectedError):
            await acme.run(f"DELETE FROM {table} WHERE workspace_id = $1 AND {column} = $2", value)  # noqa: S608
            return True
        return False

    # As many as one workspace writes at once: others would wait for a connection while removals meet circles.
    creating = asyncio.create_task(all_at_once(acme, [body] * 6))
    while not await acme.total(q="analysts") and not creating.done():  # the first has arrived
        pass
    while not await remove():
        pass
    for answer in await creating:
        assert answer.status_code == 201 or answer.json()["code"] in codes | {"CONFLICT"}, answer.text
    assert (await acme.post(body)).json()["code"] in codes
    await look_at_the_books(acme)


async def test_an_idea_that_is_deleted_while_it_is_updated_is_created_again_or_refused(acme: Acme) -> None:
    body = {"description": EXPORT, **identity(acme, ["source"]), "insightIds": list(acme.insights.values())}
    deleted = 0
    creating = asyncio.create_task(all_at_once(acme, [body] * CROWD))
    while not creating.done():
        deleted += await acme.value(
            "WITH gone AS (DELETE FROM ideas WHERE workspace_id = $1 RETURNING 1) SELECT count(*) FROM gone"
        )
    refusals = {answer.json()["code"] for answer in await creating if answer.status_code != 201}
    assert refusals <= {"CONFLICT"}  # after many attempts, each undone by a deletion
    numbers = "SELECT count(*) FROM changes WHERE workspace_id = $1 AND kind = 'idea' AND action = 'created'"
    left = await acme.value("SELECT count(*) FROM ideas WHERE workspace_id = $1")
    assert await acme.value(numbers) == deleted + left
    used = (
        "SELECT count(DISTINCT public_id) FROM changes WHERE workspace_id = $1 AND kind = 'idea' AND action = 'created'"
    )
    assert await acme.value(used) == deleted + left


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "one"}])
async def test_an_insight_that_goes_between_looking_and_linking_is_refused(acme: Acme, headers: dict[str, str]) -> None:
    body = {"description": EXPORT, "insightIds": [acme.insights["insight-1"]]}
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(
            "DELETE FROM insights WHERE workspace_id = $1 AND key = 'insight-1'", acme.world.workspace_id
        )
        creating = asyncio.create_task(acme.client.post("/ideas", json=body, headers=headers))
        await until_blocked(acme.world.database)
    refused(await creating, 400, "VALIDATION_FAILED", "insightIds")
    await look_at_the_books(acme)


async def test_numbers_of_deleted_ideas_are_not_used_again(acme: Acme) -> None:
    first = [await acme.create() for _ in range(3)]
    await acme.run("DELETE FROM ideas WHERE workspace_id = $1")
    later = await acme.create()
    assert later["publicId"] not in {idea["publicId"] for idea in first}
    assert int(later["publicId"].removeprefix("IDEA-")) > 3
