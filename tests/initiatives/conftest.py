"""A workspace with teams and products, for initiatives."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.world import World

Json = dict[str, Any]
New = Callable[..., Json]


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    """Two teams and two products with a feature each."""
    await world.add(
        teams=[{"key": "core", "name": "Core"}, {"key": "apps", "name": "Apps"}],
        products=[
            {"key": "app", "name": "App", "features": [{"key": "export", "name": "CSV export"}]},
            {"key": "web", "name": "Web", "features": [{"key": "pages", "name": "Pages"}]},
        ],
    )
    return world


@pytest_asyncio.fixture
async def teams(acme: World) -> dict[str, str]:
    return await acme.ids("teams")


@pytest.fixture
def new(teams: dict[str, str]) -> New:
    """A body for POST /initiatives, with a request id of its own."""

    def make(**more: Any) -> Json:
        return {"clientRequestId": str(uuid4()), "name": "Exports", "teamIds": [teams["core"]], **more}

    return make


Create = Callable[..., Awaitable[Json]]


@pytest.fixture
def create(acme: World, new: New) -> Create:
    """Creates an initiative and returns the answer."""

    async def do(**more: Any) -> Json:
        answer = await acme.client.post("/initiatives", json=new(**more))
        assert answer.status_code == 201, answer.text
        created: Json = answer.json()
        return created

    return do


def refused(answer: httpx2.Response, status: int, code: str, field: str | None = None) -> Json:
    """The problem, which has this status and code, and names this field."""
    problem: Json = answer.json()
    assert (answer.status_code, problem.get("code")) == (status, code), answer.text
    assert field is None or problem.get("field") == field
    return problem
