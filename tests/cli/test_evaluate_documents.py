"""`sightline evaluate documents`: the PRD of a world beside a product manager's list, and the marks of readers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run

PRINTER = "The printer hangs all day."
TICKETS = [
    {"id": "T1", "account": "bolt", "text": f"{PRINTER} Please add a second tray."},
    {"id": "T2", "account": "acme", "text": f"{PRINTER} The invoices are wrong."},
]
INITIATIVE: dict[str, Any] = {
    "name": "Printing",
    "description": "Printing never stops.",
    "ideas": ["I1"],
    "tickets": ["T1", "T2"],
    "questions": [
        {"question": "Which paper is used?", "answer": "A4, always.", "stale": False},
        {"question": "Which desk has it?", "answer": "The red desk by the door.", "stale": True},
    ],
    "rejected": ["The invoices are wrong."],
    "prd": [
        {"id": "P1", "line": "Problem: the printer hangs all day.", "from": ["T1", "T2"]},
        {"id": "P2", "line": "Requirement: a purple elephant.", "from": ["I1"]},
    ],
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    tickets = ({"type": "support_ticket", "labels": [], **one} for one in TICKETS)
    idea = {"id": "I1", "name": "A tray", "description": "The printer should have a second tray.", "lacks": []}
    (tmp_path / "tickets.jsonl").write_text("\n".join(map(json.dumps, tickets)))
    (tmp_path / "ideas.json").write_text(json.dumps({"ideas": [idea]}))
    (tmp_path / "initiative.json").write_text(json.dumps(INITIATIVE))
    return tmp_path


def test_it_counts_lines_and_compares_them_with_the_managers_list(world: Path) -> None:
    found = run("evaluate", "documents", world, "--json").json
    assert found["lines"] > 3
    assert (found["repeated"], found["forbidden"], found["cutTitles"]) == ([], [], [])
    assert (found["wanted"], found["covered"]) == (2, 0.5)
    assert found["notCovered"] == ["P2: Requirement: a purple elephant."]
    assert "covered      50.0%" in run("evaluate", "documents", world).out


def test_readers_see_each_line_in_order_and_what_they_mark_is_counted(world: Path) -> None:
    outputs, marks = world / "outputs.jsonl", world / "marks.jsonl"
    run("evaluate", "documents", world, "--outputs", outputs)
    written = [json.loads(line) for line in outputs.read_text().splitlines()]
    lines = [one for one in written if one["id"].startswith("L")]
    assert [one["id"] for one in lines] == sorted(one["id"] for one in lines)
    assert [one["output"] for one in written if one["about"] == "wanted"] == [one["line"] for one in INITIATIVE["prd"]]
    assert "red desk" not in outputs.read_text()
    given = [
        {**one, "reader": reader, "keep": reader == "ana" or one["id"] != "L001", "repeated": one["id"] == "L002"}
        for one in written
        for reader in ("ana", "ben")
    ]
    marks.write_text("\n".join(map(json.dumps, given)))
    counted = run("evaluate", "documents", world, "--marks", marks, "--json").json
    assert (counted["kept"]["marked"], counted["kept"]["kept"]) == (len(lines), len(lines) - 1)
    assert (counted["kept"]["repeated"], counted["found"]["share"]) == (1, 1.0)


def test_an_initiative_that_is_not_right_is_refused(world: Path) -> None:
    (world / "initiative.json").write_text("{}")
    refused = run("evaluate", "documents", world)
    assert (refused.code, "initiative.json" in refused.err) == (1, True)


WORLDS = Path(__file__).parents[2] / "evaluation" / "worlds"


@pytest.mark.parametrize(
    "name", ["museum-theatre-admission", "veterinary-practice", "commercial-laundries", "wind-farm-service"]
)
def test_a_prd_is_short_and_says_each_point_once(name: str) -> None:
    found = run("evaluate", "documents", WORLDS / name, "--json").json
    assert found["lines"] <= 40
    assert (found["repeated"], found["forbidden"], found["cutTitles"]) == ([], [], [])
    assert found["covered"] >= 0.5


def test_the_guide_shows_a_prd_as_it_is_written(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.jsonl"
    run("evaluate", "documents", WORLDS / "veterinary-practice", "--outputs", outputs)
    written = [one for one in map(json.loads, outputs.read_text().splitlines()) if one["about"] != "wanted"]
    guide = (WORLDS.parents[1] / "docs" / "guide" / "intelligence.md").read_text()
    shown = guide.partition("\n    ## Summary\n")[2].partition("\n\nWhat it cannot do:")[0].splitlines()
    headings = [line.strip("# ") for line in shown if line.startswith("    #")]
    assert ["Summary", *headings] == list(dict.fromkeys(one["about"] for one in written))
    words = " ".join(line for line in shown if not line.startswith("    #")).split()
    assert words == " ".join(one["output"] for one in written).split()
