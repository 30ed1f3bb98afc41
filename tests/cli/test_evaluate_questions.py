"""`sightline evaluate questions`: the figures of a world, the outputs for readers, and their marks."""

import json
from pathlib import Path

import pytest

from tests.cli.command import run

IDEAS = [
    {"id": "I01", "description": "Dark mode.", "lacks": ["today", "how_often", "who"], "name": "Dark mode"},
    {
        "id": "I02",
        "description": (
            "Clerks copy each order by hand today, every week. It is a success if errors fall below 10 %. "
            "Only managers may change one. The risk is a wrong price."
        ),
        "lacks": [],
    },
    {"id": "I03", "description": "How many rows may it have? The clerks never see it today.", "lacks": ["measure"]},
]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "ideas.json").write_text(json.dumps({"ideas": IDEAS}))
    return tmp_path


def test_it_counts_what_is_asked_and_what_the_texts_lack(world: Path) -> None:
    found = run("evaluate", "questions", world, "--json").json
    assert found["questions"] == 6
    assert found["drafts"] == 0
    assert found["aboutLacking"] == 0.5  # one of I01 is about its measure, two of I03 about none
    assert (found["ideasLacking"], found["lackingAsked"]) == (2, 1.0)
    assert (found["ideasComplete"], found["completeAsked"]) == (1, 0)
    assert "I01: Which figure will show that it works, and what should it become?" in found["wrong"]
    assert found["kept"] is None


def test_it_prints_the_figures_with_questions_that_should_not_be_asked(world: Path) -> None:
    out = run("evaluate", "questions", world).out
    assert "lacking asked   100.0%" in out
    assert "I03: The description asks" in out


def test_outputs_carry_no_labels_and_come_back_as_marks(world: Path) -> None:
    outputs, marks = world / "outputs.jsonl", world / "marks.jsonl"
    run("evaluate", "questions", world, "--outputs", outputs)
    written = [json.loads(line) for line in outputs.read_text().splitlines()]
    assert len(written) == 6
    assert all(one.keys() == {"id", "about", "output"} for one in written)
    assert "lacks" not in outputs.read_text()
    lines = [{**one, "reader": reader, "keep": at > 0 or reader == "ana"} for at, one in enumerate(written[:4])
             for reader in ("ana", "ben")]  # fmt: skip
    marks.write_text("\n".join(map(json.dumps, lines)))
    found = run("evaluate", "questions", world, "--marks", marks, "--json").json
    assert found["kept"] == {"marked": 4, "kept": 3, "share": 0.75, "repeated": 0}
    assert "kept: share     75.0%" in run("evaluate", "questions", world, "--marks", marks).out


def test_a_folder_that_is_not_right_is_refused(tmp_path: Path) -> None:
    assert run("evaluate", "questions", tmp_path / "nowhere").code != 0
    (tmp_path / "ideas.json").write_text("[]")
    refused = run("evaluate", "questions", tmp_path)
    assert (refused.code, "ideas.json" in refused.err) == (1, True)
