"""Every fault is named with its path, and nothing is stored when there is one."""

from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from sightline.platform.db import Database
from sightline.platform.db.tables import tables_of_workspaces
from sightline.workspace_file import FileRefused
from tests.workspace_file.files import apply, export, new_slug, refusal, small, whole

IDEA = {"name": "A", "description": "x"}


def faulty_in_many_ways() -> Any:
    return small(
        members=[{"key": "a", "email": "no address", "role": "boss"}, {"key": "a", "email": "b@acme.test"}],
        products=[
            {"key": "p", "name": " "},
            {"key": "q", "name": "Q", "features": [{"key": "f", "name": "F", "parent": "zz"}]},
        ],
        taxonomy={"groups": [{"key": "g", "kind": "number"}], "extra": 1},
        accounts=[{"key": "g", "name": "G", "contacts": [{"email": "x@g.test"}, {"email": "X@g.test"}]}],
        signals=[{"key": "s", "name": "S", "context": "elsewhere", "providerType": "Not A Slug"}],
        ideas=[
            {"key": "a", **IDEA, "status": "Nowhere", "createdAt": "yesterday"},
            {"key": "b", **IDEA, "questions": [{"key": "q", "question": "?", "status": "answered"}], "colour": 1},
            {"key": "c", "name": "x" * 1001, "description": " "},
        ],
        initiatives=[
            {"key": "i", "name": "I", "startDate": "2026-02-30"},
            {"key": "j", "name": "J", "startDate": "2026-02-02", "finishDate": "2026-02-01"},
        ],
        feedback=[{"key": "f", "rating": 11}],
        portal={"alias": "NO", "remoteLoginUrl": "http://acme.test"},
        unknown={"a": [1]},
    )


async def test_many_faults_of_many_kinds_are_listed_at_once(database: Database) -> None:
    assert set(await refusal(database, faulty_in_many_ways())) == {
        "members[0].email",
        "members[0].role",
        "products[0].name",
        "products[1].features[0].parent",
        "taxonomy.groups[0].kind",
        "taxonomy.extra",
        "accounts[0].contacts[1].email",
        "signals[0].context",
        "signals[0].providerType",
        "ideas[0].status",
        "ideas[0].createdAt",
        "ideas[1].colour",
        "ideas[2].name",
        "ideas[2].description",
        "initiatives[0].startDate",
        "initiatives[1].finishDate",
        "feedback[0].rating",
        "portal.alias",
        "unknown",
    }


async def test_the_fault_of_a_text_says_what_is_expected_and_not_a_regular_expression(database: Database) -> None:
    found = await refusal(database, faulty_in_many_ways())
    assert found["members[0].email"] == "Expected a text like ada@example.com"
    assert found["portal.alias"] == "Expected a text like acme-ideas"
    assert not [message for message in found.values() if "regex" in message]
    assert await refusal(database, small(new_slug(), portal={"name": " ", "accentColor": "green"})) == {
        "portal.name": "Must not be empty",
        "portal.accentColor": "Expected a text like #00aa77",
    }


@pytest.mark.parametrize("name", ["remoteLoginUrl", "remoteLogoutUrl"])
@pytest.mark.parametrize(
    "url", ["http://acme.test", "https://bo:secret@acme.test", "https://acme.test:99999", "https://", "javascript:x"]
)
async def test_an_address_that_the_portal_must_not_lead_to_is_a_fault(database: Database, name: str, url: str) -> None:
    assert set(await refusal(database, small(new_slug(), portal={name: url}))) == {f"portal.{name}"}


async def _sizes(database: Database) -> dict[str, int]:
    async with database.autocommit() as tx:
        tables = await tables_of_workspaces(tx.connection)
        return {table: await tx.connection.fetchval(f"SELECT count(*) FROM {table}") for table in tables}  # noqa: S608


async def test_a_fault_in_the_last_record_leaves_nothing(database: Database) -> None:
    slug = new_slug()
    before = await _sizes(database)
    ideas = [{"key": f"i{number}", **IDEA} for number in range(1200)]
    file = small(slug, ideas=[*ideas, {"key": "last", "name": "A"}], teams=[{"key": "t", "name": "T"}])
    assert list(await refusal(database, file)) == ["ideas[1200].description"]
    assert await _sizes(database) == before
    file["ideas"].pop()
    assert (await apply(database, file)).added
    async with database.autocommit() as tx:
        numbers = (
            "SELECT min(number), max(number) FROM ideas i JOIN workspaces w ON w.id = workspace_id WHERE slug = $1"
        )
        assert tuple(await tx.connection.fetchrow(numbers, slug) or ()) == (1, 1200)


