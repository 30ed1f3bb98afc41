"""Our own OpenAPI document against the real server: its responses are as documented for generated inputs."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_origin

import msgspec
import pytest
import pytest_asyncio
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.parameters import ParameterLocation

from sightline.app import API, openapi_document
from sightline.platform.db import Database
from sightline.platform.http.operations import Operation
from sightline.platform.http.query_strings import type_of_parameter
from tests.generated.made import OPERATIONS, Made, each
from tests.world import World, serving

pytestmark = pytest.mark.slow

load_all_checks()
IDEAS = 6
DOCUMENT = json.loads(openapi_document())
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
REJECTION = SCHEMA.config.checks.negative_data_rejection
REJECTION.expected_statuses = [*REJECTION.expected_statuses, "413"]  # a string past its bound may be past the body's
POSITIVE: list[Any] = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
)
NEGATIVE = [*POSITIVE, *CHECKS.get_by_names(["negative_data_rejection"])]


@dataclass
class Live:
    """A server that answers from a thread of its own, since these tests wait for it without an event loop."""

    address: str
    made: Made
    key: str


@contextmanager
def serving_from_a_thread(database_url: str) -> Iterator[str]:
    started, stop = threading.Event(), asyncio.Event()
    server: dict[str, Any] = {}

    async def serve() -> None:
        server["loop"] = asyncio.get_running_loop()
        async with serving(database_url) as server["address"]:
            started.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=[serve()])
    thread.start()
    assert started.wait(20)
    try:
        yield server["address"]
    finally:
        server["loop"].call_soon_threadsafe(stop.set)
        thread.join()


@pytest_asyncio.fixture(scope="module")
async def live(database: Database, database_url: str) -> AsyncIterator[Live]:
    with serving_from_a_thread(database_url) as address:
        async with World(database, address) as world:
            made = Made(world)
            await made.furnish(ideas=IDEAS)
            yield Live(address, made, await world.key("all"))


def lead_somewhere(live: Live, operation: Operation, case: Case[Any], dice: st.DataObject) -> None:
    """In one of two cases to records that are there, with a body that makes sense.

    Only the last ideas are deleted: the first is where all others lead.
    """
    if dice.draw(st.booleans()):
        return
    names, path = operation.path.split("/"), live.made.path(operation).split("/")
    case.path_parameters = {name[1:-1]: value for name, value in zip(names, path, strict=True) if name[:1] == "{"}
    if operation.name == "delete_idea":
        case.path_parameters = {"ref": f"IDEA-{dice.draw(st.integers(2, IDEAS + 1))}"}
    if operation.body_type and dice.draw(st.booleans()):
        case.body = operation.example


def fuzz(live: Live, operation: Operation, mode: GenerationMode, examples: int) -> None:
    described = SCHEMA[f"{API}{operation.path}"][operation.method]
    checks = POSITIVE if mode == GenerationMode.POSITIVE else NEGATIVE

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=described.as_strategy(generation_mode=mode), dice=st.data())
    def ask(case: Case[Any], dice: st.DataObject) -> None:
        if mode == GenerationMode.POSITIVE:
            lead_somewhere(live, operation, case, dice)
        if not is_negated(case, ParameterLocation.HEADER):  # where headers shall be wrong, the key is one of them
            case.headers["Authorization"] = f"Bearer {live.key}"
        sound = POSITIVE if holds_empty_items(operation, case) else checks
        case.call_and_validate(base_url=live.address, checks=sound)

    ask()


def holds_empty_items(operation: Operation, case: Case[Any]) -> bool:
    """Empty items of a comma list are skipped, which a schema cannot say: all but the refusal is looked at then."""
    fields = msgspec.structs.fields(operation.query_type) if operation.query_type else ()
    lists = [field.encode_name for field in fields if get_origin(type_of_parameter(field.type)) is tuple]
    given = [case.query[name] for name in lists if name in (case.query or {})]
    return any("" in (value.split(",") if isinstance(value, str) else value) for value in given if value is not None)


def is_negated(case: Case[Any], location: ParameterLocation) -> bool:
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and component.mode == GenerationMode.NEGATIVE


@each(OPERATIONS)
def test_valid_requests_get_documented_responses(live: Live, operation: Operation) -> None:
    fuzz(live, operation, GenerationMode.POSITIVE, 20)


@each([operation for operation in OPERATIONS if operation.body_type or operation.path_types or operation.paging])
def test_invalid_requests_get_documented_refusals(live: Live, operation: Operation) -> None:
    fuzz(live, operation, GenerationMode.NEGATIVE, 20)


@pytest.mark.fuzz
@each(OPERATIONS)
def test_a_long_search_finds_only_documented_responses(live: Live, operation: Operation) -> None:
    fuzz(live, operation, GenerationMode.POSITIVE, 1000)
    if operation.body_type or operation.path_types or operation.paging:
        fuzz(live, operation, GenerationMode.NEGATIVE, 1000)
