"""Creating and changing initiatives leaves everything else alone. Specification: Initiative status, PATCH."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest_asyncio

from tests.initiatives.conftest import New
from tests.world import World

# What hangs on initiatives, besides their teams; the change log and the memory of answers are about all.
_TABLES = (
    *("documents", "document_versions", "document_generations", "initiative_questions", "initiative_features"),
    *("ideas", "idea_questions", "signals", "signal_initiatives", "studies", "study_initiatives", "features"),
)
_OWN = ("initiatives", "initiative_teams", "changes", "record_counts", "plans")

Contents = Callable[[], Awaitable[dict[str, list[str]]]]


async def rows(world: World, table: str) -> list[str]:
    """All rows of all workspaces."""
    async with world.database.autocommit() as tx:
        return [row[0] for row in await tx.connection.fetch(f"SELECT {table}::text FROM {table} ORDER BY 1")]  # noqa: S608


@pytest_asyncio.fixture
async def rich(acme: World) -> World:
    """An initiative with a feature, a question, a document and its earlier version, an idea, a signal and a study."""
    await acme.add(
        initiatives=[
            {
                "key": "out",
                "name": "Exports",
                "number": 7,
                "product": "app",
                "teams": ["core"],
                "features": ["export"],
                "questions": [{"key": "who", "question": "Who waits?", "placeholder": "Finance?"}],
                "documents": [
                    {
                        "key": "prd",
                        "type": "PRD",
                        "content": "# New",
                        "version": 2,
                        "earlier": [{"version": 1, "content": "# Old", "writtenAt": "2026-01-01T00:00:00Z"}],
                    }
                ],
            }
        ],
        ideas=[{"key": "csv", "name": "CSV", "description": "CSV export.", "initiative": "out"}],
        signals=[{"key": "call", "name": "A call", "initiatives": ["out"]}],
        studies=[{"key": "panel", "name": "Panel", "initiatives": ["out"]}],
    )
    return acme


@pytest_asyncio.fixture
async def contents(rich: World) -> Contents:
    """Everything in the tables that must not move, and the jobs of all workspaces."""

    async def read() -> dict[str, list[str]]:
        return {table: await rows(rich, table) for table in (*_TABLES, "jobs")}

    return read


async def test_post_adds_no_job_question_or_document(rich: World, new: New, contents: Contents) -> None:
    before = await contents()
    sent = new(description="What shall be exported?", productId=(await rich.ids("products"))["app"])
    for _ in range(2):
        assert (await rich.client.post("/initiatives", json=sent)).status_code == 201
    assert await contents() == before


async def test_patch_adds_no_job_and_leaves_participants_features_and_documents(
    rich: World, teams: dict[str, str], contents: Contents
) -> None:
    before = await contents()
    changes: list[dict[str, Any]] = [
        {"name": "Other", "description": "- Light *Markdown*", "priority": "URGENT"},
        {"startDate": "2026-01-01", "finishDate": "2026-02-01", "teamIds": [teams["apps"]]},
        *({"status": status} for status in ("IN_PROGRESS", "COMPLETED", "ARCHIVED", "PENDING")),
        {"productId": None},
        {"productId": (await rich.ids("products"))["app"]},
    ]
    for change in changes:
        assert (await rich.client.patch("/initiatives/INITIATIVE-7", json=change)).status_code == 200
    assert await contents() == before


async def test_a_refused_request_changes_nothing_at_all(rich: World, new: New, contents: Contents) -> None:
    await rich.add({"plan": {"initiativeLimit": 1, "activeInitiativeLimit": 0}})
    await rich.client.patch("/initiatives/INITIATIVE-7", json={"status": "COMPLETED"})
    before = await contents()
    shown = [await rows(rich, table) for table in _OWN]
    assert (await rich.client.post("/initiatives", json=new())).status_code == 402
    change = {"status": "PLANNED", "name": "Other", "teamIds": [(await rich.ids("teams"))["apps"]]}
    assert (await rich.client.patch("/initiatives/INITIATIVE-7", json=change)).status_code == 402
    assert [await rows(rich, table) for table in _OWN] == shown
    assert await contents() == before
