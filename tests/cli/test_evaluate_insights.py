"""`sightline evaluate insights`: the figures of a world, the outputs for readers, and their marks."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run


def label(quote: str, kind: str, statement: str | None = None) -> dict[str, Any]:
    return {"quote": quote, "kind": kind, "statement": statement, "note": "plain"}


TICKETS = [
    {
        "id": "T1",
        "type": "support_ticket",
        "text": "the printer hangs all day. Please add a second tray.\nHow do I change the paper? The desk is red.",
        "labels": [
            label("the printer hangs all day", "problem", "S1"),
            label("Please add a second tray.", "wish", "S2"),
            label("How do I change the paper?", "none"),
            label("The desk is red.", "problem", "S3"),
        ],
    },
    {
        "id": "T2",
        "type": "review",
        "text": "We love the labels. The manual is wrong. The radio is broken.",
        "labels": [label("We love the labels.", "problem", "S1"), label("The radio is broken.", "none")],
    },
]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "tickets.jsonl").write_text("\n".join(map(json.dumps, TICKETS)))
    return tmp_path


def test_it_compares_insights_with_labels(world: Path) -> None:
    found = run("evaluate", "insights", world, "--json").json
    assert (found["tickets"], found["insights"]) == (2, 5)
    shares = {name: found[name] for name in ("right", "wrongKind", "mixed", "doubled", "traps", "unlabelled")}
    assert shares == {
        "right": 0.4,
        "wrongKind": 0.2,
        "mixed": 0.0,
        "doubled": 0.0,
        "traps": 0.2,
        "unlabelled": 0.2,
    }
    assert found["kinds"]["problem"] == {
        "statements": 2,
        "statementsFound": 0.5,
        "labels": 3,
        "labelsFound": 0.3333,
        "insights": 3,
        "right": 0.3333,
    }
    assert found["wrong"] == [
        "T2, wrong kind: We love the labels.",
        "T2, unlabelled: The manual is wrong.",
        "T2, trap: The radio is broken.",
    ]
    assert "problem: statements found  50.0%" in run("evaluate", "insights", world).out


def test_outputs_carry_no_labels_and_come_back_as_marks(world: Path) -> None:
    outputs, marks = world / "outputs.jsonl", world / "marks.jsonl"
    run("evaluate", "insights", world, "--outputs", outputs)
    written = [json.loads(line) for line in outputs.read_text().splitlines()]
    assert len(written) == 5
    assert all(one.keys() == {"id", "about", "output"} for one in written)
    assert {one["output"] for one in written if one["id"].startswith("T1")} == {
        "problem: The printer hangs all day.",
        "request: Please add a second tray.",
    }
    marks.write_text(
        "\n".join(json.dumps({**one, "reader": reader, "keep": at > 0}) for at, one in enumerate(written)
                  for reader in ("ana", "ben"))
    )  # fmt: skip
    assert "kept: share                80.0%" in run("evaluate", "insights", world, "--marks", marks).out


def test_a_label_that_is_no_part_of_its_text_is_refused(tmp_path: Path) -> None:
    ticket = {**TICKETS[0], "labels": [label("never said", "problem")]}
    (tmp_path / "tickets.jsonl").write_text(json.dumps(ticket))
    refused = run("evaluate", "insights", tmp_path)
    assert (refused.code, "tickets.jsonl, line 1" in refused.err) == (1, True)


WORLDS = Path(__file__).parents[2] / "evaluation" / "worlds"


@pytest.mark.parametrize("name", ["museum-theatre-admission", "veterinary-practice"])
def test_most_of_what_customers_say_is_found_and_right(name: str) -> None:
    found = run("evaluate", "insights", WORLDS / name, "--json").json
    assert found["kinds"]["problem"]["statementsFound"] >= 0.8
    assert found["right"] >= 0.8
    assert found["wrongKind"] + found["mixed"] + found["doubled"] <= 0.1
