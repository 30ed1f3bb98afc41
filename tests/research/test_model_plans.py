"""Plans by a model: proposals within every bound, about companies that somebody has named."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.documents.test_model import usage_of
from tests.intelligence.fake_model import Answer, FakeModel, Json, fake_model
from tests.research.lab import code
from tests.research.shop import HARVESTLY, Shop
from tests.research.thinking import data_of, planned, section, thinking
from tests.sources.storefront import Storefront, app
from tests.world import serving

QUESTION = "How do rivals like Harvestly forecast demand for growers? Leave out blog.example, prefer trade.example."
RIVAL: Json = {"name": "Harvestly", "aliases": []}


def competitors(*named: Json, **changes: Any) -> Json:
    return section(name="Rivals", type="competitors", topic="", competitors=list(named or (RIVAL,)), **changes)


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModel]:
    with fake_model(Answer(status=500)) as fake:
        yield fake


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str, front: Storefront, fake: FakeModel) -> AsyncIterator[str]:
    model = {"model_url": fake.url, "model_name": "m"}
    async with serving(database_url, app_store_url=front.url, **model) as address:
        yield address


async def prepare(shop: Shop, fake: FakeModel, *script: Any, question: str = QUESTION) -> Json:
    fake.requests.clear()
    fake.script[:] = script
    prepared: Json = await shop.prepare(question)
    return prepared


async def plan(shop: Shop, fake: FakeModel, answer: Json, question: str = QUESTION) -> Json:
    prepared = await prepare(shop, fake, thinking(sections=answer), question=question)
    plan: Json = prepared["preparedPlan"]
    return plan


async def test_the_models_plan_can_be_started_as_it_is(shop: Shop, fake: FakeModel) -> None:
    def about_the_app(request: Json) -> Json:
        number = re.search(r"^Product (\d): App \(", data_of(request), re.MULTILINE)
        assert number
        return planned(competitors(), section(), product=int(number[1]))

    made = (await prepare(shop, fake, thinking(sections=about_the_app)))["preparedPlan"]
    assert made["name"] == "Forecasts of demand"
    assert made["rationale"].startswith("Rivals first. model:m drafted this plan, so review it before you start it.")
    definition = made["definition"]
    assert (definition["researchMode"], definition["initialLookbackDays"]) == ("baseline", 30)
    assert definition["maxSourcesPerSection"] == 3
    assert definition["productId"] == (await shop.lab.products())["app"]
    assert [(one["type"], one["topic"]) for one in definition["sections"]] == [
        ("competitors", ""),
        ("market", "demand forecasts"),
    ]
    assert [one["name"] for one in definition["sections"][0]["competitors"]] == ["Harvestly"]
    new = {**shop.lab.new(), "name": made["name"], "definition": definition}
    assert code(await shop.lab.run("start", **new)) == (200, "")
    [usage] = await usage_of(shop.lab.world)
    assert (usage.task, usage.model, usage.runs, usage.fallbacks, usage.requests) == (
        "research.plan",
        "model:m",
        1,
        0,
        1,
    )
    assert await shop.lab.credits() == 1 + 5 * 2


async def test_the_model_knows_products_and_rivals_and_sees_them_as_data(shop: Shop, fake: FakeModel) -> None:
    said = "We left you for Sproutly in spring."
    await shop.lab.world.add(insights=[{"key": "rival", "title": said, "category": "problem"}])
    await plan(shop, fake, planned(section()))
    data = data_of(fake.requests[0])
    assert "\nProduct 1: " in data
    assert "Known names of competitors: Harvestly, Sproutly" in data
    assert QUESTION not in fake.requests[0]["messages"][0]["content"]


async def test_companies_that_nobody_named_are_asked_about_once_and_left_out(shop: Shop, fake: FakeModel) -> None:
    invented = competitors({"name": "Inventix", "aliases": []}, {"name": "Harvestly", "aliases": ["HV Cloud"]})
    made = await plan(shop, fake, planned(invented, competitors({"name": "App", "aliases": []})))
    rivals, others = made["definition"]["sections"]
    assert rivals["competitors"] == [{"name": "Harvestly", "website": "", "aliases": []}]
    assert (others["type"], others["topic"], others["competitors"]) == ("market", "Rivals", [])
    assert len(fake.requests) == 2
    assert "Inventix" in fake.requests[1]["messages"][-1]["content"]


async def test_only_domains_of_the_question_count(shop: Shop, fake: FakeModel) -> None:
    scope: Json = {"domains": ["Trade.example", "evil.example"], "excluded_domains": ["blog.example", "good.example"]}
    made = await plan(shop, fake, planned(section(**scope, languages=["German", "Klingon"])))
    [one] = made["definition"]["sections"]
    assert one["scope"]["domains"] == ["trade.example"]
    assert (one["scope"]["sourceMode"], one["scope"]["excludedDomains"]) == ("preferred", ["blog.example"])
    assert one["scope"]["languages"] == ["German"]


async def test_the_window_is_that_of_the_question(shop: Shop, fake: FakeModel) -> None:
    made = await plan(shop, fake, planned(section()), question="What annoyed growers in the last 20 days?")
    definition = made["definition"]
    assert (definition["researchMode"], definition["initialLookbackDays"]) == ("recent", 20)


async def test_what_exceeds_a_bound_is_cut_or_left_out(shop: Shop, fake: FakeModel) -> None:
    long = "word " * 700
    sections = [section(name=long, objective=long, topic=long, questions=[long, " ", *"abcdefg"], geography=long)] * 8
    made = await plan(shop, fake, planned(*sections, name=long, product=77))
    definition = made["definition"]
    assert [len(one["questions"]) for one in definition["sections"]] == [5] * 5
    assert definition["productId"] == ""
    assert len(made["name"]) <= 120


async def test_apps_are_looked_up_if_the_plan_is_about_their_reviews(shop: Shop, fake: FakeModel) -> None:
    shop.front.apps = [app(int(HARVESTLY), "Harvestly"), app(303, "Harvestly Field Notes", publisher="Somebody")]
    asked = competitors(questions=["What do app reviews of Harvestly complain about?"])
    prepared = await prepare(
        shop, fake, thinking(sections=planned(asked)), question="What annoys growers who forecast?"
    )
    assert prepared["choices"] == []
    question = "What annoys growers of Harvestly?"
    prepared = await prepare(shop, fake, thinking(sections=planned(asked)), question=question)
    assert [one["externalId"] for one in prepared["choices"]] == [HARVESTLY, "303"]
    [choice, _] = prepared["choices"]
    chosen = {name: choice[name] for name in ("connector", "externalId", "label")}
    again = await shop.prepare(question, preparedPlan=prepared["preparedPlan"], selection=[chosen])
    assert [one["externalId"] for one in again["preparedPlan"]["definition"]["reads"]] == [HARVESTLY]
    assert len(fake.requests) == 1, "a selection needs no model"


FAILING: list[Any] = [
    Answer(status=401),
    Answer("I cannot."),
    thinking(sections=planned()),
    thinking(sections=planned(section(questions=[]))),
    thinking(sections=planned(section(), rationale=" ")),
]


@pytest.mark.parametrize("answer", FAILING, ids=["refused", "no JSON", "no section", "no question", "no reason"])
async def test_the_embedded_engine_plans_what_a_model_cannot(shop: Shop, fake: FakeModel, answer: Any) -> None:
    made = (await prepare(shop, fake, answer))["preparedPlan"]
    assert made["definition"]["sections"][0]["objective"].startswith("Find out how rivals like Harvestly forecast")
    assert "The embedded engine drafted this plan" in made["rationale"]
    assert "model:m could not draft it: " in made["rationale"]
    [usage] = await usage_of(shop.lab.world)
    assert (usage.task, usage.runs, usage.fallbacks) == ("research.plan", 1, 1)


async def test_a_workspace_without_a_model_plans_by_words(shop: Shop, fake: FakeModel) -> None:
    await shop.lab.world.add(workspace={"settings": {"engine": "embedded"}})
    made = (await prepare(shop, fake, Answer(status=500)))["preparedPlan"]
    assert ("model:m" in made["rationale"], fake.requests) == (False, [])
