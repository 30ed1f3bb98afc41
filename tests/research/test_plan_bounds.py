"""Every bound of a plan, at it and one past it. Specification: Definition (plan)."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.research.lab import EXPORTS, FORECASTS, MISSING, Json, Lab, definition, faults, section

COMPETITORS: Json = {"type": "competitors", "topic": None}
RIVAL: Json = {"name": "Rival"}
READ: Json = {"connector": "mobile_store", "externalId": "1", "label": "App"}


def ids(count: int) -> list[str]:
    return [str(UUID(int=n + 1, version=4)) for n in range(count)]


def of_section(**changes: Any) -> Json:
    return definition(section(**changes))


def of_scope(**scope: Any) -> Json:
    return of_section(scope=scope)


def of_rival(**rival: Any) -> Json:
    return of_section(**COMPETITORS, competitors=[RIVAL | rival])


def of_read(**read: Any) -> Json:
    return definition(reads=[READ | read])


S = "sections[0]."
# What is allowed at the bound, what is not past it, and the path of the fault.
BOUNDS: dict[str, tuple[Json, Json, str]] = {
    "mode": (definition(researchMode="baseline"), definition(researchMode="old"), "researchMode"),
    "fewest days": (definition(initialLookbackDays=1), definition(initialLookbackDays=0), "initialLookbackDays"),
    "most days": (definition(initialLookbackDays=90), definition(initialLookbackDays=91), "initialLookbackDays"),
    "fewest sources": (definition(maxSourcesPerSection=1), definition(maxSourcesPerSection=0), "maxSourcesPerSection"),
    "most sources": (definition(maxSourcesPerSection=10), definition(maxSourcesPerSection=11), "maxSourcesPerSection"),
    "short output": (definition(outputLanguage="D"), definition(outputLanguage=""), "outputLanguage"),
    "long output": (definition(outputLanguage="x" * 50), definition(outputLanguage="x" * 51), "outputLanguage"),
    "product": (definition(productId=""), definition(productId="app"), "productId"),
    "fewest sections": (definition(), {"sections": []}, "sections"),
    "most sections": (
        definition(*[section(id) for id in ids(5)]),
        definition(*[section(id) for id in ids(6)]),
        "sections",
    ),
    "section's id": (of_section(id=EXPORTS), of_section(id="one"), f"{S}id"),
    "distinct ids": (
        definition(section(FORECASTS), section(EXPORTS)),
        definition(section(FORECASTS), section(FORECASTS)),
        "sections[1].id",
    ),
    "short name": (of_section(name="x"), of_section(name=" "), f"{S}name"),
    "long name": (of_section(name="x" * 120), of_section(name="x" * 121), f"{S}name"),
    "type": (of_section(type="custom"), of_section(type="other"), f"{S}type"),
    "short objective": (of_section(objective="x"), of_section(objective=""), f"{S}objective"),
    "long objective": (of_section(objective="x" * 1500), of_section(objective="x" * 1501), f"{S}objective"),
    "fewest questions": (of_section(questions=["x"]), of_section(questions=[]), f"{S}questions"),
    "most questions": (of_section(questions=["x"] * 5), of_section(questions=["x"] * 6), f"{S}questions"),
    "short question": (of_section(questions=["x"]), of_section(questions=[""]), f"{S}questions[0]"),
    "long question": (of_section(questions=["x" * 500]), of_section(questions=["x" * 501]), f"{S}questions[0]"),
    "a market's topic": (of_section(topic="x"), of_section(topic=None), f"{S}topic"),
    "long topic": (of_section(topic="x" * 500), of_section(topic="x" * 501), f"{S}topic"),
    "a custom topic": (of_section(type="custom", topic=""), of_section(type="custom", topic="x" * 501), f"{S}topic"),
    "no topic of competitors": (
        of_rival(),
        of_section(**COMPETITORS | {"topic": "x"}, competitors=[RIVAL]),
        f"{S}topic",
    ),
    "fewest competitors": (of_rival(), of_section(**COMPETITORS, competitors=[]), f"{S}competitors"),
    "most competitors": (
        of_section(**COMPETITORS, competitors=[RIVAL] * 5),
        of_section(**COMPETITORS, competitors=[RIVAL] * 6),
        f"{S}competitors",
    ),
    "competitors elsewhere": (of_section(competitors=[]), of_section(competitors=[RIVAL]), f"{S}competitors"),
    "short rival": (of_rival(name="x"), of_rival(name=""), f"{S}competitors[0].name"),
    "long rival": (of_rival(name="x" * 160), of_rival(name="x" * 161), f"{S}competitors[0].name"),
    "website": (of_rival(website="https://r.example"), of_rival(website=7), f"{S}competitors[0].website"),
    "most aliases": (of_rival(aliases=["x"] * 5), of_rival(aliases=["x"] * 6), f"{S}competitors[0].aliases"),
    "geography": (of_scope(geography="x" * 160), of_scope(geography="x" * 161), f"{S}scope.geography"),
    "audience": (of_scope(audience="x" * 300), of_scope(audience="x" * 301), f"{S}scope.audience"),
    "exclusions": (of_scope(exclusions="x" * 1000), of_scope(exclusions="x" * 1001), f"{S}scope.exclusions"),
    "fewest languages": (of_scope(languages=["x"]), of_scope(languages=[]), f"{S}scope.languages"),
    "most languages": (of_scope(languages=["x"] * 5), of_scope(languages=["x"] * 6), f"{S}scope.languages"),
    "short language": (of_scope(languages=["x"]), of_scope(languages=[""]), f"{S}scope.languages[0]"),
    "long language": (of_scope(languages=["x" * 50]), of_scope(languages=["x" * 51]), f"{S}scope.languages[0]"),
    "source mode": (of_scope(sourceMode="open"), of_scope(sourceMode="closed"), f"{S}scope.sourceMode"),
    "preferred": (
        of_scope(sourceMode="preferred", domains=["a.example"]),
        of_scope(sourceMode="preferred"),
        f"{S}scope.domains",
    ),
    "restricted": (
        of_scope(sourceMode="restricted", domains=["192.0.2.1"]),
        of_scope(sourceMode="restricted", domains=[]),
        f"{S}scope.domains",
    ),
    "most domains": (of_scope(domains=["a.b"] * 20), of_scope(domains=["a.b"] * 21), f"{S}scope.domains"),
    "most excluded": (
        of_scope(excludedDomains=["a.b"] * 20),
        of_scope(excludedDomains=["a.b"] * 21),
        f"{S}scope.excludedDomains",
    ),
    "no port": (of_scope(domains=["2001:db8::1"]), of_scope(domains=["a.example:80"]), f"{S}scope.domains[0]"),
    "no address": (of_scope(domains=["A.example."]), of_scope(domains=["https://a.test"]), f"{S}scope.domains[0]"),
    "most reads": (
        definition(reads=[READ | {"externalId": str(n)} for n in range(4)]),
        definition(reads=[READ | {"externalId": str(n)} for n in range(5)]),
        "reads",
    ),
    "connector": (of_read(), of_read(connector="web"), "reads[0].connector"),
    "short app": (of_read(externalId="7"), of_read(externalId=""), "reads[0].externalId"),
    "long app": (of_read(externalId="7" * 20), of_read(externalId="7" * 21), "reads[0].externalId"),
    "numeric app": (of_read(externalId="07"), of_read(externalId="7\n"), "reads[0].externalId"),
    "short label": (of_read(label="x"), of_read(label=""), "reads[0].label"),
    "long label": (of_read(label="x" * 200), of_read(label="x" * 201), "reads[0].label"),
    "sections of reads": (of_read(sectionIds=[FORECASTS]), of_read(sectionIds=[EXPORTS]), "reads[0].sectionIds[0]"),
    "the same app": (
        definition(reads=[READ, READ | {"externalId": "2"}]),
        definition(reads=[READ, READ | {"label": "Other"}]),
        "reads[1].externalId",
    ),
    "unknown field": (definition(), definition(depth=2), "depth"),
    "unknown field of a section": (of_section(), of_section(depth=2), f"{S}depth"),
    "unknown field of a scope": (of_scope(), of_scope(depth=2), f"{S}scope.depth"),
    "unknown field of a rival": (of_rival(), of_rival(depth=2), f"{S}competitors[0].depth"),
    "unknown field of a read": (of_read(), of_read(depth=2), "reads[0].depth"),
}


@pytest.mark.parametrize("name", BOUNDS)
async def test_a_plan_is_taken_at_its_bound_and_refused_past_it(shared_lab: Lab, name: str) -> None:
    fits, too_far, path = BOUNDS[name]
    answer = await shared_lab.run("start", requestId=str(uuid4()), name="A plan", definition=fits)
    assert answer.status_code == 200, answer.text
    answer = await shared_lab.run("start", requestId=str(uuid4()), name="A plan", definition=too_far)
    assert faults(answer) == [path]


async def test_all_faults_of_a_plan_are_listed_at_once(shared_lab: Lab) -> None:
    wrong = definition(
        section(topic=None, scope={"sourceMode": "restricted"}), section(type="competitors"), reads=[READ, READ]
    )
    assert sorted(faults(await shared_lab.run("start", requestId=str(uuid4()), name="A plan", definition=wrong))) == [
        "reads[1].externalId",
        "sections[0].scope.domains",
        "sections[0].topic",
        "sections[1].competitors",
        "sections[1].id",
        "sections[1].topic",
    ]


async def test_what_several_fields_lack_is_listed_beside_wrong_types(shared_lab: Lab) -> None:
    wrong = definition(
        section(topic=None, name="x" * 121, objective=7, scope={"sourceMode": "restricted", "languages": []}),
        section(type="competitors", questions=[]),
        reads=[READ, READ | {"label": "", "sectionIds": [EXPORTS]}],
        researchMode="old",
    )
    answer = await shared_lab.run("start", requestId="one", name="A plan", definition=wrong, briefId=MISSING)
    assert sorted(faults(answer)) == [
        "expectedRowVersion",
        "reads[1].externalId",
        "reads[1].label",
        "reads[1].sectionIds[0]",
        "requestId",
        "researchMode",
        "sections[0].name",
        "sections[0].objective",
        "sections[0].scope.domains",
        "sections[0].scope.languages",
        "sections[0].topic",
        "sections[1].competitors",
        "sections[1].id",
        "sections[1].questions",
        "sections[1].topic",
    ]


ODD: tuple[Any, ...] = (None, 7, "x", [], [7], [[]], {}, {"id": []}, [{"id": {}, "type": [], "sectionIds": 7}])


@pytest.mark.parametrize("odd", ODD, ids=str)
async def test_parts_of_the_wrong_type_are_refused_by_name(shared_lab: Lab, odd: Any) -> None:
    for place in ("sections", "reads"):
        wrong = definition() | {place: odd, "depth": 2}
        answer = await shared_lab.run("start", requestId=str(uuid4()), name="A plan", definition=wrong)
        paths = faults(answer)
        assert "depth" in paths
        assert len(set(paths)) == len(paths), "one fault for each place"


async def test_what_is_left_out_or_null_has_its_default(shared_lab: Lab) -> None:
    nulls: dict[str, Any] = dict.fromkeys(("researchMode", "initialLookbackDays", "maxSourcesPerSection", "reads"))
    started = await shared_lab.start(
        section(competitors=None, scope=None), **nulls, outputLanguage=None, productId=None
    )
    assert (await shared_lab.brief(started["briefId"]))["configuration"]["draft"]["definition"] == {
        "researchMode": "recent",
        "initialLookbackDays": 30,
        "maxSourcesPerSection": 5,
        "outputLanguage": "English",
        "productId": "",
        "reads": [],
        "sections": [
            section(
                competitors=[],
                scope={
                    "geography": "",
                    "audience": "",
                    "exclusions": "",
                    "languages": ["English"],
                    "sourceMode": "open",
                    "domains": [],
                    "excludedDomains": [],
                },
            )
        ],
    }


async def test_names_are_trimmed_and_domains_are_kept_in_lower_case(shared_lab: Lab) -> None:
    started = await shared_lab.start(section(name="  Forecasts ", scope={"domains": ["Shop.Example."]}))
    [kept] = (await shared_lab.brief(started["briefId"]))["configuration"]["draft"]["definition"]["sections"]
    assert (kept["name"], kept["scope"]["domains"]) == ("Forecasts", ["shop.example"])
