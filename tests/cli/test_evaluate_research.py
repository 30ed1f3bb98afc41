"""`sightline evaluate research`: the figures of a world, the outputs for readers, and the refusals."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run

ARTICLES = {
    "old.md": ("2022-09-12", "Crumb Report", "Bread in the bin", "The bakeries threw away 11 percent of their bread."),
    "new.md": ("2025-09-30", "Crumb Report", "Bread in the bin", "The bakeries threw away 7.5 percent of their bread."),
    "copy.md": ("2025-10-12", "Copyist", "Bread in the bin", "The bakeries threw away 7.5 percent of their bread."),
    "ask.md": ("2024-11-19", "Counter", "Pre-orders", "Of all pre-orders 4.6 percent are not picked up."),
    "data.md": ("2025-02-04", "Economy", "Pre-orders", "Of all pre-orders 8.1 percent are not picked up."),
}


def fact(id: str, article: str, quote: str, outdated_by: str | None = None) -> dict[str, Any]:
    return {"id": id, "article": article, "quote": quote, "outdated_by": outdated_by, "also_in": []}


LABELS = {
    "questions": [
        {"id": "Q1", "question": "How much bread do bakeries throw away?", "facts": ["F1", "F2"]},
        {"id": "Q2", "question": "What share of pre-orders is not picked up?", "facts": ["F3", "F4"]},
        {"id": "Q3", "question": "How many bakeries were fined by the tax office?", "facts": []},
    ],
    "facts": [
        fact("F1", "old.md", "threw away 11 percent", "F2"),
        fact("F2", "new.md", "threw away 7.5 percent"),
        fact("F3", "ask.md", "4.6 percent"),
        fact("F4", "data.md", "8.1 percent"),
    ],
    "contradictions": [["F3", "F4"]],
    "copies": [["new.md", "copy.md"]],
}


def make(folder: Path, labels: dict[str, Any]) -> Path:
    (folder / "articles").mkdir()
    for name, (day, publisher, title, text) in ARTICLES.items():
        matter = f"---\nurl: https://{name}.example/\ntitle: {title}\npublisher: {publisher}\npublished: {day}\n---\n"
        (folder / "articles" / name).write_text(f"{matter}{text}\n")
    (folder / "research.json").write_text(json.dumps(labels))
    return folder


def test_it_compares_answers_with_facts(tmp_path: Path) -> None:
    found = run("evaluate", "research", make(tmp_path, LABELS), "--json").json
    assert found == {
        "questions": 3,
        "answerable": 2,
        "first": 1.0,
        "facts": 3,
        "among": 1.0,
        "unanswerable": 1,
        "unanswerableSaid": 1.0,
        "olderFirst": 0,
        "copiesTwice": 0,
        "contradictions": 1,
        "contradictionsShown": 1,
        "wrong": [],
        "kept": None,
    }


def test_an_answer_without_its_fact_is_wrong(tmp_path: Path) -> None:
    facts = [fact("F1", "old.md", "threw away 11 percent", "F2"), fact("F2", "new.md", "threw away 9 percent")]
    labels = {"questions": LABELS["questions"][:1], "facts": facts}  # type: ignore[index]  # it is a list
    shown = run("evaluate", "research", make(tmp_path, labels)).out
    assert "first                 0.0%" in shown
    assert "older first           1" in shown
    assert "wrong                 Q1: How much bread do bakeries throw away?" in shown


def test_readers_mark_the_answers(tmp_path: Path) -> None:
    outputs, marks = tmp_path / "outputs.jsonl", tmp_path / "marks.jsonl"
    run("evaluate", "research", make(tmp_path, LABELS), "--outputs", outputs)
    [one, *others] = [json.loads(line) for line in outputs.read_text().splitlines()]
    assert len(others) == 2
    assert one.keys() == {"id", "about", "output"}
    marks.write_text(json.dumps({"id": one["id"], "output": one["output"], "reader": "ana", "keep": True}))
    found = run("evaluate", "research", tmp_path, "--marks", marks, "--json").json
    assert found["kept"] == {"marked": 1, "kept": 1, "share": 1.0, "repeated": 0}


@pytest.mark.parametrize(
    ("labels", "refusal"),
    [({"questions": []}, "missing required field"), ({**LABELS, "facts": []}, "there is no fact F1.")],
)
def test_labels_that_are_not_right_are_refused(tmp_path: Path, labels: dict[str, Any], refusal: str) -> None:
    assert refusal in run("evaluate", "research", make(tmp_path, labels)).refusal


WORLDS = Path(__file__).parents[2] / "evaluation" / "worlds"


@pytest.mark.parametrize(
    "name", ["museum-theatre-admission", "veterinary-practice", "commercial-laundries", "wind-farm-service"]
)
def test_most_questions_are_answered_and_most_others_said_to_be_none(name: str) -> None:
    found = run("evaluate", "research", WORLDS / name, "--json").json
    assert found["first"] >= 0.75
    assert found["among"] >= 0.85
    assert found["unanswerableSaid"] >= 0.5
    assert (found["olderFirst"], found["copiesTwice"]) == (0, 0)
    assert found["contradictionsShown"] >= found["contradictions"] - 1


def test_the_guide_shows_answers_as_they_are_given(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.jsonl"
    run("evaluate", "research", WORLDS / "wind-farm-service", "--outputs", outputs)
    guide = " ".join((WORLDS.parents[1] / "docs" / "guide" / "research.md").read_text().split())
    given = {one["about"]: one["output"] for one in map(json.loads, outputs.read_text().splitlines())}
    for asked in ("How many alarms reach", "How long are turbines down", "What does a service contract"):
        [(question, answer)] = [one for one in given.items() if one[0].startswith(asked)]
        assert f"{question} {' '.join(answer.split())}" in guide
