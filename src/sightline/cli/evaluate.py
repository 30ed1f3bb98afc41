"""`sightline evaluate`: how well the engine does on labelled texts and pages of your own."""

from importlib import import_module
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Annotated

from msgspec import Struct

from sightline.cli.options import AsJson, argument, command, open_file, option
from sightline.cli.output import print_columns, print_json
from sightline.evaluation.marks import read_marks, write_outputs
from sightline.evaluation.worlds import Measured

Picture = Annotated[Path | None, option("Draw the figures there, as SVG.", metavar="PATH")]
World = Annotated[Path, argument("FOLDER", "A folder with labelled material.")]
MarksFile = Annotated[Path | None, option("Count what readers would keep.", metavar="FILE")]
OutputsFile = Annotated[Path | None, option("Write what readers mark there.", metavar="FILE")]


@command("evaluate matching")
def matching(
    file: Annotated[str, argument("FILE", "JSON Lines; - reads standard input.")],
    json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Measures how well ideas are matched with features."""
    from sightline.evaluation.matching import evaluate_matching, read_texts
    from sightline.intelligence.embedded import embedded_engine

    with open_file(file) as lines:
        texts = read_texts(file, lines)
    quality = evaluate_matching(embedded_engine(), texts, perf_counter)
    _show(quality, json, "matching", picture)


@command("evaluate extraction")
def extraction(
    folder: Annotated[
        Path | None, argument("[FOLDER]", "Pages with labels.jsonl; by default those of Sightline.")
    ] = None,
    json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Measures how well text and dates are taken from pages."""
    from sightline.evaluation.extraction import evaluate_extraction, read_pages
    from sightline.platform.clock import Clock

    pages = read_pages(folder or files("sightline.sample").joinpath("pages"))
    quality = evaluate_extraction(pages, Clock().now(), perf_counter)
    _show(quality, json, "extraction", picture)


def _world_command(name: str, help: str) -> None:
    """Adds the command that measures worlds with the module of its name."""

    @command(f"evaluate {name}", help=help)
    def measure(folder: World, json: AsJson = False, marks: MarksFile = None, outputs: OutputsFile = None) -> None:
        measured: Measured = import_module(f"sightline.evaluation.{name}").measure(folder)
        if outputs is not None:
            write_outputs(outputs, measured.outputs, shuffle=not measured.quality.in_order)
        if marks is not None:
            with marks.open("rb") as lines:
                measured.quality.count_marks(measured.outputs, read_marks(str(marks), lines))
        _show(measured.quality, json)


_world_command("questions", "Measures whether ideas are asked what they lack.")
_world_command("insights", "Measures which statements of tickets become insights.")
_world_command("similar", "Measures which requests and insights are offered as similar.")
_world_command("documents", "Measures whether a PRD says what a manager would.")
_world_command("research", "Measures whether research finds the facts of articles.")


def _show(quality: Struct, json: bool, name: str = "", picture: Path | None = None) -> None:
    from sightline.evaluation.figures import figures
    from sightline.evaluation.pictures import draw

    if picture is not None:
        picture.write_text(draw(name, quality), encoding="utf-8")
    if json:
        print_json(quality)
    else:
        print_columns(figures(quality))
