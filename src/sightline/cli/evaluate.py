"""`sightline evaluate`: how well the engine does on labelled texts of your own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from sightline.cli.options import AsJson, Command, group, open_file
from sightline.cli.output import print_json, print_pairs
from sightline.cli.refusals import CommandRefused
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.evaluation import LabelledText, MatchingQuality, Point, evaluate_matching
from sightline.platform.clock import Clock

if TYPE_CHECKING:
    from sightline.sources.evaluation import ExtractionQuality, PageResult

app = group("evaluate", "The quality of the engine, measured on labelled data.")

_LEFT, _TOP, _SIDE = 50, 20, 400  # of the plot, in pixels

Picture = Annotated[Path | None, typer.Option("--picture", metavar="PATH", help="Draw the figures there, as SVG.")]


@app.command("matching", cls=Command)
def matching(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")],
    json: AsJson = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="PATH", help="Draw the curve of precision and recall there, as SVG."),
    ] = None,
) -> None:
    """Measures how well ideas are matched with features."""
    texts = list(_read_texts(file))
    if not texts:
        raise CommandRefused(f"{file} has no texts.")
    quality = evaluate_matching(embedded_engine(), texts, perf_counter)
    if picture is not None:
        picture.write_text(_drawn(quality), encoding="utf-8")
    if json:
        print_json(quality)
    else:
        _print(quality)


@app.command("extraction", cls=Command)
def extraction(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Pages with labels.jsonl; by default those of Sightline.")
    ] = None,
    json: AsJson = False,
    picture: Picture = None,
) -> None:
    """Measures how well text and dates are taken from pages."""
    from sightline.cli.labelled_pages import draw_extraction, read_pages
    from sightline.sources.evaluation import evaluate_extraction

    quality = evaluate_extraction(read_pages(folder), Clock().now(), perf_counter)
    if picture is not None:
        picture.write_text(draw_extraction(quality), encoding="utf-8")
    if json:
        print_json(quality)
    else:
        _print_extraction(quality)


def _print_extraction(quality: "ExtractionQuality") -> None:
    print_pairs(
        [
            ("pages", quality.pages),
            ("text that is the page's", _percent(quality.text_precision)),
            ("text that is found", _percent(quality.text_recall)),
            ("F1 of both", _percent(quality.text_f1)),
            ("dates that are right", f"{_percent(quality.date_precision)} of {quality.dates_given}"),
            ("dates that are found", f"{_percent(quality.date_recall)} of {quality.dated_pages}"),
            ("milliseconds for a page", quality.milliseconds),
            *((one.file, _fault(one)) for one in quality.faults),
        ]
    )


def _fault(page: "PageResult") -> str:
    parts = [f"without {passage!r}" for passage in page.missing] + [f"with {passage!r}" for passage in page.noise]
    if not page.is_date_right:
        parts.append(f"dated {page.published}" if page.published else "not dated")
    return "; ".join(parts)


def _read_texts(file: str) -> Iterator[LabelledText]:
    """Yields the labelled texts of a file. Raises CommandRefused with the line for one that cannot be read."""
    decoder = msgspec.json.Decoder(LabelledText)
    with open_file(file) as opened:
        for number, line in enumerate(opened, 1):
            if not line.strip():
                continue
            try:
                one = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise CommandRefused(f"{file}, line {number}: {error}") from None
            if unknown := one.relevant - {feature.id for feature in one.features}:
                raise CommandRefused(f"{file}, line {number}: no feature has the id {min(unknown)}.")
            yield one


def _print(quality: MatchingQuality) -> None:
    related = quality.texts - quality.unrelated_texts
    print_pairs(
        [
            ("texts", f"{quality.texts}: {related} about a feature, {quality.unrelated_texts} about none"),
            ("applied", f"{quality.applied}: {_percent(quality.applied_precision)} of them right"),
            ("suggested", f"{quality.suggested}: {_percent(quality.suggestion_precision)} of them right"),
            ("found by what is applied", f"{_percent(quality.applied_recall)} of {quality.relevant}"),
            ("found with suggestions", f"{_percent(quality.recall_with_suggestions)} of {quality.relevant}"),
            ("applied to texts about none", _percent(quality.applied_on_unrelated_texts)),
            ("calibration error", quality.calibration_error),
            ("milliseconds for a text", quality.milliseconds),
        ]
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _drawn(quality: MatchingQuality) -> str:
    """Returns the curve as SVG: recall to the right, precision upwards, what is applied as a dot."""
    edge = _LEFT + _SIDE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {edge + 20} {_TOP + _SIDE + 50}"',
        '  font-family="sans-serif" font-size="12">',
        "<title>Precision and recall of feature matching</title>",
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#888"/>',
        *_scales(),
        f'<polyline fill="none" stroke="#2458c5" stroke-width="2" points="{_places(quality.curve)}"/>',
    ]
    if quality.applied_precision is not None and quality.applied_recall is not None:
        x, y = _place(quality.applied_recall, quality.applied_precision)
        lines.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="#c5243a"><title>applied</title></circle>')
    return "\n".join([*lines, "</svg>\n"])


def _scales() -> Iterator[str]:
    for tenth in range(0, 11, 2):
        x, y = _place(tenth / 10, tenth / 10)
        yield f'<text x="{x:g}" y="{_TOP + _SIDE + 16}" text-anchor="middle">{tenth / 10:g}</text>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{tenth / 10:g}</text>'
    yield f'<text x="{_LEFT + _SIDE // 2}" y="{_TOP + _SIDE + 36}" text-anchor="middle">recall</text>'
    yield f'<text x="14" y="{_TOP + _SIDE // 2}" transform="rotate(-90 14 {_TOP + _SIDE // 2})">precision</text>'


def _places(curve: Sequence[Point]) -> str:
    return " ".join("{:g},{:g}".format(*_place(point.recall, point.precision)) for point in curve)


def _place(recall: float, precision: float) -> tuple[float, float]:
    return round(_LEFT + _SIDE * recall, 1), round(_TOP + _SIDE * (1 - precision), 1)
