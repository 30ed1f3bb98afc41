"""`sightline evaluate matching`: the figures, the picture, and the refusals."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cli.command import run

FEATURES = [{"id": "dark", "name": "Dark mode"}, {"id": "hooks", "name": "Webhooks", "description": "Sends events."}]
SVG = "{http://www.w3.org/2000/svg}"


def labelled(text: str, *relevant: str) -> dict[str, Any]:
    return {"text": text, "features": FEATURES, "relevant": list(relevant)}


def write(folder: Path, *texts: dict[str, Any]) -> Path:
    file = folder / "texts.jsonl"
    file.write_text("\n".join(map(json.dumps, texts)) + "\n\n")
    return file


def test_it_counts_what_is_applied_and_what_it_misses(tmp_path: Path) -> None:
    found = run(
        "evaluate",
        "matching",
        write(
            tmp_path,
            labelled("A dark mode, please.", "dark"),
            labelled("The colours hurt at night.", "dark"),
            labelled("I do not like the dark mode of the other app.", "hooks"),
            labelled("The weather is nice."),
        ),
        "--json",
    ).json
    assert (found["texts"], found["relevant"], found["unrelatedTexts"]) == (4, 3, 1)
    assert found["appliedOnUnrelatedTexts"] == 0
    assert found["applied"] + found["suggested"] == 2
    assert found["recallWithSuggestions"] == 0.3333
    assert found["curve"][-1]["precision"] == 0.5
    assert 0 < found["calibrationError"] < 1
    assert found["milliseconds"] > 0


def test_it_prints_the_figures_and_draws_the_curve(tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    file = write(tmp_path, labelled("A dark mode, please.", "dark"), labelled("Webhooks fail.", "hooks"))
    done = run("evaluate", "matching", file, "--picture", picture)
    assert "applied recall                      100.0%" in done.out
    drawn = ElementTree.parse(picture).getroot()  # noqa: S314 - the test's own file
    assert drawn.find(f"{SVG}circle").attrib["cx"] == "450"  # type: ignore[union-attr]  # it is drawn
    assert drawn.find(f"{SVG}polyline").attrib["points"]  # type: ignore[union-attr]  # it is drawn


def test_it_says_how_sure_the_order_of_suggestions_is(tmp_path: Path) -> None:
    names = ("Sales report", "Churn report", "Usage export")
    features = [{"id": name, "name": name} for name in names]
    right = [{"text": "Sales and churn are wrong.", "features": features, "relevant": [name]} for name in names[:2]]
    file = write(tmp_path, *right)
    order = run("evaluate", "matching", file, "--json").json["order"]
    assert order["rightByRank"][0] == 0.5
    assert (order["pairs"], order["closePairs"]) == (2, 2)
    assert order["rightBeforeWrong"] == order["rightBeforeWrongIfClose"] == 0.5
    shown = run("evaluate", "matching", file).out
    assert "order: right by rank" in shown
    assert "order: right before wrong" in shown


def test_texts_without_findings_have_no_shares(tmp_path: Path) -> None:
    found = run("evaluate", "matching", write(tmp_path, labelled("The weather is nice.")), "--json").json
    assert (found["appliedPrecision"], found["appliedRecall"], found["calibrationError"]) == (None, None, None)
    assert found["curve"] == []


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ('{"text": "a"}', "line 1: Object missing required field `features`"),
        ("not json", "line 1: JSON is malformed"),
        (json.dumps(labelled("a", "light")), "line 1: no feature has the id light."),
        ("", "has no texts."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, line: str, refusal: str) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text(line)
    assert refusal in run("evaluate", "matching", file).refusal


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    assert "No such file" in run("evaluate", "matching", tmp_path / "none.jsonl").refusal
