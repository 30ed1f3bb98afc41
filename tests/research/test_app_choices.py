"""Which apps a question means: found in the store, selected where it is not clear, and never invented."""

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from tests.research.lab import Json, code, definition, faults
from tests.research.shop import HARVESTLY, SPROUT, Shop, read
from tests.sources.storefront import Storefront, app
from tests.waiting import until
from tests.world import OPEN_TRANSACTIONS, serving

QUESTION = "What do growers complain about in competitors like Harvestly?"
TWO = [app(int(HARVESTLY), "Harvestly"), app(303, "Harvestly Field Notes", publisher="Somebody")]


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str, front: Storefront) -> AsyncIterator[str]:
    async with serving(database_url, app_store_url=front.url) as address:
        yield address


def chosen(choice: Json) -> Json:
    return {name: choice[name] for name in ("connector", "externalId", "label")}


async def test_one_app_of_a_named_competitor_is_read(shop: Shop) -> None:
    shop.front.apps = [TWO[0], app(404, "Weather")]
    body = await shop.prepare(QUESTION)
    assert body["preparedPlan"]["definition"]["reads"] == [{**read(), "sectionIds": []}]
    assert (body["choices"], body["needsSelection"]) == ([], False)
    assert "Harvestly" in body["preparedPlan"]["rationale"]


async def test_several_apps_are_choices(shop: Shop) -> None:
    shop.front.apps = TWO
    body = await shop.prepare(QUESTION)
    assert (body["preparedPlan"]["definition"]["reads"], body["needsSelection"]) == ([], True)
    assert body["choices"][1].keys() == {"connector", "externalId", "label", "publisher", "reason"}
    assert [(one["externalId"], one["label"], one["publisher"]) for one in body["choices"]] == [
        (HARVESTLY, "Harvestly", "Maker Ltd"),
        ("303", "Harvestly Field Notes", "Somebody"),
    ]


async def test_a_choice_that_is_selected_becomes_a_read(shop: Shop) -> None:
    shop.front.apps = TWO
    body = await shop.prepare(QUESTION)
    given = {"preparedPlan": body["preparedPlan"], "selection": [chosen(body["choices"][1])]}
    calls = len(shop.front.calls)
    second = await shop.prepare(QUESTION, **given)
    assert len(shop.front.calls) > calls, "the store is searched again"
    plan = second["preparedPlan"]
    assert "Several apps may be meant" in body["preparedPlan"]["rationale"]
    assert plan["rationale"]
    assert "Several apps may be meant" not in plan["rationale"]
    assert plan["definition"]["reads"] == [{**read("303", "Harvestly Field Notes"), "sectionIds": []}]
    assert (second["choices"], second["needsSelection"]) == ([], False)
    new = {**shop.lab.new(), "name": plan["name"], "definition": plan["definition"]}
    assert code(await shop.lab.run("start", **new)) == (200, "")


async def test_what_is_not_a_choice_is_refused_and_costs_nothing(shop: Shop) -> None:
    shop.front.apps = TWO
    plan = (await shop.prepare(QUESTION))["preparedPlan"]
    before = await shop.lab.credits()
    known, unknown = read(), read(SPROUT, "Sprout")
    answer = await shop.lab.run("prepare", question=QUESTION, preparedPlan=plan, selection=[unknown, known, known])
    assert faults(answer) == ["selection[0]", "selection[2]"]
    shop.front.apps = TWO[1:]  # the store has lost it
    answer = await shop.lab.run("prepare", question=QUESTION, preparedPlan=plan, selection=[known])
    assert faults(answer) == ["selection[0]"]
    assert await shop.lab.credits() == before


async def test_a_plan_has_four_apps_with_those_that_are_selected(shop: Shop) -> None:
    shop.front.apps = TWO
    reads = [read(str(n), f"App {n}") for n in range(4)]
    plan: Json = {"name": "Apps", "definition": definition(reads=reads)}
    plan["definition"]["sections"][0] |= {"type": "competitors", "competitors": [{"name": "Harvestly"}], "topic": ""}
    answer = await shop.lab.run("prepare", question=QUESTION, preparedPlan=plan, selection=[read()])
    assert faults(answer) == ["selection"]


async def test_a_question_without_a_name_searches_no_store(shop: Shop) -> None:
    shop.front.apps = TWO
    body = await shop.prepare("How do planners forecast demand?")
    assert (body["choices"], shop.front.calls) == ([], [])


async def test_a_question_about_apps_takes_the_product_and_quoted_names(shop: Shop) -> None:
    await shop.lab.world.add(products=[{"key": "notes", "name": "Fieldbook"}])
    shop.front.apps = [app(505, "Fieldbook"), app(606, "growbook")]
    body = await shop.prepare('How do user reviews rate the app Fieldbook and "growbook" on iOS?')
    ids = {one["externalId"] for one in body["preparedPlan"]["definition"]["reads"]}
    assert ids == {"505", "606"}, body


async def test_an_app_that_only_has_the_name_somewhere_is_a_choice(shop: Shop) -> None:
    shop.front.apps = [app(303, "Guide for Harvestly")]
    body = await shop.prepare(QUESTION)
    assert [one["externalId"] for one in body["choices"]] == ["303"]
    assert body["preparedPlan"]["definition"]["reads"] == []


async def test_a_store_that_is_down_leaves_a_plan_that_says_so(shop: Shop) -> None:
    shop.front.failures = [503] * 20
    body = await shop.prepare(QUESTION)
    assert (body["choices"], body["needsSelection"]) == ([], False)
    assert "The app store could not be searched: The app store answered 503." in body["preparedPlan"]["rationale"]
    shop.front.failures = [503] * 20
    second = await shop.prepare(QUESTION, preparedPlan=body["preparedPlan"], selection=[read()])
    assert second["preparedPlan"]["definition"]["reads"] == []
    assert "not confirmed" in second["preparedPlan"]["rationale"]
    shop.front.failures, shop.front.apps = [], TWO
    third = await shop.prepare(QUESTION, preparedPlan=second["preparedPlan"], selection=[read()])
    assert "not confirmed" not in third["preparedPlan"]["rationale"]


async def test_a_selection_of_nothing_answers_the_request_too(shop: Shop) -> None:
    shop.front.apps = TWO
    body = await shop.prepare(QUESTION)
    second = await shop.prepare(QUESTION, preparedPlan=body["preparedPlan"], selection=[])
    assert "Several apps may be meant" not in second["preparedPlan"]["rationale"]


async def test_no_transaction_is_open_while_the_store_is_searched(shop: Shop) -> None:
    shop.front.apps = TWO
    shop.front.held = "/"
    preparing = asyncio.create_task(shop.prepare(QUESTION))

    async def none_is_open() -> bool:
        async with shop.lab.world.database.autocommit() as tx:
            return not await tx.connection.fetchval(OPEN_TRANSACTIONS)

    await until(lambda: shop.front.tasks)  # a request waits for its answer
    await until(none_is_open, 10)
    assert not preparing.done()
    shop.front.held = None
    await preparing
    assert shop.front.calls