async def test_a_refused_change_leaves_a_workspace_as_it_was(database: Database) -> None:
    file = whole()
    await apply(database, file)
    before = await export(database, file["workspace"]["slug"])
    file["teams"][0]["name"] = "Other"
    file["feedback"][1]["rating"] = -1
    assert list(await refusal(database, file)) == ["feedback[1].rating"]
    assert await export(database, file["workspace"]["slug"]) == before


async def test_the_first_hundred_faults_are_shown_and_the_rest_counted(database: Database) -> None:
    with pytest.raises(FileRefused) as refused:
        await apply(database, small(ideas=[{"key": f"i{number}", **IDEA, "x": 1} for number in range(250)]))
    assert (len(refused.value.faults), refused.value.more) == (100, 150)


@pytest.mark.parametrize(
    ("lists", "path"),
    [
        ({"teams": [{"key": "a", "name": "A"}, {"key": "a", "name": "B"}]}, "teams[1].key"),
        ({"ideas": [{"key": "a", **IDEA, "number": 3}, {"key": "b", **IDEA, "number": 3}]}, "ideas[1].number"),
        (
            {"accounts": [{"key": "a", "externalId": "1", "name": "A"}, {"key": "b", "externalId": "1", "name": "B"}]},
            "accounts[1].externalId",
        ),
        (
            {"members": [{"key": "a", "email": "a@acme.test"}, {"key": "b", "email": "A@acme.test"}]},
            "members[1].email",
        ),
        ({"ideaStatuses": [{"label": "A"}, {"label": "A"}]}, "ideaStatuses[1].label"),
        (
            {"ideaStatuses": [{"label": "A", "promotion": True}, {"label": "B", "promotion": True}]},
            "ideaStatuses[1].promotion",
        ),
        (
            {"initiatives": [{"key": "i", "name": "I", "documents": [{"key": "a", "type": "PRD"},
                                                                     {"key": "b", "type": "PRD"}]}]},
            "initiatives[0].documents[1].type",
        ),
        ({"taxonomy": {"groups": [{"key": "a"}, {"key": "a"}]}}, "taxonomy.groups[1].key"),
        ({"products": [{"key": "p", "name": "P", "features": [{"key": "a", "name": "A"}, {"key": "a", "name": "B"}]}]},
         "products[0].features[1].key"),
    ],
)  # fmt: skip
async def test_the_same_thing_twice_is_named(database: Database, lists: dict[str, Any], path: str) -> None:
    assert list(await refusal(database, small(**lists))) == [path]


async def test_the_same_record_twice_is_found_however_far_apart(database: Database) -> None:
    ideas = [{"key": f"i{number}", **IDEA} for number in range(1500)]
    faults = await refusal(database, small(ideas=[*ideas, {"key": "i3", **IDEA}]))
    assert faults == {"ideas[1500]": "Is the same as ideas[3]"}


async def test_features_do_not_stand_below_themselves(database: Database) -> None:
    features = [
        {"key": "a", "name": "A", "parent": "c"},
        {"key": "b", "name": "B", "parent": "a"},
        {"key": "c", "name": "C", "parent": "b"},
        {"key": "d", "name": "D", "parent": "a"},
    ]
    faults = await refusal(database, small(products=[{"key": "p", "name": "P", "features": features}]))
    assert "products[0].features[0].parent" in faults
    file = small(products=[{"key": "p", "name": "P", "features": [{"key": "a", "name": "A", "parent": "a"}]}])
    assert list(await refusal(database, file)) == ["products[0].features[0].parent"]


async def test_a_record_of_another_list_is_not_taken_over(database: Database) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    ids = (await apply(database, file)).ids["products.features"]
    stolen = {"id": str(ids["app/csv"]), "key": "mine", "name": "Mine"}
    faults = await refusal(database, small(slug, products=[{"key": "web", "features": [stolen]}]))
    assert list(faults) == ["products[0].features[0].id"]


async def test_a_portal_s_address_belongs_to_one_workspace(database: Database) -> None:
    alias = new_slug()
    await apply(database, small(portal={"alias": alias}))
    assert list(await refusal(database, small(portal={"alias": alias}))) == ["portal.alias"]


@pytest.mark.parametrize(
    ("classification", "path"),
    [
        ({"groupKey": "none", "optionValues": []}, "groupKey"),
        ({"groupKey": "theme", "optionValues": ["speed", "nothing"]}, "optionValues[1]"),
        ({"groupKey": "theme", "textValue": "x"}, "textValue"),
        ({"groupKey": "why", "optionValues": ["speed"]}, "optionValues"),
        ({"groupKey": "theme", "reviewState": "seen"}, "reviewState"),
    ],
)
async def test_classifications_fit_the_taxonomy(database: Database, classification: dict[str, Any], path: str) -> None:
    file = whole()
    file["ideas"][1]["classifications"] = [classification]
    assert list(await refusal(database, file)) == [f"ideas[1].classifications[0].{path}"]


