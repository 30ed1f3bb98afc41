"""A page whose records have many links, features or classifications is read in pieces, as one of long texts."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.world import World

COUNT = 300  # links of one record; a page of 100 is read at once while each record has at most 10 KiB
KEYS = [f"k{n}" for n in range(COUNT)]
OPTIONS = [{"key": key, "label": f"Label {key}"} for key in KEYS]


@pytest_asyncio.fixture(scope="module")
async def linked(database: Database, served: str) -> AsyncIterator[World]:
    """The first record of each list has so many links, the second one none."""
    async with World(database, served) as world:
        named = [{"key": key, "name": f"Name {key}"} for key in KEYS]
        idea = {"name": "Idea", "description": "Text"}
        features = [{"key": key, "name": f"Feature {key}", "description": "x" * 40} for key in KEYS]
        group = {"key": "areas", "label": "Areas", "kind": "list", "selectionMode": "multi", "options": OPTIONS}
        value = {"groupKey": "areas", "optionValues": [option["label"] for option in OPTIONS]}
        await world.add(
            taxonomy={"groups": [group]},
            products=[{"key": "full", "name": "Full", "features": features}, {"key": "bare", "name": "Bare"}],
            teams=named,
            accounts=named,
            signals=[{"key": "seen", "name": "Seen", "accounts": KEYS}, {"key": "bare", "name": "Bare"}],
            initiatives=[{"key": "full", "name": "Full", "teams": KEYS}, {"key": "bare", "name": "Bare"}],
            opportunities=[{"key": "full", "name": "Full"}, {"key": "bare", "name": "Bare"}],
            insights=[
                {"key": "full", "title": "Full", "category": "problem", "accounts": KEYS},
                {"key": "bare", "title": "Bare", "category": "problem"},
            ],
            ideas=[
                {**idea, "key": "full", "product": "full", "features": KEYS},
                {**idea, "key": "sorted", "name": "Sorted", "classifications": [value]},
                *({**idea, "key": key, "opportunities": ["full"]} for key in KEYS),
            ],
            studies=[{"key": "full", "name": "Full", "ideas": KEYS}, {"key": "bare", "name": "Bare"}],
            feedback=[
                {
                    "key": study,
                    "study": study,
                    "rating": 5,
                    "metric": "csat",
                    "subject": {"type": "idea", "id": "k0"},
                    "submittedAt": "2026-01-01",
                    "source": "live_interview",
                }
                for study in ("full", "bare")
            ],
        )
        yield world


@pytest.mark.parametrize(
    "path",
    [
        "/opportunities",
        "/studies/feedback",
        "/products",
        "/signals",
        "/initiatives",
        "/insights",
        "/ideas?featureId=",
        "/ideas?include=classifications&q=sorted",
    ],
)
async def test_a_record_of_many_links_is_a_portion_of_its_own(linked: World, path: str) -> None:
    if path.endswith("="):
        path += (await linked.ids("features"))["k0"]
    path += "&limit=" if "?" in path else "?limit="
    in_pieces, whole = await linked.client.get(f"{path}100"), await linked.client.get(f"{path}2")
    assert (in_pieces.status_code, whole.status_code) == (200, 200)
    assert "content-length" not in in_pieces.headers
    assert "content-length" in whole.headers
    assert len(whole.content) > COUNT * 39
    assert in_pieces.json() == whole.json()


@pytest.mark.parametrize("path", ["/ideas", "/teams", "/accounts"])
async def test_other_pages_are_sent_whole(linked: World, path: str) -> None:
    answer = await linked.client.get(path)
    assert int(answer.headers["content-length"]) > 0
