"""`sightline evaluate extraction`: the figures of packaged pages and of others, the picture, and the refusals."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run

TEXT = "Most workshops in the valley send the estimate by text message and wait for the customer before they start."
PAGE = """<html><head><title>A</title>{head}</head><body><nav><a href="/">Front page of the paper</a></nav>
<article><h1>A</h1><p>{text}</p></article></body></html>"""
DATED = '<meta property="article:published_time" content="2025-02-11">'


def label(file: str, **changes: Any) -> str:
    whole = {"file": file, "url": f"https://trade.example/{file}", "text": [TEXT], "noise": [], "published": None}
    return json.dumps(whole | changes)


def write(folder: Path, *labels: str) -> Path:
    (folder / "plain.html").write_text(PAGE.format(head="", text=TEXT))
    (folder / "dated.html").write_text(PAGE.format(head=DATED, text=TEXT))
    (folder / "binary.html").write_bytes(b"\0\1\2")
    (folder / "labels.jsonl").write_text("\n".join(labels))
    return folder


def test_the_packaged_pages_are_read_as_well_as_the_guide_says() -> None:
    found = run("evaluate", "extraction", "--json").json
    assert (found["pages"], found["datedPages"]) == (28, 19)
    assert found["textRecall"] == 1.0
    assert found["textPrecision"] >= 0.91
    assert (found["datePrecision"], found["dateRecall"]) == (1.0, 1.0)


def test_every_fault_of_a_page_counts(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        label("plain.html", text=[TEXT, "A passage that is not there."]),
        label("dated.html", noise=["Most workshops in the valley"], published="2025-02-11"),
        label("dated.html", published="2024-01-01"),
        label("binary.html", text=[TEXT], published="2025-02-11"),
    )
    found = run("evaluate", "extraction", folder, "--json").json
    assert found["textPrecision"] == 0.75  # three of four passages that were found
    assert found["textRecall"] == 0.6  # three of five that were to be found
    assert (found["datesGiven"], found["datedPages"]) == (2, 3)
    assert (found["datePrecision"], found["dateRecall"]) == (0.5, 0.3333)
    faults = [(one["file"], len(one["missing"]), len(one["noise"]), one["isDateRight"]) for one in found["faults"]]
    assert faults == [
        ("plain.html", 1, 0, True),
        ("dated.html", 0, 1, True),
        ("dated.html", 0, 0, False),
        ("binary.html", 1, 0, False),
    ]
    shown = run("evaluate", "extraction", folder).out
    assert "without 'A passage that is not there.'" in shown
    assert "dated 2025-02-11" in shown


def test_a_date_on_a_page_without_one_is_a_fault(tmp_path: Path) -> None:
    found = run("evaluate", "extraction", write(tmp_path, label("dated.html")), "--json").json
    assert (found["datePrecision"], found["dateRecall"]) == (0.0, None)


def test_the_picture_has_a_bar_for_each_figure(tmp_path: Path) -> None:
    picture = tmp_path / "bars.svg"
    run("evaluate", "extraction", write(tmp_path, label("plain.html")), "--picture", picture)
    root = ElementTree.fromstring(picture.read_text())  # noqa: S314 - our own picture
    shown = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert shown == [
        *("text: precision", "100.0%", "text: recall", "100.0%", "dates: precision", "-", "dates: recall", "-")
    ]


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("", "has no pages"),
        ("{", "line 1"),
        (label("plain.html", more=1), "line 1"),
        (label("plain.html", published="soon"), "line 1"),
        (label("none.html"), "cannot be read: No such file or directory."),
        (label("../plain.html"), "does not lie beside labels.jsonl"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(tmp_path: Path, line: str, refusal: str) -> None:
    assert refusal in run("evaluate", "extraction", write(tmp_path, line)).refusal


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    assert "labels.jsonl cannot be read: No such file" in run("evaluate", "extraction", tmp_path).refusal