@pytest.mark.parametrize("missing", [{}, {"workspace": None}, {"workspace": {}}, {"workspace": {"slug": "A b"}}])
async def test_a_file_describes_one_workspace(database: Database, missing: dict[str, Any]) -> None:
    faults = await refusal(database, missing)
    assert all(path.startswith("workspace") for path in faults)
    assert faults


async def test_faults_can_be_shown_as_a_problem(database: Database) -> None:
    with pytest.raises(FileRefused) as refused:
        await apply(database, small(teams=[{"key": "t"}]))
    assert "teams[0].name" in refused.value.detail
    assert msgspec.to_builtins(refused.value.faults) == [
        {"path": "teams[0].name", "message": "Is needed for a new record"}
    ]


async def test_settings_of_a_wrong_kind_are_faults(database: Database) -> None:
    file = small()
    bounds = {"modelRequestsPerDay": -1, "modelTokensPerDay": "500,000", "modelSecondsPerDay": True}
    file["workspace"]["settings"] = {"engine": "Embedded", **bounds, "modelRequestPerDay": 1, "theme": {"dark": [1]}}
    assert await refusal(database, file) == {
        "workspace.settings.engine": "Expected one of: embedded, model",
        "workspace.settings.modelRequestsPerDay": "Expected number >= 0.0",
        "workspace.settings.modelTokensPerDay": "Expected number or null, got string",
        "workspace.settings.modelSecondsPerDay": "Expected number or null, got boolean",
    }


async def test_settings_come_back_as_they_were_given(database: Database) -> None:
    file = small()
    bounds = {"modelRequestsPerDay": 0, "modelTokensPerDay": 1.5, "modelSecondsPerDay": None}
    file["workspace"]["settings"] = {"theme": {"dark": [1]}, **bounds, "engine": None}
    await apply(database, file)
    first = await export(database, file["workspace"]["slug"])
    assert msgspec.yaml.decode(first)["workspace"]["settings"] == file["workspace"]["settings"]
    await apply(database, first)
    assert await export(database, file["workspace"]["slug"]) == first


async def test_references_are_checked_although_the_workspace_itself_has_a_fault(database: Database) -> None:
    file = small(ideas=[{"key": "a", **IDEA, "product": "nobody"}])
    file["workspace"] |= {"name": " ", "plan": {"aiCredits": -1}}
    assert set(await refusal(database, file)) == {"workspace.name", "workspace.plan.aiCredits", "ideas[0].product"}


@pytest.mark.parametrize("wrong", ["a\\u0000b", "a\\ud800b"])
async def test_a_character_that_no_text_has_hides_no_other_fault(database: Database, wrong: str) -> None:
    idea = f'{{"name": "{wrong}", "status": "{wrong}", "description": 7, "colour": 1, "createdAt": "{wrong}"}}'
    signal = f'{{"context": "{wrong}", "data": {{"{wrong}": "{wrong}"}}, "createdAt": "yesterday"}}'
    slug = new_slug()
    file = f'{{"workspace": {{"slug": "{slug}", "name": "A"}}, "ideas": [{idea}], "signals": [{signal}]}}'
    found = await refusal(database, file.encode())
    fields = ["ideas[0]." + name for name in ("name", "status", "description", "colour", "createdAt")]
    fields += ["signals[0].context", "signals[0].createdAt"]
    assert set(fields) < set(found)
    assert len(found) == len(fields) + 1, "and one in `data`"


async def test_findings_and_reviews_of_research_are_bounded(database: Database) -> None:
    long = "x" * 128 * 1024
    id = str(uuid4())
    finding = {"id": id, "title": "A page", "retrievedAt": "2026-11-20", "observations": [{"text": long, "quote": "x"}]}
    section = {"id": id, "name": "Market", "findings": [finding, finding | {"id": str(uuid4()), "observations": []}]}
    run: Any = {"id": id, "sections": [section], "records": [{"id": id, "externalId": "1", "body": long}]}
    faults = await refusal(database, small(research=[{"key": "r", "name": "R", "runs": [run]}]))
    assert faults == {
        "research[0].runs[0].sections[0].findings[0]": "Takes more than 128 KiB",
        "research[0].runs[0].records[0]": "Takes more than 128 KiB",
    }
    large = {"text": long * 8}
    run = {
        "id": id,
        "sections": [{"id": id, "name": "Market", "answer": large}],
        "definition": large,
        "scores": [large],
    }
    faults = await refusal(database, small(research=[{"key": "r", "name": "R", "definition": large, "runs": [run]}]))
    assert {path: message for path, message in faults.items() if message != "Takes more than 1 MiB"} == {}
    assert len(faults) == 1, "the plan of the brief hides the others"
    faults = await refusal(database, small(research=[{"key": "r", "name": "R", "runs": [run]}]))
    assert set(faults) == {"research[0].runs[0].definition", "research[0].runs[0].scores"}
    faults = await refusal(database, small(research=[{"key": "r", "name": "R", "runs": [{"failure": long}]}]))
    assert faults == {"research[0].runs[0].failure": "At most 10000 characters"}


