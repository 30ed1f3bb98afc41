"""Which operation answers at which address."""

import httpx2
import pytest

from sightline.app import API

FOUND, NOTHING, OTHER_METHODS = (401, "INVALID_API_KEY"), (404, "NOT_FOUND"), (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/ideas", FOUND),
        ("HEAD", "/ideas", FOUND),
        ("GET", "/ideas/IDEA-1", FOUND),
        ("GET", "/ideas/IDEA-1/comments", FOUND),
        ("GET", "/ideas/", NOTHING),
        ("GET", "/ideas//comments", NOTHING),
        ("GET", "/ideas/IDEA-1/comments/", NOTHING),
        ("GET", "/ideas/IDEA-1/nothing", NOTHING),
        ("GET", "/ideas/IDEA-1%2Fcomments", FOUND),
        ("GET", "", NOTHING),
        ("GET", "/", NOTHING),
        ("GET", "/openapi.json", (200, "")),
        ("PUT", "/ideas", OTHER_METHODS),
        ("GET", "/initiatives/INITIATIVE-1/documents/regenerate", OTHER_METHODS),
        ("GET", "/initiatives/INITIATIVE-1/documents/regenerations/1", FOUND),
        ("GET", "/initiatives/INITIATIVE-1/documents/regenerations", FOUND),
    ],
)
async def test_an_address_has_one_meaning(
    browser: httpx2.AsyncClient, method: str, path: str, expected: tuple[int, str]
) -> None:
    answer = await browser.request(method, f"{API}{path}")
    code = answer.json().get("code", "") if answer.content else expected[1]
    assert (answer.status_code, code) == expected


async def test_the_allowed_methods_are_named(browser: httpx2.AsyncClient) -> None:
    answer = await browser.put(f"{API}/ideas")
    assert answer.headers["Allow"] == "GET, HEAD, POST"
