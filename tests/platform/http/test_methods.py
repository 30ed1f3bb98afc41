"""Any method on a known address is a problem that names the allowed ones; written to the socket."""

import json

import pytest

from tests.platform.http.test_connections import Line, address, line

__all__ = ["address", "line"]

OTHERS = ["PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "DESCRIBE", "FOO", "get", "PUTT", "F-O", "~!"]
API = "/api/external/v1"


async def asked(line: Line, method: str, path: str, more: str = "") -> tuple[int, dict[str, str], dict[str, object]]:
    line.send(f"{method} {path} HTTP/1.1\r\nHost: here\r\n{more}\r\n".encode())
    head, _, body = (await line.answer()).partition(b"\r\n\r\n")
    status, *pairs = head.decode().split("\r\n")
    headers = dict(pair.lower().split(": ", 1) for pair in pairs)
    return int(status.split()[1]), headers, json.loads(body) if body else {}


@pytest.mark.parametrize("method", OTHERS)
async def test_a_known_address_names_the_methods_it_allows(line: Line, method: str) -> None:
    status, headers, problem = await asked(line, method, f"{API}/things")
    assert (status, problem["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert headers["content-type"] == "application/problem+json"
    assert headers["allow"] == "get, head, post"


@pytest.mark.parametrize("method", OTHERS)
async def test_an_unknown_address_is_not_found(line: Line, method: str) -> None:
    status, _, problem = await asked(line, method, f"{API}/nothing")
    assert (status, problem["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["/healthz", "/docs"])
async def test_pages_name_theirs(line: Line, path: str) -> None:
    status, headers, problem = await asked(line, "FOO", path)
    assert (status, problem["code"], headers["allow"]) == (405, "METHOD_NOT_ALLOWED", "get, head")


async def test_the_connection_goes_on(line: Line) -> None:
    for method, status in (("FOO", 405), ("GET", 401), ("BAR", 405), ("POST", 401), ("FOO", 405)):
        more = "Content-Length: 0\r\n" if method == "POST" else ""
        assert (await asked(line, method, f"{API}/things", more))[0] == status


async def test_a_body_of_an_unknown_method_is_read(line: Line) -> None:
    line.send(f"FOO {API}/things HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert (await line.answer()).startswith(b"HTTP/1.1 405 ")
    assert (await asked(line, "GET", "/healthz"))[0] == 200


@pytest.mark.parametrize(
    "head",
    [
        b"FOO\r\n\r\n",
        b"F(O /things HTTP/1.1\r\n\r\n",
        b"FOO /things HTTP/9.9\r\n\r\n",
        b"FOO /things HTTP/1.1\r\nHost here\r\n\r\n",
        b"CONNECT here:443 HTTP/1.1\r\nHost: here\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_refused(line: Line, head: bytes) -> None:
    line.send(head)
    assert await line.refusal() == (400, "BAD_REQUEST")


async def test_no_request_before_an_unknown_method_runs_twice(line: Line) -> None:
    line.send(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\nFOO /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    assert (await line.rest()).count(b"HTTP/1.1 200") <= 1