async def test_a_text_takes_at_most_8_mib(database: Database) -> None:
    longest, controls = "é" * 4 * 1024 * 1024, "\x01" * (8 * 1024 * 1024 // 6)  # in JSON \\u0001
    data = {"sourceKey": "s", "externalId": "1", "rawData": {"text": longest + "."}}
    texts = {"a": longest, "b": longest + ".", "c": controls, "d": controls + "\x01"}
    file = small(ideas=[{"key": key, "description": text} for key, text in texts.items()], signals=[data])
    assert await refusal(database, file) == {
        "ideas[1].description": "Takes more than 8 MiB",
        "ideas[3].description": "Takes more than 8 MiB",
        "signals[0].rawData.text": "Takes more than 8 MiB",
    }


async def test_a_matching_has_at_most_100_quotes(database: Database) -> None:
    one = {"featureId": str(uuid4()), "reasoning": "", "sourceQuote": "slow", "confidence": 0.5}
    matching: dict[str, Any] = {"status": "matched", "productId": str(uuid4()), "matchedAt": "2026-01-01T00:00:00Z"}
    matching |= {"matcher": {"name": "e", "version": "1"}, "suggestions": []}
    ideas = [
        {"key": f"i{count}", "description": "It is slow.", "featureMatching": {**matching, "matches": [one] * count}}
        for count in (100, 101)
    ]
    expected = {"ideas[1].featureMatching": "Has more than 100 quotes, or one that is not in the description"}
    assert await refusal(database, small(ideas=ideas)) == expected


async def test_a_comment_of_a_file_is_bounded(database: Database) -> None:
    longest = "x" * 100_000
    comments = [{"key": "a", "body": longest}, {"key": "b", "body": f"{longest}."}]
    faults = await refusal(database, small(ideas=[{"key": "i", "description": "x", "comments": comments}]))
    assert faults == {"ideas[0].comments[1].body": "At most 100000 characters"}


async def test_what_every_page_of_a_portal_shows_is_bounded(database: Database) -> None:
    portal = {"alias": "acme", "intro": "x" * 10_001, "facets": [f"group-{number}" for number in range(21)]}
    faults = await refusal(database, small(portal=portal))
    assert {path: message for path, message in faults.items() if "[" not in path} == {
        "portal.intro": "At most 10000 characters",
        "portal.facets": "At most 20 items",
    }


async def test_what_is_shown_with_many_others_is_short(database: Database) -> None:
    run = {"id": str(uuid4()), "additionSignals": [str(uuid4())] * 1001, "sections": [{"name": "S"}] * 6}
    document = {"type": "PRD", "writer": {"name": "x" * 256, "version": "1"}}
    faults = await refusal(
        database,
        small(
            signals=[{"key": "s", "name": "S", "sourceLabel": "x" * 10_001}],
            portal={"users": [{"key": "u", "email": "u@acme.test", "firstName": "x" * 256}]},
            ideas=[{"key": "i", "name": "I", "description": "x", "provenance": {"method": "x" * 10_000}}],
            initiatives=[{"key": "v", "name": "V", "documents": [document]}],
            research=[{"key": "r", "name": "R", "runs": [run]}],
        ),
    )
    assert faults.keys() == {
        "signals[0].sourceLabel",
        "portal.users[0].firstName",
        "ideas[0].provenance",
        "initiatives[0].documents[0].writer.name",
        "research[0].runs[0].additionSignals",
        "research[0].runs[0].sections",
    }


async def test_a_workspace_has_at_most_a_thousand_labels(database: Database) -> None:
    slug = new_slug()
    await apply(database, small(slug, ideaStatuses=[{"label": f"L{n}"} for n in range(1_000)]))
    faults = await refusal(database, small(slug, ideaStatuses=[{"label": "One more"}]))
    assert faults == {"ideaStatuses": "At most 1000 labels, with those that the workspace has"}


async def test_a_run_gets_no_more_sections_than_a_plan_has_by_several_files(database: Database) -> None:
    def file(first: int) -> dict[str, Any]:
        sections = [{"id": str(UUID(int=n)), "name": f"S {n}"} for n in range(first, first + 4)]
        runs = [{"id": str(UUID(int=99)), "sections": sections}]
        return small(slug, research=[{"id": str(UUID(int=98)), "name": "R", "runs": runs}])

    slug = new_slug()
    await apply(database, file(1))
    await apply(database, file(2))
    assert await refusal(database, file(3)) == {
        "research[0].runs[0].sections[3]": "The run then has more than 5 sections"
    }
