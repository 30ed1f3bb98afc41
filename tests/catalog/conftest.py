"""Short words for what tests of lists do."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.world import World

Json = dict[str, Any]
Listed = Callable[..., Awaitable[list[Json]]]


@pytest.fixture
def listed(world: World) -> Listed:
    """A page of `/products` or `/accounts`."""

    async def ask(path: str, **query: Any) -> list[Json]:
        answer = await world.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        found: list[Json] = answer.json()
        return found

    return ask
