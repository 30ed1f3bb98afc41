"""Labelled pages for `evaluate extraction`: a folder of pages with `labels.jsonl`, and the picture of the result."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import msgspec

from sightline.cli.refusals import CommandRefused
from sightline.sources.evaluation import ExtractionQuality, LabelledPage

LABELS: Final = "labels.jsonl"
_WIDTH, _ROW, _LEFT = 300, 30, 150  # of the picture, in pixels


def read_pages(folder: Path | None) -> list[tuple[LabelledPage, bytes]]:
    """The pages of a folder, or without one those of the package. Raises CommandRefused."""
    place: Traversable = folder or files("sightline.sample").joinpath("pages")
    labels = place.joinpath(LABELS)
    try:
        lines = labels.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CommandRefused(f"{labels} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandRefused(f"{labels} is not UTF-8.") from None
    pages = [(page, _content(place, page.file)) for page in _labels(labels, lines)]
    if not pages:
        raise CommandRefused(f"{labels} has no pages.")
    return pages


def _labels(labels: Traversable, lines: list[str]) -> Iterator[LabelledPage]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=LabelledPage)
            except msgspec.DecodeError as error:
                raise CommandRefused(f"{labels}, line {number}: {error}") from None


def _content(place: Traversable, name: str) -> bytes:
    if Path(name).name != name:
        raise CommandRefused(f"{name} does not lie beside {LABELS}.")
    try:
        return place.joinpath(name).read_bytes()
    except OSError as error:
        raise CommandRefused(f"{place.joinpath(name)} cannot be read: {error.strerror}.") from None


def draw_extraction(quality: ExtractionQuality) -> str:
    """A bar for each share, as SVG."""
    bars = {
        "text: precision": quality.text_precision,
        "text: recall": quality.text_recall,
        "dates: precision": quality.date_precision,
        "dates: recall": quality.date_recall,
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 80} {_ROW * len(bars) + 20}"',
        '  font-family="sans-serif" font-size="12">',
        f"<title>Text and dates of {quality.pages} pages</title>",
    ]
    for row, (name, share) in enumerate(bars.items()):
        y = 10 + row * _ROW
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 16}" text-anchor="end">{name}</text>')
        lines.append(f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH}" height="22" fill="#eee"/>')
        lines.append(f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH * (share or 0):g}" height="22" fill="#2458c5"/>')
        shown = "-" if share is None else f"{share:.1%}"
        lines.append(f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 16}">{shown}</text>')
    return "\n".join([*lines, "</svg>\n"])
