"""What a body may be. Decisions: Everywhere, Bodies."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tests.world import World

MALFORMED = {
    "empty": b"",
    "blank": b" \n ",
    "cut off": b'{"name": "a',
    "two values": b'{"name": "a"} {}',
    "a comma too many": b'{"name": "a",}',
    "single quotes": b"{'name': 'a'}",
    "not JSON": b"name=a",
    "NaN": b'{"name": "a", "weight": NaN}',
    "Infinity": b'{"name": "a", "weight": Infinity}',
    "a leading zero": b'{"name": "a", "size": 01}',
    "broken UTF-8": b'{"name": "\xff"}',
    "broken UTF-8 in an unknown field": b'{"name": "a", "other": "\xc3("}',
    "a line break in a string": b'{"name": "a\nb"}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "two high surrogates": b'{"name": "\\ud800\\ud800"}',
}

NESTED = {
    "nested 10,000 times": b'{"name": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "nested 10,000 times and unknown": b'{"name": "a", "x": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "nested and never closed": b'{"name": "a", "parts": ' + b"[" * 50_000,
}

NOT_VALID: dict[str, tuple[bytes, list[str]]] = {
    "null": (b"null", [""]),
    "an array": (b"[]", [""]),
    "a string": (b'"name"', [""]),
    "nothing of what is needed": (b"{}", ["name"]),
    "null for what is needed": (b'{"name": null}', ["name"]),
    "a number for a string": (b'{"name": 5}', ["name"]),
    "a string for a number": (b'{"name": "a", "size": "5"}', ["size"]),
    "a boolean for a number": (b'{"name": "a", "size": true}', ["size"]),
    "a fraction for a whole number": (b'{"name": "a", "size": 1.5}', ["size"]),
    "below the least": (b'{"name": "a", "size": -1}', ["size"]),
    "above the most": (b'{"name": "a", "size": 101}', ["size"]),
    "a number of 300 digits": (b'{"name": "a", "size": ' + b"9" * 300 + b"}", ["size"]),
    "blank after trimming": (b'{"name": " \\t "}', ["name"]),
    "too long": (b'{"name": "' + b"a" * 21 + b'"}', ["name"]),
    "NUL": (b'{"name": "a\\u0000b"}', ["name"]),
    "NUL in a text": (b'{"name": "a", "note": "\\u0000"}', ["note"]),
    "NUL in a name": (b'{"name": "a", "n\\u0000": 1}', ["n\0"]),
    "an unknown field": (b'{"name": "a", "nmae": "b"}', ["nmae"]),
    "a field in another case": (b'{"Name": "a"}', ["Name", "name"]),
    "a field as the program calls it": (b'{"name": "a", "parent_id": null}', ["parent_id"]),
    "no UUID": (b'{"name": "a", "parentId": "x"}', ["parentId"]),
    "a UUID without hyphens": (b'{"name": "a", "parentId": "6f1c0f7e8a0c4c539a351f7f4f2d7c11"}', ["parentId"]),
    "no moment": (b'{"name": "a", "at": "tomorrow"}', ["at"]),
    "deep inside": (b'{"name": "a", "parts": [{"label": "x", "count": 1}, {"label": "y"}]}', ["parts[1].count"]),
    "too many items": (b'{"name": "a", "parts": [' + b",".join([b'{"label":"x","count":1}'] * 4) + b"]}", ["parts"]),
    "everything at once": (
        b'{"size": "x", "extra": 1, "parts": [{"label": "", "count": 0, "odd": 1}, 7], "at": 5, "parentId": "x"}',
        ["extra", "name", "size", "at", "parentId", "parts[0].odd", "parts[0].label", "parts[0].count", "parts[1]"],
    ),
}


async def send(lab: World, body: bytes, content_type: str | None = "application/json") -> httpx2.Response:
    headers = {"Content-Type": content_type} if content_type is not None else {}
    return await lab.client.post("/readings", content=body, headers=headers)


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
async def test_what_is_no_json_is_malformed(lab: World, body: bytes) -> None:
    answer = await send(lab, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED_JSON")


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED.keys())
async def test_no_depth_of_nesting_is_too_much_to_be_refused(lab: World, body: bytes) -> None:
    answer = await send(lab, body)
    assert answer.status_code == 400
    assert answer.json()["code"] in ("MALFORMED_JSON", "VALIDATION_FAILED")


@pytest.mark.parametrize(("body", "paths"), NOT_VALID.values(), ids=NOT_VALID.keys())
async def test_every_fault_is_listed_with_its_path(lab: World, body: bytes, paths: list[str]) -> None:
    answer = await send(lab, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    faults = answer.json()["errors"]
    assert sorted(fault["path"] for fault in faults) == sorted(paths)
    assert all(fault["message"] for fault in faults)


@pytest.mark.parametrize(
    "weight", ["1e400", "-1e400", "1e99999999999"], ids=["too large", "too small", "an endless exponent"]
)
async def test_a_number_that_no_machine_holds_is_refused(lab: World, weight: str) -> None:
    answer = await send(lab, b'{"name": "a", "weight": %s}' % weight.encode())
    assert answer.status_code == 400


ROCKETS = "\N{ROCKET}" * 20
ACCEPTED: dict[str, tuple[bytes, dict[str, Any]]] = {
    "the least": (b'{"name": "a"}', {"name": "a"}),
    "null means omitted": (b'{"name": "a", "size": null, "note": null}', {"size": None, "note": None}),
    "names are trimmed": (b'{"name": "  a b\\n"}', {"name": "a b"}),
    "other strings are kept": (b'{"name": "a", "note": " b\\n"}', {"note": " b\n"}),
    "as long as may be": (b'{"name": "' + b"a" * 20 + b'"}', {"name": "a" * 20}),
    "characters count, not bytes": (b'{"name": "%s"}' % ROCKETS.encode(), {"name": ROCKETS}),
    "a pair of surrogates": (b'{"name": "\\ud83d\\ude80"}', {"name": "\N{ROCKET}"}),
    "the bounds": (b'{"name": "a", "size": 100}', {"size": 100}),
    "the last of two": (b'{"name": "a", "name": "b"}', {"name": "b"}),
    "a byte order mark": (b'\xef\xbb\xbf{"name": "a"}', {"name": "a"}),
    "space around": (b' \n{"name": "a"}\n', {"name": "a"}),
    "a moment elsewhere": (b'{"name": "a", "at": "2026-01-01T01:00:00+02:00"}', {"at": "2025-12-31T23:00:00.000Z"}),
}


@pytest.mark.parametrize(("body", "shown"), ACCEPTED.values(), ids=ACCEPTED.keys())
async def test_what_is_accepted(lab: World, body: bytes, shown: dict[str, Any]) -> None:
    answer = await send(lab, body)
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in shown} == shown


@pytest.mark.parametrize("given", [None, "", "application/json", "APPLICATION/JSON", "application/json; charset=utf-8"])
async def test_json_may_be_declared_or_not(lab: World, given: str | None) -> None:
    assert (await send(lab, b'{"name": "a"}', given)).status_code == 201


@pytest.mark.parametrize(
    "given", ["text/plain", "application/x-www-form-urlencoded", "application/problem+json", "json"]
)
async def test_another_declared_type_is_refused(lab: World, given: str) -> None:
    answer = await send(lab, b'{"name": "a"}', given)
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("charset", ["utf-16", '"UTF-16LE"', "iso-8859-1", "utf-7"])
async def test_another_declared_encoding_is_refused(lab: World, charset: str) -> None:
    answer = await send(lab, b'{"name": "a"}', f"application/json; charset={charset}")
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
async def test_another_encoding_is_refused_though_it_is_not_declared(lab: World, encoding: str) -> None:
    answer = await send(lab, '{"name": "a"}'.encode(encoding))
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip", "GZIP"])
async def test_a_compressed_body_is_refused(lab: World, coding: str) -> None:
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    answer = await lab.client.post("/readings", content=b'{"name": "a"}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_a_body_may_be_declared_to_be_plain(lab: World) -> None:
    headers = {"Content-Encoding": "identity"}
    assert (await lab.client.post("/readings", json={"name": "a"}, headers=headers)).status_code == 201


async def test_without_a_body_to_read_body_and_type_do_not_matter(lab: World) -> None:
    answer = await lab.client.request("GET", "/things", content=b"\xff", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 200


def sized(length: int) -> bytes:
    return b'{"name": "a", "note": "' + b"x" * (length - 25) + b'"}'


async def test_a_body_may_be_as_large_as_the_bound(lab: World) -> None:
    assert (await send(lab, sized(100_000))).status_code == 201


async def test_a_larger_body_is_refused(lab: World) -> None:
    answer = await send(lab, sized(100_001))
    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "BODY_TOO_LARGE", 100_000)


async def test_a_larger_body_in_chunks_is_refused(lab: World) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, 100_001, 8192):
            yield sized(100_001)[at : at + 8192]

    answer = await lab.client.post("/readings", content=chunks())
    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")


async def test_a_body_in_chunks_is_read_whole(lab: World) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, 50_000, 7):
            yield sized(50_000)[at : at + 7]

    answer = await lab.client.post("/readings", content=chunks())
    assert (answer.status_code, len(answer.json()["note"])) == (201, 50_000 - 25)
