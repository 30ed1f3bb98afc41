"""What a workspace holds about an initiative reaches its documents, each statement with its source."""

from typing import Any

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.documents.conftest import AT, Json, carry_out, document_of, written
from tests.world import World

FILE: Json = {
    "teams": [{"key": "core", "name": "Core"}],
    "accounts": [{"key": "bolt", "name": "Bolt Bikes"}],
    "signals": [{"key": "call", "name": "A call", "number": 5}],
    "insights": [
        {"key": "slow", "title": "Exports are slow", "extracts": [{"text": "We wait for hours.", "signal": "call"}]}
    ],
    "initiatives": [
        {
            "key": "out",
            "name": "Exports",
            "description": "Data out.",
            "number": 1,
            "teams": ["core"],
            "startDate": "2026-01-01",
            "finishDate": "2026-02-01",
            "questions": [
                {"key": "who", "question": "Who pays?", "answer": "The customer."},
                {"key": "how", "question": "How fast?", "placeholder": "Within a minute.", "answer": " "},
                {"key": "old", "question": "Which reader?", "answer": "The old Q2.", "stale": True},
            ],
        }
    ],
    "ideas": [
        {
            "key": "csv",
            "name": "CSV export",
            "description": "Tables as CSV.",
            "number": 1,
            "initiative": "out",
            "insights": ["slow"],
            "accounts": ["bolt"],
            "questions": [
                {"key": "q", "question": "Which sign?", "status": "skipped", "placeholder": "A comma."},
                {"key": "r", "question": "Why at all?", "status": "rejected"},
            ],
            "evidence": [
                {"key": "for", "title": "A loss", "extracts": [{"text": "We left.", "signal": "call"}]},
                {"key": "against", "title": "A doubt", "role": "contradicts"},
                {"key": "gone", "title": "A mistake", "dismissedAt": "2026-01-01T00:00:00Z"},
            ],
        },
        {"key": "else", "name": "Something else", "description": "Elsewhere.", "number": 2},
    ],
}


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    await world.add(**FILE)
    return world


async def test_the_ids_of_ideas_insights_evidence_and_questions_are_recorded(acme: World) -> None:
    document = await written(acme, "PRD")
    recorded: dict[str, set[Any]] = {}
    for source in document["sources"]:
        recorded.setdefault(source["kind"], set()).add(source["id"])
    of_initiative = await acme.ids("initiative_questions")
    questions = {of_initiative["who"], of_initiative["how"], (await acme.ids("idea_questions"))["q"]}
    evidence = await acme.ids("idea_evidence")
    assert recorded == {
        "initiative": {(await acme.ids("initiatives"))["out"]},
        "idea": {(await acme.ids("ideas"))["csv"]},
        "insight": {(await acme.ids("insights"))["slow"]},
        "evidence": {evidence["for"], evidence["against"]},
        "question": questions,
    }


@pytest.mark.parametrize("type", ["INITIATIVE_BRIEF", "PRD"])
async def test_the_document_has_all_material_of_the_workspace(acme: World, type: str) -> None:
    content = (await written(acme, type))["content"]
    for said in ("Data out.", "Core", "2026-01-01", "2026-02-01", "CSV export", "Bolt Bikes", "The customer."):
        assert said in content
    assert "“We wait for hours.” (SIGNAL-5)" in content
    assert ("“We left.” (SIGNAL-5)" in content) is (type == "PRD") or "A loss" in content


@pytest.mark.parametrize("type", ["INITIATIVE_BRIEF", "PRD", "TDD"])
async def test_a_placeholder_and_a_stale_question_never_count_and_what_was_set_aside_stays_open(
    acme: World, type: str
) -> None:
    content = (await written(acme, type))["content"]
    for unsaid in (
        "Which reader?",
        "The old Q2.",
        "Within a minute.",
        "A comma.",
        "Why at all?",
        "A mistake",
        "Something else",
    ):
        assert unsaid not in content
    asked = content.partition("## Open points")[2].partition("\n## ")[0]
    assert ("How fast?" in asked, "Which sign?" in asked, "Who pays?" in asked) == (True, True, False)


async def test_a_worker_reads_the_material_on_a_new_connection(acme: World, database_url: str) -> None:
    """A driver that has read no array of a kind before cannot read one within a row."""
    receipt = (await acme.client.post(f"{AT}/documents", json={"type": "TDD"})).json()
    database = await Database.connect(database_url, size=1)
    try:
        await carry_out(acme, receipt, database=database)
    finally:
        await database.close()
    assert "We wait for hours." in (await document_of(acme, receipt))["content"]
