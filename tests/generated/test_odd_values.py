"""Values of another kind than expected, at every place of every body, in parameters and headers: nothing fails."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from sightline.platform.http.operations import Operation
from tests.generated.made import OPERATIONS, WITH_BODY, Made, each
from tests.generated.shapes import full_samples

pytestmark = pytest.mark.slow

ODD_VALUES: dict[str, Any] = {
    "an object": {},
    "a list": [],
    "null": None,
    "true": True,
    "a number": 7,
    "a fraction": -0.5,
    "a number beyond integers": 10**400,
    "an empty text": "",
    "a text with NUL": "a\0b",
    "a long text": "x" * 70_000,
    "an object in an object": {"action": {}, "key": []},
    "a list of objects": [{}, {}],
    "mixed items": [None, 7, "x", [], {}],
    "deep lists": msgspec.json.decode(b"[" * 90 + b"]" * 90),
    "deep objects": msgspec.json.decode(b'{"action":' * 60 + b"1" + b"}" * 60),
}
ODD_TEXTS = ["", "%00", "%ff", "{}", "[]", "null", "-1", "1e9", "%F0%9F%8E%89", "x" * 5000, "%2F..%2F", "a=b&a=c", "%"]
ODD_HEADERS = ["", "\xff\xfe", "{}", '"', "*", "bytes=0-", ",,,", "x" * 5000, "W/", "1" * 400, "%00", ";=;"]
HEADERS = (
    "Authorization",
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Content-Type",
    "Cookie",
    "Host",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Origin",
    "Range",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Request-Id",
)


def with_odd_values(value: Any) -> Iterator[tuple[str, Any]]:
    """The value once for each of its places and each odd value there, with a name of both."""
    yield from ODD_VALUES.items()
    if isinstance(value, dict):
        for key in value:
            yield from ((f"{key}: {name}", {**value, key: odd}) for name, odd in with_odd_values(value[key]))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from ((f"{n}: {name}", [*value[:n], odd, *value[n + 1 :]]) for name, odd in with_odd_values(item))


@each(WITH_BODY)
async def test_no_value_at_any_place_of_a_body_fails(made: Made, operation: Operation) -> None:
    assert operation.body_type is not None
    for body in full_samples(operation.body_type):
        for name, odd in with_odd_values(body):
            answer = await made.world.client.request(operation.method, made.path(operation), json=odd)
            assert answer.status_code < 500, name


@each([operation for operation in OPERATIONS if operation.query_type or operation.paging])
async def test_no_text_in_any_parameter_fails(made: Made, operation: Operation) -> None:
    fields = msgspec.structs.fields(operation.query_type) if operation.query_type else ()
    for name in (*(field.encode_name for field in fields), "limit", "offset", "%ff"):
        for text in ODD_TEXTS:
            answer = await made.world.client.request(operation.method, f"{made.path(operation)}?{name}={text}")
            assert answer.status_code < 500, f"{name}={text}"


@each(OPERATIONS)
async def test_no_text_in_any_reference_fails(made: Made, operation: Operation) -> None:
    for text in (*ODD_TEXTS, "IDEA-" + "9" * 30, "idea-0"):
        path = operation.path
        for name in operation.path_types:
            path = path.replace(f"{{{name}}}", text)
        answer = await made.world.client.request(operation.method, path, json=operation.example)
        assert answer.status_code < 500 or not operation.path_types, text


@each([operation for operation in OPERATIONS if operation.name in ("list_ideas", "get_idea", "create_idea")])
async def test_no_text_in_any_header_fails(made: Made, operation: Operation) -> None:
    for name in HEADERS:
        for text in ODD_HEADERS:
            headers = {name.encode(): text.encode("latin-1")}
            answer = await made.world.client.request(
                operation.method, made.path(operation), json=operation.example, headers=headers
            )
            assert answer.status_code < 500, f"{name}: {text}"
