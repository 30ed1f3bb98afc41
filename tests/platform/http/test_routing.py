"""Which operation answers at which address."""

import httpx2
import pytest

from sightline.app import API
from tests.world import World

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


@pytest.mark.parametrize("path", ["/ideas/IDEA-1%2Fcomments", "/ideas/IDEA-1%2fcomments", "/ideas/IDEA-1%252Fcomments"])
async def test_an_encoded_slash_is_part_of_a_reference(world: World, path: str) -> None:
    answer = await world.client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REFERENCE")


@pytest.mark.parametrize("path", ["/api/external%2Fv1/ideas", f"{API}%2Fideas", "/docs%2Fguide", "/%2F"])
async def test_an_encoded_slash_separates_nothing(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.json()["code"]) == NOTHING


async def test_other_characters_may_be_encoded(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export."})).json()
    assert (await world.client.get("/%69deas/IDEA%2D1")).json()["id"] == idea["id"]


async def test_the_allowed_methods_are_named(browser: httpx2.AsyncClient) -> None:
    answer = await browser.put(f"{API}/ideas")
    assert answer.headers["Allow"] == "GET, HEAD, POST"
