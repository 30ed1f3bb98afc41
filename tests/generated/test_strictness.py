"""The document is as strict as the service: what a schema allows is well formed, and what it forbids is refused."""

import json
import re
from typing import Any

import hypothesis
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis import GenerationMode

from sightline.app import API, openapi_document
from sightline.platform.http.operations import Operation
from tests.generated.made import OPERATIONS, WITH_BODY, Made, each

pytestmark = pytest.mark.slow

SOME, MANY = 20, 1000  # requests of each operation
DOCUMENT: dict[str, Any] = json.loads(openapi_document())
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
WITH_INPUT = [operation for operation in OPERATIONS if operation.body_type or operation.query_type]
# What JSON Schema cannot say of a request: the rest of what is wrong with one is in its schema.
BEYOND_SCHEMAS = {
    "which records there are": r"Not in this workspace|The workspace has no such|Not features of the idea's product|"
    r"No section of this plan|Not among the choices of this plan|Not an exact part of the signal's text",
    "what the taxonomy has": r"The active taxonomy has no such group|The group \S+ (takes|has) |A \w+ group takes",
    "an order of two values": r"Is before startDate|cannot be merged into itself",
    "that two objects name the same": r"The same (group|app|team) twice|Another section has this id",
    "a sum": r"At most 1000000 characters in all|A plan reads at most 4 apps",
    "that a new record needs what a known one has": r"Send text, a transcript, data or rawData",
    "which names of time zones there are": r"Expected the name of a time zone",
    "which characters beyond ASCII are letters": r"Expected a host name",
    "what a text means that the service wrote": r"Expected the value of a `Link` header|Expected the nextCursor",
    "what is below the keys of a free object": r"(A name must|Must) not hold the character NUL",
    "that 9.0 is no integer": r"Expected integer( or null)?, got number",
    "which parameters go together": r"Required for view=|send it without updatedSince",
}
KNOWN = re.compile("|".join(BEYOND_SCHEMAS.values()))
CODES = {"UNKNOWN_STATUS", "ALREADY_LINKED", "PRODUCT_CONFLICT"}


def requests_of(made: Made, operation: Operation, mode: GenerationMode, examples: int) -> list[dict[str, Any]]:
    """Requests to a record that is there, made up from the document; the same ones in each run."""
    told = SCHEMA[f"{API}{operation.path}"][operation.method]
    found: list[dict[str, Any]] = []

    @hypothesis.seed(1)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=told.as_strategy(mode, path_parameters=dict.fromkeys(operation.path_types, "x")))
    def collect(case: Any) -> None:
        parts = case.as_transport_kwargs(base_url="http://127.0.0.1")
        sent = {name: parts[name] for name in ("params", "json") if parts.get(name) is not None}
        found.append({"method": operation.method, "url": made.path(operation), **sent})

    collect()
    return found


def is_explained(problem: dict[str, Any]) -> bool:
    messages = [fault["message"] for fault in problem.get("errors", [])]
    return problem["code"] in CODES or (bool(messages) and all(map(KNOWN.search, messages)))


async def look_for_refusals(made: Made, operation: Operation, examples: int) -> None:
    for request in requests_of(made, operation, GenerationMode.POSITIVE, examples):
        answer = await made.world.client.request(**request)
        if answer.status_code in (400, 413, 415, 422):
            assert is_explained(answer.json()), f"{answer.text}\nwas the answer to {request}"


async def look_for_acceptance(made: Made, operation: Operation, examples: int) -> None:
    body = DOCUMENT["paths"][f"{API}{operation.path}"][operation.method.lower()]["requestBody"]
    schema = {**body["content"]["application/json"]["schema"], "components": DOCUMENT["components"]}
    validator = jsonschema_rs.Draft202012Validator(schema)
    for request in requests_of(made, operation, GenerationMode.NEGATIVE, examples):
        if "json" in request and not validator.is_valid(request["json"]):
            answer = await made.world.client.request(operation.method, request["url"], json=request["json"])
            assert answer.status_code == 400, f"{answer.status_code} was the answer to {request}"


@each(WITH_INPUT)
async def test_what_a_schema_allows_is_not_malformed(made: Made, operation: Operation) -> None:
    await look_for_refusals(made, operation, SOME)


@each(WITH_BODY)
async def test_what_a_schema_forbids_is_refused(made: Made, operation: Operation) -> None:
    await look_for_acceptance(made, operation, SOME)


@pytest.mark.fuzz
@each(WITH_INPUT)
async def test_many_allowed_requests_are_not_malformed(made: Made, operation: Operation) -> None:
    await look_for_refusals(made, operation, MANY)


@pytest.mark.fuzz
@each(WITH_BODY)
async def test_many_forbidden_bodies_are_refused(made: Made, operation: Operation) -> None:
    await look_for_acceptance(made, operation, MANY)
