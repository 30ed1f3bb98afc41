"""A workspace with signals of many kinds, for the tests of this room."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest_asyncio

from sightline.platform.db import Database
from tests.world import World

Json = dict[str, Any]

PROVIDERS = ("zoom", "zendesk", "api")
KINDS = ("conversation", "support")
STATUSES = ("pending", "processing", "processed", "failed")


def signal(n: int) -> Json:
    """The n-th of signals that differ in everything one can filter by; some moments are equal."""
    return {
        "key": f"s{n}",
        "name": f"Signal {n}",
        "providerType": PROVIDERS[n % 3],
        "evidenceKind": KINDS[n % 2],
        "status": STATUSES[n % 4],
        "source": {"type": ("call", "zoom", "zendesk:support", "api")[n // 3 % 4], "external_data": {"n": n}},
        "externalId": f"x{n % 40}",
        "integration": "desk" if n % 5 == 0 else None,
        "account": "globex" if n % 6 == 0 else None,
        "accounts": ["initech"] if n % 7 == 0 else [],
        "initiatives": [{"initiative": "exports", "accepted": n % 8 == 0}] if n % 4 == 0 else [],
        "studies": ["interviews"] if n % 9 == 0 else [],
        "rawData": {"answer": n} if n % 2 else None,
        "createdAt": f"2026-01-{1 + n % 20:02}T10:00:00Z",
        "updatedAt": f"2026-02-{1 + n % 14:02}T10:00:00Z",
    }


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[World]:
    """60 signals; an insight of hooli's rests on each tenth, another of globex's on each sixth and one more."""
    async with World(database, served) as world:
        await world.add_earlier(
            teams=[{"key": "core", "name": "Core"}],
            accounts=[
                {"key": name, "name": name.capitalize(), "externalId": f"crm-{name}"}
                for name in ("globex", "initech", "hooli")
            ],
            integrations=[{"key": "desk", "kind": "desk", "name": "Desk"}],
            initiatives=[{"key": "exports", "name": "Exports", "teams": ["core"]}],
            studies=[{"key": "interviews", "name": "Interviews"}],
            signals=[signal(n) for n in range(60)],
            insights=[
                {"key": "slow", "title": "Slow", "accounts": ["hooli"], "signals": [f"s{n}" for n in range(0, 60, 10)]},
                {"key": "dear", "title": "Dear", "accounts": ["globex"], "signals": ["s0", "s6", "s7"]},
            ],
        )
        yield world


async def listed(client: httpx2.AsyncClient, **query: Any) -> list[Json]:
    """A page of signals."""
    answer = await client.get("/signals", params=query)
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()
    return found


async def walked(client: httpx2.AsyncClient, query: Json) -> list[Json]:
    """Every signal of a list, by following `Link`; the totals agree."""
    address, found, parameters = "/signals", list[Json](), query or None
    while True:
        answer = await client.get(address, params=parameters)
        assert answer.status_code == 200, answer.text
        found += answer.json()
        assert answer.headers["x-has-more"] == ("true" if "link" in answer.headers else "false")
        if "link" not in answer.headers:
            assert int(answer.headers["x-total-count"]) == len(found)
            return found
        link = answer.headers["link"].removeprefix("<").partition(">")[0]
        address, parameters = link, None
