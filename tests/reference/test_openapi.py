"""The OpenAPI document: valid, complete, and true."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from inspect import signature
from typing import Any, get_origin

import jsonschema_rs
import pytest

from sightline import app
from sightline.platform.errors import Refusal
from sightline.platform.http.operations import Operation
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page
from sightline.reference.openapi import openapi_document, text_of
from sightline.reference.problems import refusals_of
from tests.house.sources import sources
from tests.platform.http.laboratory import TABLE, THINGS
from tests.world import World

Json = dict[str, Any]


@cache
def product() -> Json:
    """The document of Sightline."""
    document: Json = json.loads(app.openapi_document())
    return document


@cache
def laboratory() -> Json:
    return openapi_document(TABLE, app.API)


def entry(operation: Operation, document: Json | None = None) -> Json:
    found: Json = (document or product())["paths"][f"{app.API}{operation.path}"][operation.method.lower()]
    return found


def resolved(value: Json, document: Json | None = None) -> Json:
    while "$ref" in value:
        found: Any = document or product()
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value


def is_valid(value: Any, schema: Json, document: Json | None = None) -> bool:
    checked = {**schema, "components": (document or product())["components"]}
    validator = jsonschema_rs.Draft202012Validator(checked, validate_formats=True)
    return validator.is_valid(value)


def refusals() -> set[type[Refusal]]:
    """Every kind there is."""

    def below(kind: type[Refusal]) -> Iterator[type[Refusal]]:
        yield kind
        for each in kind.__subclasses__():
            yield from below(each)

    return set(below(Refusal))


OPERATIONS = app.operations()


@pytest.mark.parametrize("document", [product, laboratory])
def test_the_document_is_valid(document: Callable[[], Json]) -> None:
    import schemathesis  # which takes longer than most files of tests

    schemathesis.openapi.from_dict(document()).validate()


def test_the_document_is_the_same_each_time() -> None:
    assert app.openapi_document() == app.openapi_document()
    assert app.openapi_document().endswith("}\n")
    assert text_of(product()) == app.openapi_document()


def test_every_reference_leads_somewhere() -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
            value = list(value.values())
        if isinstance(value, list):
            for each in value:
                yield from references(each)

    for reference in set(references(product())):
        assert resolved({"$ref": reference})


@pytest.mark.parametrize("document", [product, laboratory])
def test_every_component_is_used(document: Callable[[], Json]) -> None:
    text = json.dumps(document())
    components = {kind: group for kind, group in document()["components"].items() if kind != "securitySchemes"}
    names = [f"{kind}/{name}" for kind, group in components.items() for name in group]
    assert [name for name in names if f'"#/components/{name}"' not in text] == []


VAGUE = re.compile(r"^(Kind|Source|Data|Item)$")


def test_schemas_have_plain_names_of_their_own() -> None:
    names = sorted(product()["components"]["schemas"])
    assert [name for name in names if not re.fullmatch(r"([A-Z][a-z]+)+", name)] == []
    assert [name for name in names if VAGUE.search(name)] == []
    titles = [schema.get("title", name) for name, schema in product()["components"]["schemas"].items()]
    assert sorted(titles) == names


def test_choices_say_their_type() -> None:
    def enums(value: Any) -> Iterator[Json]:
        if isinstance(value, dict):
            if isinstance(value.get("enum"), list):
                yield value
            value = [each for name, each in value.items() if name not in ("example", "examples", "properties")] + [
                *value.get("properties", {}).values()
            ]
        if isinstance(value, list):
            for each in value:
                yield from enums(each)

    for schema in enums(product()["components"]["schemas"]):
        assert schema.get("type") == "string", schema


def test_operations_have_different_names() -> None:
    names = [operation.name for operation in OPERATIONS]
    assert len(names) == len(set(names))


def test_every_operation_says_what_it_does_and_who_may() -> None:
    for operation in OPERATIONS:
        told = entry(operation)
        assert told["summary"], f"{operation.name} needs a docstring"
        assert "`" not in told["summary"], operation.name
        for alternative in told["security"]:
            assert set(alternative["apiKey"]) <= {scope.value for scope in Scope}
            assert set(operation.scopes) <= set(alternative["apiKey"]), operation.name
        assert set(told["x-required-scopes"]) == {*operation.scopes, *operation.any_of}, operation.name
        assert ("403" in told["responses"]) >= bool(told["x-required-scopes"]), operation.name


def alternatives(schema: Json) -> list[Json]:
    return [resolved(one) for one in schema.get("anyOf", [schema])]


def members_of(schema: Json) -> Json:
    """The properties of a problem; one with members of its own is all of the common one and a part of its own."""
    parts = [resolved(part) for part in schema.get("allOf", [schema])]
    return {name: shown for part in parts for name, shown in part["properties"].items()}


def code_of(schema: Json) -> str | None:
    """The code that the schema is for; None for the schema of all codes."""
    codes: list[str | None] = members_of(schema)["code"].get("enum", [None])
    return codes[0]


def test_no_name_is_longer_than_60_characters() -> None:
    names = [name for group in product()["components"].values() for name in group]
    assert [name for name in names if len(name) > 60] == []


def test_what_a_refusal_is_raised_with_is_declared() -> None:
    """Reads the calls in the source: a member that is not declared is in no schema."""
    kinds = {kind.__name__: kind for kind in refusals()}
    for source in sources("src"):
        for call in (node for node in source.nodes if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name in kinds and not name.startswith("_"):
                # `more` is for the commands, which print it.
                known = {*kinds[name].members, "field", "more", *signature(kinds[name].__init__).parameters}
                extras = {keyword.arg for keyword in call.keywords if keyword.arg}
                assert extras <= known, f"{source}:{call.lineno}: declare {extras - known} in {name}.members"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_refusal_is_told_with_its_codes(operation: Operation) -> None:
    told = entry(operation)["responses"]
    for kind in refusals_of(operation):
        answer = resolved(told[str(kind.status)])["content"]["application/problem+json"]
        example = resolved(answer["examples"][kind.code])["value"]
        own = kind.code if kind.members else None
        [schema] = [one for one in alternatives(answer["schema"]) if code_of(one) == own]
        assert is_valid(example, schema)
        assert kind.members.keys() <= members_of(schema).keys()
        assert (example["status"], example["code"]) == (kind.status, kind.code)
    assert {"400", "401", "429", "500", "503", str(operation.status)} <= set(told)


def test_every_answer_has_a_type_and_its_headers() -> None:
    for operation in OPERATIONS:
        answer = entry(operation)["responses"][str(operation.status)]
        assert {"type", "anyOf"} & set(resolved(answer["content"]["application/json"]["schema"])), operation.name
        assert "X-Request-Id" in answer["headers"], operation.name
        assert ("ETag" in answer["headers"]) is operation.is_versioned, operation.name
        assert ("X-Total-Count" in answer["headers"]) is (get_origin(operation.answer_type) is Page), operation.name


def test_every_body_has_a_true_example_and_is_closed() -> None:
    for operation in OPERATIONS:
        assert ("requestBody" in entry(operation)) is (operation.body_type is not None), operation.name
        if operation.body_type is not None:
            content = entry(operation)["requestBody"]["content"]["application/json"]
            assert is_valid(content["example"], content["schema"]), operation.name
            assert resolved(content["schema"])["additionalProperties"] is False, operation.name
            assert not is_valid({**content["example"], "unknownField": 1}, content["schema"]), operation.name


def test_every_code_is_one_of_the_family_and_listed_once() -> None:
    listed = product()["components"]["schemas"]["ProblemCode"]["x-extensible-enum"]
    assert listed == sorted(set(listed))
    assert set(listed) <= {kind.code for kind in refusals()}
    of_connections = {
        "BAD_REQUEST",
        "METHOD_NOT_ALLOWED",
        "PREFLIGHT_REFUSED",
        "REQUEST_TIMEOUT",
    }
    assert set(listed) - set(product()["components"]["examples"]) == of_connections
    used = {kind.code for operation in OPERATIONS for kind in refusals_of(operation)}
    assert set(listed) - used <= {*of_connections, "NOT_FOUND"}


def test_a_code_has_one_status() -> None:
    seen: dict[str, int] = {}
    for kind in refusals():
        assert seen.setdefault(kind.code, kind.status) == kind.status, f"{kind.code} has two statuses"


def test_what_may_be_absent_is_not_required() -> None:
    idea = product()["components"]["schemas"]["Idea"]
    assert not {"classifications", "classificationSummary"} & set(idea["required"])
    assert "productId" in idea["required"]
    assert {"type": "null"} in idea["properties"]["productId"]["anyOf"]
    assert idea["properties"]["createdAt"]["format"] == "date-time"


def parameters(name: str) -> dict[str, Json]:
    (operation,) = (each for each in TABLE if each.name == name)
    found = [resolved(each, laboratory()) for each in entry(operation, laboratory()).get("parameters", [])]
    return {each["name"]: each for each in found}


def test_parameters_are_told_with_their_bounds() -> None:
    assert parameters("list_strictly")["limit"]["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "default": 20,
    }
    found = parameters("list_things")
    assert found["limit"]["schema"]["maximum"] == 10**10 - 1
    assert found["offset"]["schema"]["maximum"] == 2**31 - 1
    assert found["since"]["schema"]["format"] == "date-time"
    assert found["parentId"]["schema"]["format"] == "uuid"


def test_every_parameter_is_described() -> None:
    for operation in OPERATIONS:
        found = [resolved(parameter) for parameter in entry(operation).get("parameters", [])]
        assert [parameter["name"] for parameter in found if not parameter.get("description")] == [], operation.name


def test_headers_that_are_honoured_are_told() -> None:
    assert set(parameters("get_thing")) == {"ref", "since", "parentId", "q", "parents", "If-None-Match"}
    assert set(parameters("change_thing")) == {"ref", "If-Match"}
    assert set(parameters("make_thing")) == {"Idempotency-Key"}
    assert set(parameters("read_body")) == {"Idempotency-Key"}


def test_the_reference_pattern_is_what_the_parser_reads() -> None:
    schema = parameters("get_thing")["ref"]["schema"]
    for text in ("IDEA-7", "idea-7", "iDeA-7", "6F1C0F7E-8a0c-4c53-9a35-1f7f4f2d7c11"):
        assert is_valid(text, schema)
    for text in ("IDEA-0", "IDEA-", "IDEAS-1", "IDEA-7 ", "6f1c0f7e8a0c4c539a351f7f4f2d7c11", "7"):
        assert not is_valid(text, schema)


async def test_answers_are_what_the_document_says(lab: World) -> None:
    answers = {
        "list_things": await lab.client.get("/things"),
        "get_thing": await lab.client.get("/things/IDEA-1"),
        "make_thing": await lab.client.post("/things", json={"name": "a"}),
        "change_thing": await lab.client.patch("/things/IDEA-1", json={"name": "a"}),
    }
    assert len(answers["list_things"].json()) == min(20, THINGS)
    for operation in TABLE:
        if operation.name not in answers:
            continue
        answer, told = answers[operation.name], entry(operation, laboratory())["responses"]
        content = told[str(answer.status_code)]["content"]["application/json"]
        assert is_valid(answer.json(), content["schema"], laboratory())
        for name in told[str(answer.status_code)]["headers"]:
            assert name in answer.headers or name == "Idempotent-Replayed"


def test_every_tag_has_a_description_of_its_own() -> None:
    described = [tag["description"] for tag in product()["tags"]]
    assert all(described)
    assert len(set(described)) == len(described)


def test_each_choice_is_listed_once() -> None:
    listed: list[frozenset[str]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("enum"), list) and len(value["enum"]) > 1:
                listed.append(frozenset(value["enum"]))
            value = list(value.values())
        if isinstance(value, list):
            for each in value:
                walk(each)

    walk([product()["components"]["schemas"], product()["paths"]])
    assert [sorted(one) for one in listed if listed.count(one) > 1] == []


def test_the_views_of_research_are_told_apart_by_a_constant() -> None:
    content = product()["paths"][f"{app.API}/research/{{brief_id}}"]["get"]["responses"]["200"]["content"]
    schema = content["application/json"]["schema"]
    views = [resolved(one)["properties"][schema["discriminator"]["propertyName"]]["enum"] for one in schema["anyOf"]]
    assert sorted(views) == [["brief"], ["findings"], ["progress"], ["records"], ["run"], ["runs"]]


def test_objects_with_free_keys_say_so() -> None:
    shown = product()["components"]["schemas"]["Signal"]["properties"]
    assert shown["rawData"]["additionalProperties"] is True
    assert shown["data"]["additionalProperties"] is True
