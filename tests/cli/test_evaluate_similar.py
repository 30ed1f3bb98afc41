"""`sightline evaluate similar`: the figures of a world, the outputs for readers, and their marks."""

import json
from pathlib import Path

import pytest

from tests.cli.command import run

IDEAS = {
    "same": [
        {"a": "Undo the last payment", "b": "Revert a payment"},
        {"a": "Bigger letters", "b": "I cannot see it"},
    ],
    "different": [
        {"a": "Payment by card", "b": "Print payments at night"},
        {"a": "Revert payment rules", "b": "Rules"},
    ],
}
SAID = {
    "T1": ("The scanner crashes every morning.", "S1"),
    "T2": ("The handheld freezes in the morning.", "S1"),
    "T3": ("The label printer is broken.", "S2"),
    "T4": ("The scanner crashes every morning!", "S1"),
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    tickets = [
        {
            "id": id,
            "type": "support_ticket",
            "text": text,
            "labels": [{"quote": text, "kind": "problem", "statement": of}],
        }
        for id, (text, of) in SAID.items()
    ]
    quotes = {id: {"ticket": id, "quote": text} for id, (text, _) in SAID.items()}
    pairs = [[quotes["T1"], quotes["T2"]], [quotes["T1"], quotes["T3"]], [quotes["T1"], quotes["T4"]]]
    (tmp_path / "tickets.jsonl").write_text("\n".join(map(json.dumps, tickets)))
    (tmp_path / "duplicates.json").write_text(json.dumps({"statements": {"same": pairs}, "ideas": IDEAS}))
    return tmp_path


def test_it_counts_what_is_offered_and_which_labelled_pairs_are(world: Path) -> None:
    found = run("evaluate", "similar", world, "--json").json
    assert found["requests"] == {"offered": 6, "right": 0.3333, "pairs": 2, "pairsOffered": 0.5}
    assert found["insights"] == {"offered": 2, "right": 1.0, "pairs": 3, "pairsOffered": 0.6667}
    assert "Revert payment rules / Revert a payment" in found["wrong"]
    assert found["kept"] is None


def test_a_world_without_pairs_of_requests_has_none(world: Path) -> None:
    labelled = json.loads((world / "duplicates.json").read_text())
    (world / "duplicates.json").write_text(json.dumps({"statements": labelled["statements"]}))
    found = run("evaluate", "similar", world, "--json").json
    assert found["requests"] == {"offered": 0, "right": None, "pairs": 0, "pairsOffered": None}
    assert found["insights"]["pairs"] == 3
    (world / "duplicates.json").write_text(json.dumps({"ideas": labelled["ideas"]}))
    assert run("evaluate", "similar", world, "--json").json["insights"]["pairs"] == 0


def test_it_prints_the_figures_with_wrong_offers(world: Path) -> None:
    out = run("evaluate", "similar", world).out
    assert "requests: right          33.3%" in out
    assert "insights: pairs offered  66.7%" in out
    assert "Revert payment rules / Revert a payment" in out


def test_outputs_carry_no_labels_and_come_back_as_marks(world: Path) -> None:
    outputs, marks = world / "outputs.jsonl", world / "marks.jsonl"
    run("evaluate", "similar", world, "--outputs", outputs)
    written = [json.loads(line) for line in outputs.read_text().splitlines()]
    assert len(written) == 8
    assert all(one.keys() == {"id", "about", "output"} for one in written)
    marks.write_text("\n".join(json.dumps({**one, "reader": "ana", "keep": at > 0}) for at, one in enumerate(written)))
    assert run("evaluate", "similar", world, "--marks", marks, "--json").json["kept"] == {
        "marked": 8,
        "kept": 7,
        "share": 0.875,
        "repeated": 0,
    }
    assert "kept: share              87.5%" in run("evaluate", "similar", world, "--marks", marks).out


def test_a_folder_that_is_not_right_is_refused(tmp_path: Path) -> None:
    assert run("evaluate", "similar", tmp_path / "nowhere").code != 0
    (tmp_path / "duplicates.json").write_text("[]")
    refused = run("evaluate", "similar", tmp_path)
    assert (refused.code, "duplicates.json" in refused.err) == (1, True)
